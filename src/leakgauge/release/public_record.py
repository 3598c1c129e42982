"""The public record: what may be handed out with a release, without anything that follows from private counts.

It is built from nothing but fields that are named here, so a field that is new in a record is left out until somebody
decides that it may be handed out. No digest of the record and no hash of the ledger are in it: whoever guesses the
counts could confirm the guess with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from leakgauge.artefacts import Level, PublicRecord, Record, Sentence
from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.record import Claims, LedgerPlace, Plan, PlannedColumn, PublicBudget, Together
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.steps import Claimed, Step
from leakgauge.release.priors import histogram_steps
from leakgauge.release.record import (
    NEIGHBOURS,
    THIS_TABLE,
    UNIT_OF_PROTECTION,
    assumptions,
    budget_of,
    claims_of,
    implied_levels,
    path_from,
    together_of,
)

OF_THE_LEDGER: Final = Sentence("hash of the ledger")
WITHHELD = "withheld"
"""In place of a mechanism that was chosen by what it does to the table."""


def public_place(output: Path) -> Path:
    """Where the public record of a release lies unless it is told otherwise."""
    return output.with_name(output.name + ".public.json")


def make_public_record(
    record: Record,
    mechanisms: Mapping[str, Mechanism],
    output: Path,
    place: Path,
    *,
    chosen_from_table: bool = False,
) -> PublicRecord:
    """The public record, sealed.

    Args:
        record: of the release.
        mechanisms: by the names of the plan's columns.
        output: the release.
        place: of the public record.
        chosen_from_table: whether the mechanisms were chosen by what they do to the table, so that which ones they are
            tells of its counts.
    """
    private = [name for name, one in record.plan.columns.items() if chosen_from_table or one.follows_from_counts]
    plan = Plan(
        public=record.plan.public,
        columns={
            name: _withheld(column) if chosen_from_table else _column(column)
            for name, column in record.plan.columns.items()
        },
        # The bins are the labels of the released file.
        bins=record.plan.bins,
    )
    claims = {
        name: None if name in private else _claims(column, record.claims[name], mechanisms[name])
        for name, column in plan.columns.items()
    }
    together, budget = _totals(plan, claims, mechanisms, record)
    return sealed(
        PublicRecord(
            reference=record.reference,
            created=record.created,
            private=record.private,
            keep_inside=False,
            rows=record.rows,
            output=replace(record.output, file=path_from(place, output)),
            plan=plan,
            unit_of_protection=UNIT_OF_PROTECTION,
            neighbours=NEIGHBOURS,
            claims=claims,
            together=together,
            budget=budget,
            assumptions=tuple(assumptions(plan, claims, simulated=not record.private)),
            left_out=tuple(_left_out(record, plan, claims)),
            versions=record.versions,
        )
    )


def column_steps(column: PlannedColumn, claim: Claims, mechanism: Mechanism) -> tuple[Step, ...]:
    """What a column of a record costs: by its law, or by its claim where its letters are left out."""
    step = Claimed(mechanism.claims[0]) if lacks_letters(column) else mechanism.step()
    return (step, *bought_steps(claim))


def bought_steps(claim: Claims) -> tuple[Step, ...]:
    """What the noisy histogram costs that claims rest on."""
    return () if claim.prior_epsilon is None else histogram_steps(claim.prior_epsilon)


def column_levels(column: PlannedColumn, mechanism: Mechanism) -> dict[str, Level]:
    """What a column of a record guarantees one row whatever the prior."""
    if lacks_letters(column):
        return implied_levels(mechanism.claims, column.origin)
    return claims_of(column, mechanism).levels


def lacks_letters(column: PlannedColumn) -> bool:
    """Whether the letters of a planned column are left out: how many there are tells of the table too."""
    return column.letters == THIS_TABLE and "letters=" not in column.mechanism and column.mechanism != WITHHELD


def _withheld(column: PlannedColumn) -> PlannedColumn:
    """A planned column without its mechanism."""
    return PlannedColumn(WITHHELD, None, column.reads, column.writes, column.letters, None, None)


def _column(column: PlannedColumn) -> PlannedColumn:
    """A planned column without the values that were taken from the table and without a channel of private counts."""
    if column.follows_from_counts:
        return replace(column, mechanism=column.kind, epsilon=None, channel=None)
    if column.letters == THIS_TABLE:
        return replace(column, mechanism=re.split("[,:]letters=", column.mechanism, maxsplit=1)[0], channel=None)
    return column


def _claims(column: PlannedColumn, said: Claims, mechanism: Mechanism) -> Claims:
    if not said.is_private and not lacks_letters(column):
        return said
    return Claims(
        prior=None if said.is_private else said.prior,
        prior_epsilon=None if said.is_private else said.prior_epsilon,
        exact=said.exact and not lacks_letters(column),
        levels=column_levels(column, mechanism),
    )


def _totals(
    plan: Plan, claims: Mapping[str, Claims | None], mechanisms: Mapping[str, Mechanism], record: Record
) -> tuple[dict[str, Together] | None, PublicBudget | None]:
    """What all columns guarantee and cost together; None where that of one of them is left out."""
    known = {name: claim for name, claim in claims.items() if claim is not None}
    if len(known) < len(claims):
        return None, None
    columns = plan.columns.items()
    steps = tuple(step for name, column in columns for step in column_steps(column, known[name], mechanisms[name]))
    ledger, spent = record.budget.ledger, budget_of(steps, plan.origin)
    counted = None if ledger is None else LedgerPlace(ledger.dataset, ledger.entry)
    return together_of(steps, plan.origin), PublicBudget(spent.epsilon, spent.rho, counted)


def _left_out(record: Record, plan: Plan, claims: Mapping[str, Claims | None]) -> Iterator[Sentence]:
    """The names of what the record has and the public record does not."""
    yield from lacking(plan, claims, simulated=not record.private)
    for name, column in plan.columns.items():
        claim = claims[name]
        if claim is not None and claim.prior is None and record.claims[name].prior is not None:
            yield _under_a_prior(column)
    if record.budget.ledger is not None:
        yield OF_THE_LEDGER


def lacking(plan: Plan, claims: Mapping[str, Claims | None], *, simulated: bool) -> Iterator[Sentence]:
    """The names of what a public record leaves out, as far as the rest of it tells."""
    if simulated:
        yield Sentence("seed of the simulation")
    for name, column in plan.columns.items():
        if column.mechanism == WITHHELD:
            yield Sentence("mechanism of {column!s}", column=column.writes)
        elif lacks_letters(column):
            yield Sentence("letters of {column!s}", column=column.writes)
        elif column.kind == "channel" and column.channel is None:
            yield Sentence("channel of {column!s}", column=column.writes)
        if claims[name] is None:
            yield Sentence("claims of {column!s}", column=column.writes)
    if None in claims.values():
        yield from (Sentence("together"), Sentence("budget"))
    yield Sentence("digest of the record")


def may_be_lacking(plan: Plan) -> tuple[Sentence, ...]:
    """The names of what a public record may leave out without anything else that shows it."""
    return (OF_THE_LEDGER, *map(_under_a_prior, plan.columns.values()))


def _under_a_prior(column: PlannedColumn) -> Sentence:
    return Sentence("claims of {column!s} under a prior", column=column.writes)
