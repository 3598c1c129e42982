"""What a release guarantees and costs: levels of each column and of all together, and their assumptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from leakgauge.artefacts import Level, Origin, Quantity, Sentence
from leakgauge.artefacts.record import Budget, Claims, LedgerEntry, Output, Plan, PlannedColumn, Together
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.spelling import CAVEATS
from leakgauge.mechanisms.steps import Claimed, Step
from leakgauge.notions import Circumstances
from leakgauge.notions.composition.sequence import smallest
from leakgauge.notions.relation import relate_channel, relate_statements
from leakgauge.probability import PriorOrigin
from leakgauge.release.bound import RecordedPlan
from leakgauge.release.ledger import Entry
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.priors import Prior, histogram_steps
from leakgauge.release.recorded_plan import ANOTHER_TABLE, PRIVATE_LETTERS, THIS_TABLE, lacks_letters
from leakgauge.sentences import Field

DELTA = 1e-6
"""The δ at which a record says what all columns together guarantee."""
FORMULAS = (
    "Spreadsheet programs would run cells of {columns!s} as formulas: import these columns as text, since released "
    "values are not changed."
)
_OF_A_TABLE = {"central-identifiability", "central-mutual-information"}
"""Notions of a whole table; a record speaks of one row."""
_PURE = ("local-dp", "dp")
"""Notions whose level is the budget however many letters there are; for others that holds only with two letters."""
_CLOSE = 1e-9
"""Numbers within this relative distance reveal nothing about the cause of the difference."""

Number = TypeVar("Number", bound=Quantity)


def claims_of(
    column: PlannedColumn, mechanism: Mechanism, prior: Prior | None = None, origin: Origin | None = None
) -> Claims:
    """What a mechanism guarantees one row, in every notion: exact where its channel is known, else implied.

    Levels that need a prior are there where one is given; ``origin`` is where the guarantee comes from, if not from
    where the column says.
    """
    origin = origin or column.origin
    # Records state what the noise guarantees, clamped or not: clamping reveals no more.
    channel = mechanism.channel() if mechanism.noise is None else None
    if lacks_letters(column):
        return Claims(None, None, exact=False, levels=implied_levels(mechanism.claims, origin))
    if channel is None:
        prior = None
        levels = implied_levels(mechanism.claims, origin, Circumstances(values=mechanism.capabilities.values))
    else:
        found = whatever = relate_channel(channel, compared=mechanism.compared).levels
        under = origin
        if prior is not None:
            found = relate_channel(channel, prior.distribution, compared=mechanism.compared).levels
            under = origin_under(prior.origin, origin)
        levels = {name: level.stored(origin if name in whatever else under) for name, level in found.items()}
        # What is claimed in a notion that a channel alone does not show, such as one of distances.
        levels |= {one.name: Level.stated(one, origin) for one in mechanism.claims if one.name not in levels}
    if column.letters in PRIVATE_LETTERS:
        declared = implied_levels(mechanism.claims, origin)
        levels = {
            name: as_declared(level, declared.get(name) if name in _PURE else None) for name, level in levels.items()
        }
    return Claims(
        prior=None if prior is None else prior.origin,
        prior_epsilon=None if prior is None else prior.epsilon,
        exact=channel is not None,
        levels=levels,
    )


def origin_under(prior: PriorOrigin, origin: Origin) -> Origin:
    """Where a level under a prior comes from, given where the mechanism does."""
    if prior.keep_inside:
        return Origin.TABLE
    bought = prior is PriorOrigin.NOISY_HISTOGRAM and origin is Origin.DECLARED
    return Origin.ACCOUNTED if bought else origin


def as_declared(found: Number, declared: Quantity | None) -> Number:
    """A number that may depend on letters of the table; its origin is the table unless the budget alone determines it.

    It is then the budget's own number, because the last digits of the other reveal the number of letters.
    """
    if declared is not None and math.isclose(found.value, declared.value, rel_tol=_CLOSE):
        return msgspec.structs.replace(found, value=declared.value)
    return msgspec.structs.replace(found, origin=Origin.TABLE)


def implied_levels(
    statements: Iterable[Statement], origin: Origin, known: Circumstances | None = None
) -> dict[str, Level]:
    """What statements imply of one row, in every notion."""
    return {
        name: Level.stated(statement, origin)
        for name, statement in relate_statements(statements, known).items()
        if statement is not None and name not in _OF_A_TABLE
    }


def declared_steps(plan: RecordedPlan, extra_steps: tuple[Step, ...] = ()) -> tuple[Step, ...] | None:
    """The cost by the budgets alone, whatever letters are taken from the table; None if none are."""
    if not any(one.letters_from_table for one in plan.protecting):
        return None
    columns = zip(plan.protecting, plan.steps, strict=True)
    return (
        *(
            plan.unit.cost(Claimed(one.mechanism.claims[0])) if one.letters_from_table else step
            for one, step in columns
        ),
        *extra_steps,
    )


def public_steps(plan: RecordedPlan, claims: Mapping[str, Claims]) -> tuple[Step, ...]:
    """The publishable cost of columns: by the budget alone where letters are taken from the table."""
    steps = zip(plan.protecting, declared_steps(plan) or plan.steps, strict=True)
    return tuple(step for one, known in steps for step in (known, *bought_steps(plan, claims[one.name])))


def bought_steps(plan: RecordedPlan, claim: Claims) -> tuple[Step, ...]:
    """The cost to a person of the noisy histogram that claims rest on."""
    return tuple(map(plan.unit.cost, () if claim.prior_epsilon is None else histogram_steps(claim.prior_epsilon)))


def together_of(
    steps: tuple[Step, ...], origin: Origin, declared: tuple[Step, ...] | None = None
) -> dict[str, Together]:
    """What all columns of one row guarantee together, at δ = 0 and at a small one."""
    found = {}
    for delta in (0.0, DELTA):
        try:
            whole = smallest(steps, delta)
        except OptionError:
            continue
        statement = CentralDP(whole.epsilon) if delta == 0 else ApproximateDP(whole.epsilon, delta)
        found[statement.name] = Together(
            value=statement.level,
            unit=statement.unit,
            origin=origin,
            delta=delta or None,
            method=str(whole.method),
        )
    if declared is None:
        return found
    known = together_of(declared, origin)
    return {name: as_declared(level, known.get(name) if name in _PURE else None) for name, level in found.items()}


def budget_of(
    steps: tuple[Step, ...],
    origin: Origin,
    declared: tuple[Step, ...] | None = None,
    entry: Entry | None = None,
) -> Budget:
    """What was spent, and the ledger's entry where there is one."""
    cost = Cost(steps)
    key = None if entry is None or entry.kept is None else entry.kept.key
    place = None if entry is None else LedgerEntry(entry.dataset, entry.sequence, entry.hash, key)
    epsilon, rho = (Quantity(value, "nats", origin=origin) for value in (cost.epsilon, cost.rho))
    if declared is None:
        return Budget(epsilon, rho, place)
    known = budget_of(declared, origin)
    return Budget(as_declared(epsilon, known.epsilon), as_declared(rho, None), place)


def said_of_noise(plan: Plan) -> Iterator[Sentence]:
    """Whose noise is kept from one release to the next, and what that means for claims about a person."""
    if plan.kept is None:
        return
    columns = {name: one.writes for name, one in plan.columns.items()}
    kept = tuple(name for one in plan.kept for name in columns.get(one, ()))
    fresh = tuple(name for one in columns if one not in plan.kept for name in columns[one])
    if kept:
        yield Sentence(
            "The noise of {columns!s} is kept for every value of {unit!r}: while what the mechanism reads of a person "
            "stays the same, so does the released value, in every row and in every release of this account by the "
            "same channel.",
            columns=kept,
            unit=plan.unit or "",
        )
        yield Sentence(
            "Where the released value of a person changes, a value that was read has changed: kept noise does not hide "
            "that. Claims about several rows or releases of a person hold given which of their values are the same, "
            "and count one draw for each change."
        )
        yield Sentence(
            "Kept noise follows from a secret key by a keyed hash (BLAKE2b): its claims hold against whoever does not "
            "have the key of the ledger and cannot break the hash."
        )
    if fresh:
        yield Sentence(
            "The noise of {columns!s} is generated afresh in every release: releases of the same person add up.",
            columns=fresh,
        )


def said_of_bins(plan: Plan) -> Iterator[Sentence]:
    """Which columns of a record's plan are in bins, and what was learnt from the table for that."""
    learnt = {name: one.learnt for name, one in plan.bins.items() if one.learnt is not None}
    if gathered := tuple(name for name, one in plan.bins.items() if one.level is None):
        yield Sentence("In bins, which are what is released and counted: {columns!s}.", columns=gathered)
    if edges := tuple(name for name in learnt if plan.bins[name].binning.startswith("edges:")):
        yield Sentence(
            "The edges of the bins of {columns!s} were learnt from this table and rounded; they are not protected.",
            columns=edges,
        )
    for name, edge in learnt.items():
        if edge.asked.partition(":")[0] == "auto":
            yield _said_of_chosen(name, plan.bins[name].binning)
    if elsewhere := tuple(name for name, one in plan.bins.items() if one.from_another_table):
        yield Sentence(
            "The edges of the bins of {columns!s} were learnt from another table; they are not protected.",
            columns=elsewhere,
        )
    if merged := tuple(name for name, one in learnt.items() if one.merged):
        yield Sentence(
            "There are fewer bins of {columns!s} than asked for: edges coincided and were merged.", columns=merged
        )
    for name, one in plan.bins.items():
        level, read = one.level, one.levels
        if level is not None and read is not None:
            yield Sentence(
                "{column!s} is released at level {level:d} of {file!s}.", column=name, level=level, file=read.file
            )
        elif level is not None:
            yield Sentence("{column!s} is released at level {level:d} of its coarser values.", column=name, level=level)


def said_of_suppression(plan: Plan) -> Iterator[Sentence]:
    """What a record's plan suppresses, and that neither this nor coarser values are a guarantee."""
    if plan.suppress_below is not None:
        yield Sentence(
            "Where fewer than {below:d} rows agree in {columns!s}, these values are missing."
            if plan.suppress_unit is None
            else "Where fewer than {below:d} persons agree in {columns!s}, these values are missing.",
            columns=plan.public,
            below=plan.suppress_below,
        )
    if _is_coarsened(plan):
        yield Sentence(
            "Coarsening and suppression are not differential privacy: someone who knows enough about a person may "
            "still recognise their row."
        )


def said_of_order(plan: Plan) -> Iterator[Sentence]:
    """That rows are in the table's order, where they are; records from before it was random do not say it."""
    if plan.keep_order:
        yield Sentence("Rows are in the table's order, which may reveal what their values do not.")


def said_of_formulas(output: Output) -> Iterator[Sentence]:
    """What whoever opens a release in a spreadsheet program should know."""
    if output.formulas:
        yield Sentence(FORMULAS, columns=output.formulas)


def _is_coarsened(plan: Plan) -> bool:
    """Whether public columns are at a level, or suppressed in part."""
    return plan.suppress_below is not None or any(
        one.level is not None for name, one in plan.bins.items() if name in plan.public
    )


_CALENDAR = (message("year"), message("quarter"), message("month"), message("week"), message("day"), message("hour"))


def _said_of_chosen(column: str, binning: str) -> Sentence:
    form, _, edges = binning.partition(":")
    if form in _CALENDAR:
        return Sentence(
            "The bins of {column!s} were chosen for this table: one for each {unit}.",
            column=column,
            unit=Sentence(form),
        )
    cuts = edges.split(",")
    return Sentence(
        "The bins of {column!s} were chosen for this table: {count}, with edges from {first!s} to {last!s}.",
        column=column,
        count=len(cuts) + 1,
        first=cuts[0],
        last=cuts[-1],
    )


_NEIGHBOURS = {
    (
        False,
        True,
    ): "Neighbouring tables differ in the values of one row; the number of rows and their order are public.",
    (False, False): "Neighbouring tables differ in the values of one row; the number of rows is public, and they are "
    "released in a random order.",
    (True, True): "Neighbouring tables differ in the values of all rows of one value of {column!r}, at most {rows}; "
    "the number of rows and their order are public. Claims of a single column are of one row.",
    (True, False): "Neighbouring tables differ in the values of all rows of one value of {column!r}, at most {rows}; "
    "the number of rows is public, and they are released in a random order. Claims of a single column are of one row.",
}
"""By whether persons are protected, and whether rows are in the table's order."""
_LETTERS = {
    THIS_TABLE: "The letters of {columns!s} were taken from this table; which values occur is not protected.",
    ANOTHER_TABLE: "The letters of {columns!s} were taken from another table; which values occur there is not "
    "protected.",
}
_DESIGNED = {
    PriorOrigin.THIS_TABLE: "The channels of {columns!s} were designed from this table; their ε holds for the fixed "
    "channel only.",
    PriorOrigin.ANOTHER_TABLE: "The channels of {columns!s} were designed from another table; their ε holds for the "
    "fixed channel only.",
}
_UNDER_A_PRIOR = {
    PriorOrigin.THIS_TABLE: "Levels under a prior of this table are as private as the table; keep this record inside.",
    PriorOrigin.ANOTHER_TABLE: "Levels under a prior of another table are as private as that table; keep this record "
    "inside.",
}
_TELLING = {
    True: "Keep this record inside: from the channels of {columns!s} the exact counts of the table can be computed; "
    "hand out the public record.",
    False: "Keep this record inside: the channels of {columns!s} do not say from which counts they were designed; "
    "hand out the public record.",
}
"""By whether the channel says from which prior it was designed."""


def assumptions(plan: Plan, claims: Mapping[str, Claims | None], *, simulated: bool) -> Iterator[Sentence]:
    """The assumptions of the claims, from the plan and the claims of a record."""
    persons: dict[str, Field] = {} if plan.unit is None else {"column": plan.unit, "rows": plan.rows_per_unit}
    yield Sentence(_NEIGHBOURS[plan.unit is not None, plan.keep_order], **persons)
    yield Sentence("The names and types of the columns are public.")
    yield Sentence(
        "Columns named as public are released as they are, or coarser, and are not protected."
        if _is_coarsened(plan)
        else "Columns named as public are released as they are, or in their bins, and are not protected."
        if set(plan.public).intersection(plan.bins)
        else "Columns named as public are released as they are and are not protected."
    )
    yield from said_of_noise(plan)
    yield from said_of_bins(plan)
    yield from said_of_suppression(plan)
    columns = plan.columns.values()
    for column in columns:
        if column.given:
            # What is public is not protected by anything, and whoever sees it knows it.
            yield Sentence(
                "The claims of {columns!s} are given the public columns that its channel reads, {given!s}: they "
                "compare two values of {columns!s} in rows that agree in these.",
                columns=column.writes,
                given=column.given,
            )
    for kind, caveat in CAVEATS.items():
        if meant := _written(column for column in columns if column.kind == kind):
            yield caveat(meant)
    if changed := _written(column for column in columns if column.unprotected):
        yield Sentence(
            "Some values of {columns!s} are changed so that they tell less of other columns. Nothing is promised of "
            "their own values: they count as public, and in no budget.",
            columns=changed,
        )
    if clamped := _written(column for column in columns if column.clamps):
        yield Sentence(
            "Released numbers of {columns!s} beyond the declared bounds are brought back to them; that reads the noisy "
            "number alone, so that every claim stays.",
            columns=clamped,
        )
    for letters in PRIVATE_LETTERS:
        if names := _written(column for column in columns if column.letters == letters):
            yield Sentence(_LETTERS[letters], columns=names)
    for prior in _DESIGNED:
        if names := _written(column for column in columns if column.channel_prior is prior):
            yield Sentence(_DESIGNED[prior], columns=names)
    priors = {claim.prior for claim in claims.values() if claim is not None}
    for prior in _UNDER_A_PRIOR:
        if prior in priors:
            yield Sentence(_UNDER_A_PRIOR[prior])
    telling = [column for column in columns if column.follows_from_counts]
    for known in _TELLING:
        if names := _written(column for column in telling if (column.channel_prior is not None) is known):
            yield Sentence(_TELLING[known], columns=names)
    if simulated:
        yield Sentence(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )


def _written(columns: Iterable[PlannedColumn]) -> tuple[str, ...]:
    return tuple(name for column in columns for name in column.writes)
