"""What recipients of a release can compute, their kit, and commands that would let them compute more."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from leakgauge.artefacts import Origin, PublicRecord, Quantity, Recipients, Request, Sentence
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.dossier import PUBLIC_RECORD
from leakgauge.artefacts.estimates import Estimable, ReadAs
from leakgauge.artefacts.record import Plan
from leakgauge.artefacts.request import FRAME
from leakgauge.assessment.search.column import MOST_LETTERS
from leakgauge.assessment.worth import variance_before_noise
from leakgauge.design import Keep
from leakgauge.errors import OptionError
from leakgauge.jobs.protect.earlier import Earlier
from leakgauge.jobs.protect.sources import Sources
from leakgauge.mechanisms import parse_mechanism
from leakgauge.release import Release
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.estimates import About, effective_rows_of_mean, write_kit
from leakgauge.release.estimates.correction import confused_values
from leakgauge.release.estimates.handed_out import KitTerms, Reading, channel_of
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import Protected
from leakgauge.release.files import blank_cells
from leakgauge.release.guarantees import said_of_formulas
from leakgauge.release.ledger.account import default_dataset
from leakgauge.release.priors import own_prior
from leakgauge.release.recorded_plan import plan_of
from leakgauge.tables import Kind

HALF = 0.5
"""The least share of the rows that a release that keeps the shares is worth, whatever its channel."""
PART_OF_CHANCE = 0.1
"""The noise of a histogram relative to √rows, the order of sampling error of counts."""
_EPSILONS = (0.1, 1.0)
"""The least and the greatest ε proposed for a histogram, in nats."""
_WITHOUT_LETTERS = (Kind.INT, Kind.FLOAT, Kind.OTHER)
"""Columns of which no histogram is bought."""

WEAK = Sentence(
    "its channel keeps so little of its values that the whole release is less precise than one original row"
)


def recipients(asked: Request, sources: Sources, release: Release, plan: RecordedPlan, *, folder: Path) -> Recipients:
    """What recipients can compute from every column that went through a mechanism; ``folder`` is that of the job."""
    record, terms = release.record, KitTerms.of(asked)
    found = terms.offered(plan, sources.table, release.output)
    columns = tuple(
        structs.replace(_estimable(asked, sources, one, found[one.name], record.rows), blank=_blank(one, release))
        for one in plan.columns
    )
    inside = any(column.follows_from_counts for column in record.plan.columns.values())
    if terms.chosen_from_table or asked.declared.publish_shares or not inside:
        return Recipients(columns)
    epsilon = epsilon_of_histogram(record.rows)
    commands = _accounted(asked, sources, epsilon, folder)
    return Recipients(columns, commands, Quantity(epsilon, "nats") if commands else None)


def write_recipients_kit(asked: Request, release: Release, found: Recipients, folder: Path) -> None:
    """Write the kit of a release into a folder."""
    plan = plan_of(release.record, release.record_file)
    kept = tuple(one.columns[0] for one in found.columns if one.read_as is ReadAs.COUNTED)
    weak = {name for one in found.columns if one.reason == WEAK for name in one.columns}
    readings = [
        Reading(Protected(one.column.name, unreadable=WEAK)) if one.column.name in weak else one
        for one in KitTerms.of(asked).readings(plan, kept, release.output, release.record.plan)
    ]
    write_kit(
        folder,
        release.output,
        [one.column for one in readings],
        origins={one.column.name: one.origin for one in readings if one.origin is not None},
        publish_shares=asked.declared.publish_shares,
        rows_per_unit=asked.roles.rows_per_unit or 1,
        about=About(
            purpose=asked.declared.purpose,
            contact=asked.declared.contact,
            terms=asked.declared.terms,
            record=release.public_record or _public_record(release),
            notes=(
                *_notes(asked),
                *_said_of_noise(release.record.plan),
                *_said_of_blanks(found, release.rows),
                *said_of_formulas(release.record.output),
            ),
        ),
    )


def _public_record(release: Release) -> PublicRecord | None:
    """The record that everybody may read, of which the kit repeats facts."""
    place = release.record_file.with_name(PUBLIC_RECORD.name)
    return read(PublicRecord, place) if place.is_file() else None


def _notes(asked: Request) -> Iterator[Sentence]:
    if asked.budget.simulate is not None:
        yield Sentence(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )
    if asked.roles.unit is not None and asked.roles.rows_per_unit is None:
        # The number of rows per person follows from the table; without a declared one every row counts as a person.
        yield Sentence(
            "One person may have several rows, and their number is not declared: intervals count every row as a "
            "person, and are too narrow where people have several."
        )


def _said_of_noise(plan: Plan) -> Iterator[Sentence]:
    """That several releases of people who keep their noise are no more precise than one."""
    kept = tuple(name for one in plan.kept or () for name in plan.columns[one].writes)
    if kept:
        yield Sentence(
            "People whose values stay the same keep the noise of {columns!s} in every release: estimates from several "
            "releases err alike, and their mean is hardly more precise.",
            columns=kept,
        )


def _said_of_blanks(found: Recipients, rows: int) -> Iterator[Sentence]:
    for one in found.columns:
        if one.blank:
            yield Sentence(
                "{blank:,} of {rows:,} cells of {columns!s} are blank: the mechanism chooses at random which rows "
                "release a value.",
                blank=one.blank,
                rows=rows,
                columns=one.columns,
            )


def require_private_shares(asked: Request, earlier: Earlier | None) -> None:
    """Refuse to publish shares where no mechanism could follow from them, or one follows from more than may be known.

    Raises:
        OptionError: every mechanism follows from declared settings or accounted counts; or one was designed against
            what is not published, whose cross-table with the secret it then hands out.
    """
    if not asked.declared.publish_shares:
        return
    if earlier is not None:
        private = any(one.follows_from_counts for one in earlier.record.plan.columns.values())
    else:
        if asked.limits.kept == Keep.ASSOCIATIONS.value:
            raise OptionError(
                "--publish-shares puts channels of single columns into the kit, but a channel that keeps associations "
                "reads several; leave it out: these cross-tables can be counted directly."
            )
        private = any(
            asked.budget.accounted is None
            if not aim.mechanism
            else any(map(_is_private, aim.mechanism)) or aim.mechanism[1:]
            for aim in asked.aims
        )
    if not private:
        raise OptionError(
            "--publish-shares is for channels that follow from private counts, but none does here; leave it out."
        )
    designed_for = asked if earlier is None else earlier.job.request
    hidden = tuple(name for name in designed_for.roles.seen if name not in asked.roles.public_as_is)
    if hidden:
        raise OptionError(
            "--publish-shares hands out a channel from which its exact cross-table with {columns!s} follows, which is "
            "not published as it is; publish it with --public, or leave it or --publish-shares out.",
            columns=", ".join(hidden),
        )


def _is_private(mechanism: str) -> bool:
    """Whether a mechanism becomes a channel that may follow from private counts."""
    if mechanism.endswith(".json"):
        origin = read_channel(mechanism).prior_origin
        return origin is None or origin.keep_inside
    return not parse_mechanism(mechanism, letters=("a", "b")).capabilities.columns


def _estimable(asked: Request, sources: Sources, column: BoundColumn, offered: Offered, rows: int) -> Estimable:
    read = offered.read
    if read.unreadable is not None:
        return Estimable(columns=column.writes, reason=read.unreadable)
    units = rows / (asked.roles.rows_per_unit or 1)
    confused, share = 0, None
    if column.mechanism.noise is not None and read.noise is not None:
        variance = variance_before_noise(sources.original, column.name, column.mechanism.noise)
        share = effective_rows_of_mean(variance, read.noise.variance, read.noise.slope)
    elif column.reads == column.writes and (channel := channel_of(column)) is not None:
        found = offered.of_cells(channel, own_prior(sources.table, column.reads, channel).distribution)
        confused = 0 if read.keeps_shares else sum(map(len, confused_values(channel)))
        # Where nothing varies, every row tells all.
        share = 1.0 if found is None else found.worth
    if share is not None and share * units < 1 and not read.keeps_shares:
        return Estimable(columns=column.writes, reason=WEAK)
    return Estimable(
        columns=column.writes,
        read_as=ReadAs.MEAN if read.noise is not None else ReadAs.COUNTED if read.keeps_shares else ReadAs.CORRECTED,
        keeps_with=_kept_together(column) if read.keeps_shares else (),
        corrected=read.channel is not None,
        worth=None if share is None else Quantity(share, "share"),
        rows=None if share is None else Quantity(share * units, "rows"),
        least_worth=Quantity(HALF, "share", origin=Origin.PUBLIC) if read.keeps_shares else None,
        least_rows=Quantity(HALF * units, "rows", origin=Origin.PUBLIC) if read.keeps_shares else None,
        confused=confused,
    )


def _blank(column: BoundColumn, release: Release) -> int:
    """How many cells of the release the mechanism left blank; a missing value that it releases is not one of them."""
    channel = channel_of(column)
    if channel is None or len(column.writes) > 1 or None in channel.inputs or None not in channel.outputs:
        return 0
    return blank_cells(release.output, release.output.suffix.lower().lstrip("."), column.name)


def _kept_together(column: BoundColumn) -> tuple[str, ...]:
    """The columns whose cross-tables a channel keeps."""
    together = dict.fromkeys((*column.reads, *column.writes))
    return tuple(name for name in together if len(column.writes) > 1 or name not in column.writes)


def epsilon_of_histogram(rows: int) -> float:
    """An ε whose noise, about 2√2/ε rows in each count, is a tenth of √rows, to one digit and from 0.1 to 1."""
    least, most = _EPSILONS
    epsilon = 2 * math.sqrt(2) / (PART_OF_CHANCE * math.sqrt(rows))
    return min(max(float(f"{epsilon:.1g}"), least), most)


def _accounted(asked: Request, sources: Sources, epsilon: float, folder: Path) -> tuple[str, ...]:
    """The commands that do the same from a noisy histogram, and open a ledger if none is named.

    None if that is impossible: for numbers, many values, or options a histogram cannot be combined with. If
    associations are kept, recipients can count cross-tables directly.
    """
    kinds = {one.name: one.kind for one in sources.table.columns()}
    sizes = sources.table.group_sizes([(name,) for name in asked.roles.released_secrets])
    few = all(2 <= one.groups <= MOST_LETTERS for one in sizes)
    text = all(kinds[name] not in _WITHOUT_LETTERS for name in asked.roles.released_secrets)
    crossed = asked.limits.kept == Keep.ASSOCIATIONS.value
    if crossed or asked.table == FRAME or asked.repeat is not None or not (few and text):
        return ()
    dataset = asked.budget.dataset or default_dataset(asked.table)
    ledger = asked.budget.ledger or f"{dataset}.ledger"
    try:
        # By default a channel keeps all values; one that loses some cannot be corrected for, even if it is known.
        again = asked.having(accounted=epsilon, ledger=ledger, simulate=None, keep=None)
    except OptionError:
        return ()
    opened = shlex.join(["leakgauge", "ledger", "open", ledger, "--dataset", dataset, "--unlimited"])
    command = again.command(folder.with_name(f"{folder.name}-accounted"))
    return (opened, command) if asked.budget.ledger is None else (command,)
