"""What a repeated release and the ones before it tell together, and who is in several of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from leakgauge.artefacts import Measurement, Origin, Quantity, Sentence, Utility
from leakgauge.artefacts.repeated import EarlierRelease, Repeated, RepeatedSecret
from leakgauge.artefacts.request import FRAME, Aim
from leakgauge.design import sequence_leakage
from leakgauge.errors import InputError, LeakgaugeError, OptionError
from leakgauge.jobs.protect.companions import spent
from leakgauge.jobs.protect.earlier import Earlier, earlier_job
from leakgauge.jobs.protect.sources import watched
from leakgauge.jobs.protect.stages import MEASUREMENT, Work
from leakgauge.release.priors import bound_channel, own_prior
from leakgauge.tables import Table, in_bins, open_table

if TYPE_CHECKING:
    import pyarrow as pa


def repeated(work: Work, earlier: Earlier) -> Repeated:
    """The releases before that of this job, and what all of them tell together."""
    before = tuple(_releases(work, earlier))
    # Somebody may be in every release but those whose tables are known to share nobody with this one.
    counted = [one for one in before if one.shared != 0]
    origin = work.release.record.budget.epsilon.origin
    if len(counted) < len(before):
        # The sum would tell everybody which tables share nobody.
        origin = Origin.TABLE
    costs = [
        *(one.epsilon for one in counted),
        Quantity(spent(work.folder, work.asked).together, "nats", origin=origin),
    ]
    sources = work.sources
    return Repeated(
        before,
        len(before) + 1,
        len(costs),
        tuple(_secret(work, aim, len(costs)) for aim in work.asked.aims),
        Quantity(sum(one.value for one in costs), "nats", origin=_worst([one.origin for one in costs])),
        unit=work.asked.unit,
        units=None if work.asked.unit is None else sources.table.group_sizes([(work.asked.unit,)])[0].groups,
        dataset=sources.dataset,
        spent=None
        if sources.ledger is None or sources.dataset is None
        else Quantity(sources.ledger.spent(sources.dataset).epsilon, "nats"),
    )


def _worst(origins: Sequence[Origin]) -> Origin:
    """The origin that is shown to fewest."""
    return next((one for one in (Origin.TABLE, Origin.ACCOUNTED) if one in origins), origins[0])


def _releases(work: Work, earlier: Earlier) -> Iterator[EarlierRelease]:
    """Every release of the chain, the oldest first, each compared with the new table."""
    told = earlier.job.repeated
    for one in () if told is None else told.before:
        try:
            job: Earlier | None = earlier_job(one.folder)
        except LeakgaugeError:
            job = None
        same = job is not None and job.record.reference == one.reference
        yield _compared(work, one, job if same else None)
    record, cost = earlier.record, earlier.job.spent
    epsilon = Quantity(
        record.budget.epsilon.value if cost is None else cost.together, "nats", origin=record.budget.epsilon.origin
    )
    last = EarlierRelease(str(earlier.folder), record.created, record.reference, record.rows, epsilon)
    yield _compared(work, last, earlier)


def _compared(work: Work, one: EarlierRelease, job: Earlier | None) -> EarlierRelease:
    """The release with how many persons of its table are in the new one too."""
    known = (one.folder, one.created, one.reference, one.rows, one.epsilon)
    asked, unit = None if job is None else job.job.asked, work.asked.unit
    if unit is None:
        return EarlierRelease(*known, unknown=Sentence("no column names the persons"))
    if asked is None or job is None:
        return EarlierRelease(*known, unknown=Sentence("its folder is gone or holds another job"))
    if asked.table == FRAME:
        return EarlierRelease(*known, unknown=Sentence("its table was in memory"))
    try:
        if watched(asked.table).digest() != job.job.table.sha256:
            return EarlierRelease(*known, unknown=Sentence("its table was changed since"))
        with open_table(asked.table, missing=asked.missing) as table:
            if unit not in (column.name for column in table.columns()):
                return EarlierRelease(*known, unknown=Sentence("its table has no column {unit!r}", unit=unit))
            before = in_bins(table, {name: work.sources.bins[name] for name in _binned(work)})
            shared = {", ".join(group): _shared(before, work.sources.table, unit, group) for group in work.asked.groups}
    except (InputError, OSError):
        return EarlierRelease(*known, unknown=Sentence("its table cannot be read"))
    both = next(iter(shared.values()))[0]
    shares = {name: Quantity(same / both, "share") for name, (_, same) in shared.items() if both}
    return EarlierRelease(*known, shared=both, unchanged=shares or None)


def _binned(work: Work) -> list[str]:
    return [name for name in work.asked.released_secrets if name in work.sources.bins]


def _shared(before: Table, now: Table, unit: str, secret: tuple[str, ...]) -> tuple[int, int]:
    """How many persons are in both tables, and how many of them with the same values of the secret in both."""
    import pyarrow.compute as pc

    rows = _sides(before, now, (unit, *secret))
    person, *names = (name for name in rows.column_names if name != "side")
    # Of each value of each person: whether it is in the earlier table, the new one or both.
    values = rows.group_by([person, *names]).aggregate([("side", "min"), ("side", "max")])
    persons = values.group_by(person).aggregate(
        [("side_min", "min"), ("side_max", "max"), ("side_min", "max"), ("side_max", "min")]
    )
    both = pc.less(persons["side_min_min"], persons["side_max_max"])
    same = pc.less(persons["side_min_max"], persons["side_max_min"])
    return tuple(pc.sum(one).as_py() or 0 for one in (both, same))  # type: ignore[return-value]


def _sides(before: Table, now: Table, names: tuple[str, ...]) -> pa.Table:
    """The rows of both tables, with 0 for the earlier and 1 for the new one as their side."""
    import pyarrow as pa

    sides = []
    for side, table in enumerate((before, now)):
        found = pa.Table.from_batches(list(table.batches(*names)))
        columns = [_plain(column.combine_chunks()) for column in found.columns]
        sides.append([*columns, pa.array([side] * found.num_rows, pa.int8())])
    kinds = [first.type if first.type == second.type else pa.string() for first, second in zip(*sides, strict=True)]
    called = [*(str(at) for at in range(len(names))), "side"]
    return pa.concat_tables(
        pa.table([column.cast(kind) for column, kind in zip(side, kinds, strict=True)], names=called) for side in sides
    )


def _plain(column: pa.Array) -> pa.Array:
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _secret(work: Work, aim: Aim, releases: int) -> RepeatedSecret:
    asked, sources, secret = work.asked, work.sources, aim.columns
    entropy = work.folder.read(Measurement, asked.file(MEASUREMENT, secret)).entropy
    try:
        channel = bound_channel(work.plan, sources.original, secret)
    except OptionError:
        # Numbers with noise have no finite channel; their ε add up all the same.
        return RepeatedSecret(secret, entropy, exact=False)
    prior = own_prior(sources.table, secret, channel).distribution
    alone, together = (sequence_leakage(prior, [channel] * times) for times in (1, releases))
    worth = work.folder.get(Utility, asked.file("utility.json", secret))
    return RepeatedSecret(
        secret,
        entropy,
        alone=Quantity(alone.bits, "bits"),
        together=Quantity(together.bits, "bits"),
        exact=together.exact,
        guessed_alone=Quantity(alone.success, "share"),
        guessed=Quantity(together.success, "share"),
        distortion=None if worth is None else worth.columns[", ".join(secret)].distortion,
        max_distortion=aim.max_distortion,
    )
