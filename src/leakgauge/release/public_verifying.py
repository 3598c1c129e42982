"""What can be checked of a public record, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leakgauge.artefacts import PublicRecord, Sentence
from leakgauge.artefacts.record import Check, PlannedColumn, keep_inside
from leakgauge.errors import LeakgaugeError, VerificationError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.steps import Step
from leakgauge.release.checking import agree, checked, same
from leakgauge.release.planned import mechanism_of
from leakgauge.release.public_record import column_levels, column_steps, lacking, lacks_letters, may_be_lacking
from leakgauge.release.record import NEIGHBOURS, UNIT_OF_PROTECTION, assumptions, budget_of, together_of


def public_checks(record: PublicRecord, place: Path) -> Iterator[Check]:
    """Every check of a public record but that of its release; what it leaves out is named, and not looked at."""
    plan = record.plan
    planned = [*plan.public, *(name for column in plan.columns.values() for name in column.writes)]
    yield same(Sentence("columns of the plan"), sorted(record.output.columns), sorted(planned))
    steps: list[Step] = []
    for name, column in plan.columns.items():
        claimed, plan_of_column = record.claims[name], Sentence("plan of {column!s}", column=name)
        if claimed is None:
            yield same(plan_of_column, [column.epsilon, column.channel], [None, None])
            continue
        mechanism = _mechanism(column, place)
        yield same(plan_of_column, column.epsilon, mechanism.parameters.get("epsilon"))
        steps += column_steps(column, claimed, mechanism)
        computed = column_levels(column, mechanism)
        differ = tuple(notion for notion, level in computed.items() if not agree(claimed.levels.get(notion), level))
        yield checked(Sentence("claims of {column!s}", column=name), not differ, other_levels(differ))
        under_prior = tuple(sorted(set(claimed.levels) - set(computed)))
        if under_prior:
            yield unknown_prior(name, under_prior)
    said = (record.unit_of_protection, record.neighbours)
    yield same(Sentence("unit of protection"), said, (UNIT_OF_PROTECTION, NEIGHBOURS))
    yield same(Sentence("kept inside"), record.keep_inside, keep_inside(plan, record.claims))
    assumed = tuple(assumptions(plan, record.claims, simulated=not record.private))
    yield same(Sentence("assumptions"), record.assumptions, assumed)
    yield from _totals(record, tuple(steps))
    found = set(map(str, record.left_out))
    needed = set(map(str, lacking(plan, record.claims, simulated=not record.private)))
    listed = needed <= found <= needed.union(map(str, may_be_lacking(plan)))
    yield checked(Sentence("what is left out"), listed, Sentence("it does not list what the record lacks"))
    for left_out in record.left_out:
        yield Check(left_out, None, Sentence("the public record leaves it out"))
    reason = Sentence("a public record holds no hash of the ledger; check the record itself")
    yield Check(Sentence("ledger"), None, reason)


def other_levels(notions: tuple[str, ...]) -> Sentence:
    """Why claims do not hold."""
    return Sentence("{notions!s} computed again gives another level", notions=notions)


def unknown_prior(column: str, notions: tuple[str, ...]) -> Check:
    """The check of levels that cannot be computed again."""
    reason = Sentence("{notions!s} rest on a prior that is not kept", notions=notions)
    return Check(Sentence("claims of {column!s} under a prior", column=column), None, reason)


def _totals(record: PublicRecord, steps: tuple[Step, ...]) -> Iterator[Check]:
    if None in record.claims.values():
        if (record.together, record.budget) != (None, None):
            reason = Sentence("they are given without the claims that they follow from")
            yield Check(Sentence("guarantee and budget"), False, reason)
        return
    origin, spent = record.plan.origin, record.budget
    yield same(Sentence("guarantee of all columns together"), record.together, together_of(steps, origin))
    computed = budget_of(steps, origin)
    said = None if spent is None else (spent.epsilon, spent.rho)
    yield same(Sentence("budget spent"), said, (computed.epsilon, computed.rho))


def _mechanism(column: PlannedColumn, place: Path) -> Mechanism:
    try:
        channel = None if column.channel is None else column.channel.named(place)
        # Any values will do where they are left out: what is computed then follows from ε alone.
        return mechanism_of(column, channel, ("a", "b") if lacks_letters(column) else None)
    except LeakgaugeError as error:
        raise VerificationError("{path} names a mechanism that is none: {reason}", path=place, reason=error) from None
