"""The earlier releases of a job's secrets: who is in them, which the verdict counts, and what all reveal together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from leakgauge.artefacts import Origin, Quantity, Record, Sentence
from leakgauge.artefacts.dossier import MEASUREMENT, UTILITY
from leakgauge.artefacts.job import EarlierRelease, ReleasedBefore, Repeated, RepeatedSecret
from leakgauge.artefacts.request import FRAME, Aim
from leakgauge.assessment.outgoing import Secret
from leakgauge.case.earlier import EarlierChannel
from leakgauge.errors import InputError, OptionError, VerificationError
from leakgauge.jobs.protect.companions import spent
from leakgauge.jobs.protect.earlier import Earlier, earlier_job
from leakgauge.jobs.protect.kept import Keeping
from leakgauge.jobs.protect.sources import Sources, watched
from leakgauge.jobs.protect.stages import Work
from leakgauge.measures import entropy
from leakgauge.measures.sequences import SequenceLeakage, sequence_leakage
from leakgauge.probability import Distribution
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import RecordedPlan
from leakgauge.release.ledger.cost import as_float
from leakgauge.release.ledger.entry import Kind
from leakgauge.release.ledger.summary import spent_in_all_periods
from leakgauge.release.ledger.unchanged import cost_unchanged
from leakgauge.release.priors import bound_channel, own_prior
from leakgauge.tables import in_bins, open_table
from leakgauge.tables.pairing import persons_in_both


def compared(sources: Sources, earlier: Earlier) -> tuple[EarlierRelease, ...]:
    """Every release of the chain that a job goes on, the oldest first, each compared with the new table."""
    return tuple(_releases(sources, earlier))


def released_before(
    sources: Sources, chain: Sequence[EarlierRelease], plan: RecordedPlan | None = None, own: str | None = None
) -> tuple[tuple[ReleasedBefore, ...], int]:
    """The earlier releases of the secrets that the verdict counts, and how many entries of the ledger name no column.

    Those are the releases of the chain, except those whose tables are known to share nobody with this one, and others
    of the same data set in the ledger; whether those share people is not known, so they count.

    Args:
        plan: of the new release, where it repeats another and is known already.
        own: the reference of the job's own release.
    """
    keeping = Keeping(sources, chain, plan)
    found = [ReleasedBefore(one.reference, True, kept=keeping.in_chain(one)) for one in chain if one.shared != 0]
    known, unnamed = {own, *(one.reference for one in chain)}, 0
    if sources.ledger is None or sources.dataset is None:
        return tuple(found), unnamed
    secrets = {name for group in sources.asked.roles.sources for name in group}
    for entry in sources.ledger.entries(sources.dataset):
        if entry.kind is not Kind.SPEND or entry.reference in known:
            continue
        told = {name: math.inf if bits is None else bits.told for name, bits in entry.told.items() if name in secrets}
        if told:
            levels = float(entry.cost.epsilon), float(entry.cost.rho)
            found.append(ReleasedBefore(entry.reference, False, told, *levels, keeping.of_entry(entry)))
        unnamed += not entry.told
    return tuple(found), unnamed


def earlier_channels(
    before: Sequence[ReleasedBefore], plan: RecordedPlan | None, secrets: Sequence[Secret]
) -> Mapping[Secret, tuple[EarlierChannel, ...]]:
    """The earlier releases of each secret as an attacker has them.

    Args:
        plan: of a release through the same mechanisms; None if there is none.
    """
    return {secret: tuple(_channels(before, plan, secret)) for secret in secrets}


def _channels(before: Sequence[ReleasedBefore], plan: RecordedPlan | None, secret: Secret) -> Iterator[EarlierChannel]:
    own = None if plan is None else plan.hiding(secret)
    through = None if own is None else EarlierChannel.of(own)
    for one in before:
        if own is not None and own.name in one.kept:
            # The same draw again: what it tells of a value that stayed the same, this release tells already. Of a
            # value that changed it tells what the earlier value tells, which is no part of this law.
            continue
        if one.same_mechanism and through is not None:
            yield through
        elif read := [one.bits[name] for name in secret if name in one.bits]:
            yield EarlierChannel(bits=math.fsum(read), epsilon=one.epsilon, rho=one.rho)


def repeated(work: Work) -> Repeated:
    """The earlier releases of this job, and what all of them reveal together."""
    before = work.chain
    # A person may be in every release except those whose tables are known to share nobody with this one.
    counted = [one for one in before if one.shared != 0]
    origin = work.release.record.budget.epsilon.origin
    if len(counted) < len(before):
        # The sum would reveal which tables share nobody.
        origin = Origin.TABLE
    costs = [
        *(one.epsilon for one in counted),
        Quantity(spent(work.folder, work.asked).together, "nats", origin=origin),
    ]
    sources = work.sources
    account, in_period = None, None
    if sources.ledger is not None and sources.dataset is not None:
        account = Quantity(spent_in_all_periods(sources.ledger, sources.dataset).epsilon.value, "nats")
        running = sources.ledger.spent(sources.dataset)
        in_period = None if running.period is None else Quantity(running.epsilon, "nats")
    return Repeated(
        before,
        len(before) + 1,
        len(costs),
        tuple(_secret(work, aim, counted) for aim in work.asked.aims),
        Quantity(sum(one.value for one in costs), "nats", origin=_worst([one.origin for one in costs])),
        unit=work.asked.roles.unit,
        units=None
        if work.asked.roles.unit is None
        else sources.table.group_sizes([(work.asked.roles.unit,)])[0].groups,
        dataset=sources.dataset,
        spent=account,
        spent_in_period=in_period,
        epsilon_unchanged=_unchanged(work, counted, costs),
        noise_key=_noise_key(work.release.record),
    )


def _unchanged(work: Work, counted: Sequence[EarlierRelease], costs: Sequence[Quantity]) -> Quantity | None:
    """ε of a person whose values never changed, in the releases that are counted and this one."""
    ledger, record = work.sources.ledger, work.release.record
    if ledger is None or _noise_key(record) is None:
        return None
    entries = [ledger.entry(reference) for reference in (*(one.reference for one in counted), record.reference)]
    paid = [entry for entry in entries if entry is not None]
    # What another ledger paid for has noise of its own.
    others = (cost.value for cost, entry in zip(costs, entries, strict=True) if entry is None)
    return Quantity(
        as_float(cost_unchanged(paid).epsilon) + math.fsum(others),
        "nats",
        origin=_worst([one.origin for one in costs]),
    )


def _noise_key(record: Record) -> str | None:
    """The identity of the key by which a release keeps noise."""
    return None if record.budget.ledger is None else record.budget.ledger.noise_key


def _worst(origins: Sequence[Origin]) -> Origin:
    """The origin that is shown to fewest."""
    return next((one for one in (Origin.TABLE, Origin.ACCOUNTED) if one in origins), origins[0])


def _releases(sources: Sources, earlier: Earlier) -> Iterator[EarlierRelease]:
    told = earlier.job.repeated
    for one in () if told is None else told.before:
        try:
            job: Earlier | None = earlier_job(one.folder)
        except (InputError, VerificationError):
            job = None
        same = job is not None and job.record.reference == one.reference
        yield _compared(sources, one, job if same else None)
    record, cost = earlier.record, earlier.job.spent
    epsilon = Quantity(
        record.budget.epsilon.value if cost is None else cost.together, "nats", origin=record.budget.epsilon.origin
    )
    last = EarlierRelease(
        str(earlier.folder), record.created, record.reference, record.rows, epsilon, noise_key=_noise_key(record)
    )
    yield _compared(sources, last, earlier)


def _compared(sources: Sources, one: EarlierRelease, job: Earlier | None) -> EarlierRelease:
    """The release with the number of people shared with the new table, or why it is unknown."""
    found = _in_both(sources, job)
    if isinstance(found, Sentence):
        return structs.replace(one, shared=None, unchanged=None, unknown=found)
    shared = max(both for both, _ in found.values())
    shares = {name: Quantity(same / both, "share") for name, (both, same) in found.items() if both}
    return structs.replace(one, shared=shared, unchanged=shares or None, unknown=None)


def _in_both(sources: Sources, job: Earlier | None) -> dict[str, tuple[int, int]] | Sentence:
    """For each secret the persons in both tables, and those with the same values in both."""
    roles, bins = sources.asked.roles, sources.bins
    unit = roles.unit
    if unit is None:
        return Sentence("no column identifies people")
    if job is None:
        return Sentence("its folder is gone or holds another job")
    asked = job.job.request
    if asked.table == FRAME:
        return Sentence("its table was in memory")
    try:
        with open_table(asked.table, **asked.reading.keywords()) as table:
            if watched(asked.table, table).digest() != job.job.table.sha256:
                return Sentence("its table has changed since")
            if unit not in (column.name for column in table.columns()):
                return Sentence("its table has no column {unit!r}", unit=unit)
            before = in_bins(table, {name: bins[name] for name in roles.released_secrets if name in bins})
            return {", ".join(group): persons_in_both(before, sources.table, unit, group) for group in roles.groups}
    except (InputError, OSError):
        return Sentence("its table is gone or cannot be read")


def _secret(work: Work, aim: Aim, counted: Sequence[EarlierRelease]) -> RepeatedSecret:
    sources, secret, releases = work.sources, aim.columns, len(counted) + 1
    kept = work.release.record.plan.kept or ()
    draws = releases
    # A mechanism has the name of the first column that it reads.
    if not {*secret}.isdisjoint(kept):
        keys = [_noise_key(work.release.record), *(one.noise_key for one in counted)]
        draws = len({key for key in keys if key is not None}) + keys.count(None)
    all_of_it = work.folder.result(MEASUREMENT, secret).entropy
    try:
        named = bound_channel(work.plan, sources.original, secret)
    except OptionError:
        # Noisy numbers have no finite channel; their ε still add up.
        return RepeatedSecret(secret, all_of_it, exact=False)
    prior = own_prior(sources.table, named.inputs, named.channel).distribution
    alone, together = (_told(prior, named, times) for times in (1, draws))
    worth = work.folder.found(UTILITY, secret)
    return RepeatedSecret(
        secret,
        all_of_it,
        alone=Quantity(alone.bits, "bits"),
        together=Quantity(together.bits, "bits"),
        exact=together.exact,
        guessed_alone=Quantity(alone.success, "share"),
        guessed=Quantity(together.success, "share"),
        distortion=None if worth is None else worth.columns[", ".join(secret)].distortion,
        max_distortion=aim.max_distortion,
        changing=Quantity(alone.bits * releases, "bits") if draws < releases else None,
        draws=draws,
    )


def _told(prior: Distribution, named: NamedChannel, times: int) -> SequenceLeakage:
    """What this many releases reveal together, including what the columns reveal that the channel is conditional on."""
    if named.compared is None:
        return sequence_leakage(prior, [named.channel] * times)
    left, success, exact = 0.0, 0.0, True
    whole = dict.fromkeys(named.secrets, 0.0)
    for label, share in zip(named.secrets, prior.probabilities.tolist(), strict=True):
        whole[label] += share
    for group in named.compared:
        shares = prior.probabilities[list(group)]
        weight = float(shares.sum())
        if weight > 0:
            part = named.channel.restrict([named.channel.inputs[place] for place in group])
            given = Distribution(part.inputs, shares / weight)
            found = sequence_leakage(given, [part] * times)
            left += weight * (entropy(given) - found.bits)
            success += weight * found.success
            exact &= found.exact
    told = entropy(Distribution(whole, list(whole.values()))) - left
    return SequenceLeakage(told, exact, times, success)
