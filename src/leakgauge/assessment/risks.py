"""The three risks of a release in people: who is singled out, whose row is found, whose secret is inferred."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.risks import PEOPLE, Certain, Risk, RiskKind
from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.artefacts.verdict import Judgement
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.assessment.scores.policy import Policy
from leakgauge.case.case import Case
from leakgauge.case.certainty import worst_certain
from leakgauge.case.law import Sight
from leakgauge.case.linked_people import LinkedPeople, linked_people
from leakgauge.case.secret_values import SecretValues


def singling_out(case: Case, published: Sequence[str], limit: float | None = None) -> Risk:
    """People who are alone in the published columns; without the release nobody is.

    Args:
        limit: the largest share of people that is allowed (``max_alone``).
    """
    found = linked_people(case.table, tuple(published), case.unit) if published else None
    alone, people = (0, case.people) if found is None else (found.alone, found.people)
    return Risk(
        kind=RiskKind.SINGLING_OUT,
        before=_people(0),
        after=_people(alone),
        of=_people(people),
        limit=limit,
        met=_is_met(alone / people, limit),
        attacker=AttackerName.KNOWS_COLUMNS,
        links=tuple(published),
    )


def linking(case: Case, links: Sequence[str], limit: float | None = None) -> Risk:
    """People whose row is found by somebody who knows their values in the published columns.

    Args:
        links: published columns that she knows. Columns with noise do not help her.
        limit: the largest share of people whose row may be the only one in question (``max_linked``).
    """
    return linking_of(linked_people(case.table, tuple(links), case.unit), links, limit)


def linking_of(linked: LinkedPeople, links: Sequence[str], limit: float | None = None) -> Risk:
    """The same of people who were looked for otherwise, such as in a release made elsewhere."""
    return Risk(
        kind=RiskKind.LINKING,
        # A guess among all rows finds one person on average, however many rows people have.
        before=_people(1),
        after=_people(linked.expected),
        of=_people(linked.people),
        limit=limit,
        met=_is_met(linked.alone / linked.people, limit),
        attacker=AttackerName.KNOWS_COLUMNS,
        links=tuple(links),
        only=_people(linked.alone),
    )


def inferring(
    attacker: Attacker,
    secret: tuple[str, ...],
    people: int,
    *,
    certain: Certain | None = None,
    guessed: tuple[float, float] | None = None,
    limit: float | None = None,
) -> Risk:
    """People whose secret the deciding attacker guesses, before the release and with it.

    Args:
        certain: of the worst-off value, as far as a law says it.
        guessed: the shares guessed before and after; by default as the attacker says, who does not of numbers.
        limit: the most that ``surest`` may be, as a share (``max_surest``); what is unknown misses it.
    """
    before, after = _guessed(attacker, people) if guessed is None else (_people(people * one) for one in guessed)
    most = 1.0 if attacker.surest is None else attacker.surest.ends[1]
    return Risk(
        kind=RiskKind.INFERRING,
        before=before,
        after=after,
        of=_people(people),
        limit=limit,
        met=_is_met(most, limit),
        attacker=attacker.name,
        knows=attacker.knows,
        links=attacker.links,
        secret=secret,
        certain=certain,
        surest=attacker.surest,
    )


def inferring_by_law(
    attacker: Attacker,
    secret: tuple[str, ...],
    people: int,
    sight: Sight,
    values: SecretValues,
    limit: float | None = None,
) -> Risk:
    """The same with those of the worst-off value who become all but certain, where it is known what is seen.

    Numbers are guessed by tenths of their ranks.
    """
    sight = values.in_kinds(sight)
    return inferring(
        attacker,
        secret,
        people,
        certain=worst_certain(sight, people, values.names),
        guessed=(sight.before.guessed(), sight.guessed()),
        limit=limit,
    )


def _guessed(attacker: Attacker, people: int) -> tuple[Quantity | None, Quantity | None]:
    """Guessed right: 1 − left before, and of the rest the share that is gained; None of numbers."""
    left, gained = attacker.left, attacker.gained
    if left is None:
        return None, None
    if gained is None:
        return _people(people * (1 - left)), None
    low, high = (None if end is None else people * (1 - left + left * end) for end in (gained.low, gained.high))
    after = Quantity(people * (1 - left + left * gained.value), PEOPLE, low, high, gained.confidence)
    return _people(people * (1 - left)), after


def _people(number: float) -> Quantity:
    return Quantity(float(number), PEOPLE)


def _is_met(found: float, limit: float | None) -> bool | None:
    return None if limit is None else found <= limit


def with_risks(found: Judgement, going: Outgoing, policy: Policy) -> Judgement:
    """The judgement with its three risks in people."""
    case, published, facts = going.case, going.plan.public, found.facts
    # Columns that were accepted to identify people single them out all the same; the limits are on the others.
    alone, linked = (
        msgspec.structs.replace(one, limit=limit, met=None if limit is None else (share or 0.0) <= limit)
        for one, limit, share in (
            (singling_out(case, published), policy.max_alone, facts.alone),
            (linking(case, published), policy.max_linked, facts.linked),
        )
    )
    return msgspec.structs.replace(found, risks=(alone, linked, inferred(found, case.people, policy)))


def inferred(found: Judgement, people: int, policy: Policy) -> Risk:
    """Of the deciding secret, by the attacker who decides its protection."""
    scores, most = found.scores[found.deciding], policy.max_surest
    deciding = msgspec.structs.replace(scores.attacker, surest=scores.surest_of.surest)
    limit = None if most is None else most / 100
    risk = inferring(deciding, (found.deciding,), people, certain=found.facts.certain, limit=limit)
    return msgspec.structs.replace(risk, surest_of=scores.surest_of)
