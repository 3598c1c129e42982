"""Leaves 14, 15 and 19: what people answered."""

from __future__ import annotations

from leakgauge.assessment.evidence import Evidence, Standing, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import ASKED, INDICATORS


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The same whatever is released."""
    return expected(protected.setting, context)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """How many people gave each of the five answers."""
    return tuple(_evidence(leaf, context.answers.get(leaf)) for leaf in ASKED)


def _evidence(leaf: str, answers: tuple[int, ...] | None) -> Evidence:
    if answers is None or not sum(answers):
        return missing(leaf, "Nobody was asked; hand out the questionnaire.")
    return Evidence(
        leaf, Standing.ASKED, f"The answers of {sum(answers)} people.", unit=INDICATORS[leaf].unit, answers=answers
    )
