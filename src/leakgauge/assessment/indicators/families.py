"""The registry: which file knows which leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators import (
    accuracy,
    asked,
    attacks,
    capabilities,
    claims,
    columns,
    costs,
    information,
    noise,
    transmission,
)
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting


@dataclass(frozen=True)
class Family:
    """Leaves that are found together.

    Attributes:
        leaves: their keys, in the order of the evidence.
        measured: their evidence from what went in and came out.
        expected: their evidence from the law.
    """

    leaves: tuple[str, ...]
    measured: Callable[[Protected, Context], tuple[Evidence, ...]]
    expected: Callable[[Setting, Context], tuple[Evidence, ...]]


FAMILIES = (
    Family(("1", "2", "3", "4"), claims.measured, claims.expected),
    Family(("5",), attacks.measured, attacks.expected),
    Family(("6", "7", "8", "9"), information.measured, information.expected),
    Family(("10", "11", "12", "13"), accuracy.measured, accuracy.expected),
    Family(("14", "15", "19"), asked.measured, asked.expected),
    Family(("16", "18"), columns.measured, columns.expected),
    Family(("20", "21", "22", "23"), capabilities.measured, capabilities.expected),
    Family(("24", "25"), costs.measured, costs.expected),
    Family(("26", "27"), transmission.measured, transmission.expected),
    Family(("28", "29"), noise.measured, noise.expected),
)
"""Every leaf once."""
