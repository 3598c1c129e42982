"""A risk appetite as data: limits that an assessment must keep."""

from __future__ import annotations

import reprlib
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from leakgauge.artefacts.assessment import Grade, PolicyLine
from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.assessment import Assessment
from leakgauge.assessment.indicators import INDICATORS
from leakgauge.assessment.intervals import Interval
from leakgauge.errors import FileError, OptionError, did_you_mean
from leakgauge.probability.files import parsed_toml, require_schema
from leakgauge.sentences import Sentence, in_turn

POLICY_SCHEMA = "leakgauge/policy/1"
_SCORES = ("min_privacy", "min_utility", "min_score")
_ROUNDING = 1e-9
"""A level computed from a channel is rounded up in its last digits, which is no reason to refuse it."""


@dataclass(frozen=True)
class Policy:
    """Limits; those left out are None and ask nothing.

    Attributes:
        max_leakage_bits: of mutual information between the data and the release.
        max_epsilon: in nats: the largest of what the column claims, what all columns of the release claim together and
            what an audit shows, times the releases per period.
        max_attack_advantage: what the best attack gains, as a share of what it gains from the raw data.
        max_alone: the share of rows that may stand alone in the columns that are published as they are.
        min_k: the rows, or persons, that every group of rows has at least that agree in these columns.
        target_grade: the least grade, after vetoes.

    Raises:
        OptionError: a limit that is no number of at least 0, a score above 100, or a ``min_k`` that is not whole.
    """

    max_leakage_bits: float | None = None
    max_epsilon: float | None = None
    max_delta: float | None = None
    max_attack_advantage: float | None = None
    min_privacy: float | None = None
    min_utility: float | None = None
    min_score: float | None = None
    target_grade: Grade | None = None
    max_alone: float = 0.05
    min_k: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or field.name == "target_grade":
                continue
            if field.name == "min_k" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise OptionError("min_k is {value!s}; give a whole number from 1 on.", value=reprlib.repr(value))
            most = 100.0 if field.name in _SCORES else 1.0 if field.name == "max_alone" else sys.float_info.max
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
                raise OptionError(
                    "{name!s} is {value!s}; give a number {range}.",
                    name=field.name,
                    value=reprlib.repr(value),
                    range="from 0 to 100" if field.name in _SCORES else "from 0 to 1" if most == 1 else "of at least 0",
                )

    def judge(
        self,
        assessment: Assessment,
        *,
        together: float | None = None,
        shown: float | None = None,
        alone: float | None = None,
        smallest: int | None = None,
        releases_per_period: float = 1.0,
    ) -> tuple[PolicyLine, ...]:
        """Every limit that is set, with what was found of a column; any veto is a line that fails.

        Upper limits are held against the upper ends of intervals, lower limits against the lower ends: in doubt a
        release is not allowed.

        Args:
            assessment: of one column.
            together: the ε in nats that all columns of the release claim together; None where it is not known.
            shown: the largest ε in nats that an audit shows.
            alone: the share of rows that stand alone in the public columns; None where there are none.
            smallest: the rows, or persons, of the smallest group of rows that agree in them; None where there are none.
            releases_per_period: by which ε is multiplied: every release spends it again.
        """
        held = {one.limit: assessment.evidence.get(one.leaf) for one in INDICATORS.values() if one.limit}
        lines = [
            _below("max_leakage_bits", self.max_leakage_bits, held["max_leakage_bits"]),
            self._budget(held["max_epsilon"], together, shown, releases_per_period),
            _below("max_delta", self.max_delta, held["max_delta"]),
            _below("max_attack_advantage", self.max_attack_advantage, held["max_attack_advantage"]),
            None if alone is None else PolicyLine("max_alone", self.max_alone, alone, alone <= self.max_alone),
            None
            if smallest is None or self.min_k is None
            else PolicyLine("min_k", float(self.min_k), float(smallest), smallest >= self.min_k),
            _above("min_privacy", self.min_privacy, assessment.privacy, assessment.privacy_interval),
            _above("min_utility", self.min_utility, assessment.utility, assessment.utility_interval),
            _above("min_score", self.min_score, assessment.score, assessment.interval),
        ]
        if self.target_grade is not None:
            kept = assessment.grade >= self.target_grade
            asked, found = Sentence(self.target_grade.value), Sentence(assessment.grade.value)
            lines.append(PolicyLine("target_grade", asked, found, kept))
        if assessment.vetoes:
            found = in_turn(veto.reason for veto in assessment.vetoes)
            lines.append(PolicyLine("vetoes", Sentence("none"), found, holds=False))
        return tuple(line for line in lines if line is not None)

    def _budget(
        self, claimed: Evidence | None, together: float | None, shown: float | None, releases: float
    ) -> PolicyLine | None:
        if self.max_epsilon is None:
            return None
        own = claimed.interval[1] if claimed is not None and claimed.value is not None else None
        if own is None and together is None:
            # What an audit shows is a lower bound only: without a claim nothing is known.
            return PolicyLine("max_epsilon", self.max_epsilon, None, holds=False)
        known = (
            (Sentence("ε of the column's claim"), own),
            (Sentence("ε of all columns together"), together),
            (Sentence("ε of what the audit shows"), shown),
        )
        levels = [(level, of, at) for at, (of, level) in enumerate(known) if level is not None]
        # Another name needs to be larger by more than rounding.
        most, of, _ = max(levels, key=lambda one: one[0] * (1 - _ROUNDING * one[2]))
        found = most * releases
        if releases != 1:
            of = Sentence("{of}, times {releases:g} releases per period", of=of, releases=releases)
        return PolicyLine("max_epsilon", self.max_epsilon, found, found <= self.max_epsilon * (1 + _ROUNDING), of)


def read_policy(path: Path | str) -> Policy:
    """The policy in a TOML file.

    Raises:
        FileError: it cannot be read, or holds something else than limits.
    """
    place = Path(path)
    limits = parsed_toml(place)
    if "schema" in limits:
        require_schema(limits, POLICY_SCHEMA, place)
        del limits["schema"]
    known = [field.name for field in fields(Policy)]
    for name in limits:
        if name not in known:
            raise FileError(
                "{path} sets {name!r}, which is no limit; {hint}", path=place, name=name, hint=did_you_mean(name, known)
            )
    if not limits:
        raise FileError("{path} sets no limit; write lines such as max_epsilon = 1.0.", path=place)
    grade = limits.get("target_grade")
    if grade is not None:
        grades = {one.value: one for one in Grade}
        if not isinstance(grade, str) or grade not in grades:
            raise FileError(
                "{path}: target_grade is {value!r}; give one of {known!s}.",
                path=place,
                value=grade,
                known=", ".join(grades),
            )
        limits["target_grade"] = grades[grade]
    try:
        Policy(**limits)
    except OptionError as error:
        raise FileError("{path}: {fault}", path=place, fault=error) from None
    as_they_are = ("target_grade", "min_k")
    numbers: dict[str, Any] = {name: one if name in as_they_are else float(one) for name, one in limits.items()}
    return Policy(**numbers)


def _below(name: str, limit: float | None, evidence: Evidence | None) -> PolicyLine | None:
    if limit is None:
        return None
    high = None if evidence is None or evidence.standing is Standing.MISSING else evidence.interval[1]
    return PolicyLine(name, limit, high, high is not None and high <= limit * (1 + _ROUNDING))


def _above(name: str, limit: float | None, score: float | None, interval: Interval | None) -> PolicyLine | None:
    if limit is None:
        return None
    low = score if interval is None else interval[0]
    return PolicyLine(name, limit, low, low is not None and low >= limit)
