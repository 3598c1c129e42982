"""All indicators, and their evidence of one protected column."""

from __future__ import annotations

from collections.abc import Iterable

from leakgauge.artefacts import Audit
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.indicators import accuracy, attacks, claims, costs, information, properties, questionnaire
from leakgauge.assessment.indicators.attacks import Audited, audited_in
from leakgauge.assessment.indicators.indicator import Context, Family
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.questionnaire import ASKED, Questionnaire, answered

FAMILIES: tuple[Family, ...] = (
    claims.FAMILY,
    attacks.FAMILY,
    information.FAMILY,
    accuracy.FAMILY,
    questionnaire.FAMILY,
    properties.FAMILY,
    costs.FAMILY,
)
INDICATORS = {one.id: one for family in FAMILIES for one in family.indicators}


def collect(
    protected: ProtectedColumn,
    *,
    audit: Audited | Audit | None = None,
    questionnaire: Questionnaire | None = None,
    releases_per_period: float = 1.0,
    stored: Iterable[Evidence] = (),
    simulation_seed: int = 0,
    confidence: float = 0.95,
) -> tuple[Evidence, ...]:
    """One piece of evidence for each indicator, measured where it can be; missing ones say why.

    Args:
        audit: of the release, or of the column alone; without it what an audit shows is missing.
        questionnaire: what people answered; without it what people are asked is missing.
        releases_per_period: how often such a release is made.
        stored: evidence of an earlier verdict, from which space and time are taken instead of run again.
        simulation_seed: for intervals and samples.
        confidence: of the intervals; an audit has its own.

    Raises:
        VerificationError: the audit is of another release.
        FileError: an audit without the column.
        OptionError: a number of releases that is not above 0, or a confidence that is not between 0 and 1.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.assessment.indicators.protected import protected_column
        >>> from leakgauge.mechanisms import randomized_response
        >>> from leakgauge.randomness import Simulated
        >>> from leakgauge.tables import open_table
        >>> people = open_table(pa.table({"illness": ["flu", "none", "none", "cold"] * 500}))
        >>> response = randomized_response(1.0, letters=["flu", "none", "cold"])
        >>> made = collect(protected_column(people, "illness", response, Simulated(1)))
        >>> len(made), made[2].leaf, made[2].value
        (28, '3', 1.0)
    """
    context = Context(
        audited_in(audit, protected) if isinstance(audit, Audit) else audit,
        {} if questionnaire is None else questionnaire.answers,
        releases_per_period,
        {one.leaf: one for one in stored},
        simulation_seed,
        confidence,
    )
    every = (evidence for family in FAMILIES for evidence in family.measured(protected, context))
    return tuple(sorted(every, key=lambda one: int(one.leaf)))


def asked_leaves(diagram: Diagram) -> tuple[str, ...]:
    """The leaves that people may be asked about: the default three, and those of a diagram that nothing measures."""
    known = {one.leaf for one in INDICATORS.values()}
    return (*ASKED, *(leaf for leaf in diagram.leaves if leaf not in known))


def answered_beyond(questionnaire: Questionnaire | None) -> tuple[Evidence, ...]:
    """Evidence of the leaves of a diagram of one's own that people answered."""
    known = {one.leaf for one in INDICATORS.values()}
    answers = {} if questionnaire is None else questionnaire.answers
    return tuple(answered(leaf, counts) for leaf, counts in answers.items() if leaf not in known)
