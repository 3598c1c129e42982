"""Leaves 14, 15 and 19: what people answered."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Evidence, Standing, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import ASKED, INDICATORS
from leakgauge.sentences import Sentence


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The same whatever is released."""
    return expected(protected.setting, context)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """How many people gave each of the five answers."""
    return tuple(_evidence(leaf, context.answers.get(leaf)) for leaf in ASKED)


def _evidence(leaf: str, answers: tuple[int, ...] | None) -> Evidence:
    if answers is None or not sum(answers):
        return missing(leaf, Sentence("Nobody was asked; hand out the questionnaire."))
    return Evidence(
        leaf,
        Standing.ASKED,
        Sentence("The answers of {people:d} people.", people=sum(answers)),
        unit=INDICATORS[leaf].unit,
        answers=answers,
    )
