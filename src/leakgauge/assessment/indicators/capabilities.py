"""Leaves 20 to 23: what the mechanism can be run on, against this table."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.indicators.source import NUMERIC
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.mechanisms import Capabilities, NoisyNumber
from leakgauge.mechanisms.finite import COUNTABLE
from leakgauge.release.binding import LARGEST_ALPHABET
from leakgauge.sentences import Sentence


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The same whatever is drawn."""
    return expected(protected.setting, context)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Shares of ways of use, of rows and of columns."""
    form, able = setting.form, abilities(setting)
    columns = setting.source.columns
    # A histogram counts values of any countable kind; its bins are letters.
    kinds = COUNTABLE if form is Form.ANSWERS else able.columns
    bounded = form is not Form.NUMBERS
    sizes = [not bounded or one.distinct <= LARGEST_ALPHABET for one in columns]
    ways = (bool(able.columns), able.answers, able.finite)
    return (
        INDICATORS["20"].evidence(
            form,
            sum(ways) / len(ways),
            Sentence("Of three ways of use those that are declared: rows, answers, a finite channel."),
            standing=Standing.DECLARED,
        ),
        INDICATORS["21"].evidence(
            form, _taken(setting), Sentence("The share of the rows that the mechanism takes as they are.")
        ),
        INDICATORS["22"].evidence(
            form,
            sum(sizes) / len(sizes),
            Sentence("The share of the columns with at most {most:d} different values.", most=LARGEST_ALPHABET)
            if bounded
            else Sentence("Numbers may have as many different values as they like."),
        ),
        INDICATORS["23"].evidence(
            form,
            sum(one.kind in kinds for one in columns) / len(columns),
            Sentence("The share of the columns that are of a kind the mechanism takes."),
        ),
    )


def abilities(setting: Setting) -> Capabilities:
    """What is declared; noise is for columns with bounds and for answers with a sensitivity alike."""
    declared = setting.mechanism.capabilities
    if isinstance(setting.mechanism, NoisyNumber):
        return Capabilities(NUMERIC, True, declared.finite)
    return declared


def _taken(setting: Setting) -> float:
    """Numbers that are neither missing nor clamped; letters and counts are all taken."""
    if setting.form is not Form.NUMBERS:
        return 1.0
    assert setting.noise is not None
    span = setting.noise.span
    assert span.lowest is not None and span.highest is not None
    numbers = setting.source.numbers
    # Half a step beyond a bound is rounded to it like everywhere on the grid.
    low, high = ((end + more) * span.grid for end, more in ((span.lowest, -0.5), (span.highest, 0.5)))
    return float(np.mean((numbers >= low) & (numbers <= high)))
