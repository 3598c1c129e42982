"""A risk appetite as data: limits that an assessment must keep."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from leakgauge.assessment.assessment import Assessment
from leakgauge.assessment.evidence import Evidence, Standing
from leakgauge.assessment.grades import Grade
from leakgauge.errors import FileError, did_you_mean
from leakgauge.probability.files import parsed_toml, require_schema

POLICY_SCHEMA = "leakgauge/policy/1"


@dataclass(frozen=True)
class Line:
    """One limit and what was found.

    Attributes:
        name: of the limit in the policy.
        limit: what is asked.
        found: what is known; None where nothing is, which fails the line: what is not known is not kept.
        holds: whether it is kept.
    """

    name: str
    limit: float | str
    found: float | str | None
    holds: bool


@dataclass(frozen=True)
class Policy:
    """Limits; those left out are None and ask nothing.

    Attributes:
        max_leakage_bits: of mutual information between the data and the release.
        max_epsilon: of the claim, in nats.
        max_attack_advantage: what the best attack gains, as a share of what it gains from the raw data.
        min_privacy: of the privacy score.
        min_utility: of the utility score.
        min_score: of the score.
        target_grade: the least grade, after vetoes.
    """

    max_leakage_bits: float | None = None
    max_epsilon: float | None = None
    max_attack_advantage: float | None = None
    min_privacy: float | None = None
    min_utility: float | None = None
    min_score: float | None = None
    target_grade: Grade | None = None

    def judge(self, assessment: Assessment) -> tuple[Line, ...]:
        """Every limit that is set, with what was found.

        Upper limits are held against the upper ends of intervals, lower limits against the lower ends: in doubt a
        release is not allowed.
        """
        lines = [
            _below("max_leakage_bits", self.max_leakage_bits, assessment.evidence.get("6")),
            _below("max_epsilon", self.max_epsilon, assessment.evidence.get("3")),
            _below("max_attack_advantage", self.max_attack_advantage, assessment.evidence.get("5")),
            _above("min_privacy", self.min_privacy, assessment.privacy, assessment.privacy_interval),
            _above("min_utility", self.min_utility, assessment.utility, assessment.utility_interval),
            _above("min_score", self.min_score, assessment.score, assessment.interval),
        ]
        if self.target_grade is not None:
            kept = assessment.grade >= self.target_grade
            lines.append(Line("target_grade", self.target_grade.value, assessment.grade.value, kept))
        return tuple(line for line in lines if line is not None)


def read_policy(path: Path | str) -> Policy:
    """The policy in a TOML file.

    Raises:
        FileError: it cannot be read, or holds something else than limits.
    """
    place = Path(path)
    found = parsed_toml(place)
    if "schema" in found:
        require_schema(found, POLICY_SCHEMA, place)
    limits = {name: value for name, value in found.items() if name != "schema"}
    known = [field.name for field in fields(Policy)]
    for name, value in limits.items():
        if name not in known:
            raise FileError(
                "{path} sets {name!r}, which is no limit; {hint}", path=place, name=name, hint=did_you_mean(name, known)
            )
        limits[name] = _limit(name, value, place)
    if not limits:
        raise FileError("{path} sets no limit; write lines such as max_epsilon = 1.0.", path=place)
    return Policy(**limits)


def _limit(name: str, value: Any, place: Path) -> float | Grade:
    if name == "target_grade":
        if value not in [grade.value for grade in Grade]:
            raise FileError(
                "{path}: target_grade is {value!r}; give one of {known}.",
                path=place,
                value=value,
                known=", ".join(grade.value for grade in Grade),
            )
        return Grade(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise FileError("{path}: {name} is {value!r}; give a number of at least 0.", path=place, name=name, value=value)
    return float(value)


def _below(name: str, limit: float | None, evidence: Evidence | None) -> Line | None:
    if limit is None:
        return None
    if evidence is None or evidence.standing is Standing.MISSING:
        return Line(name, limit, None, holds=False)
    high = evidence.interval[1]
    # A level computed from a channel is rounded up in its last digits, which is no reason to refuse it.
    return Line(name, limit, high, high <= limit * (1 + 1e-9))


def _above(name: str, limit: float | None, score: float | None, interval: tuple[float, float] | None) -> Line | None:
    if limit is None:
        return None
    low = score if interval is None else interval[0]
    return Line(name, limit, low, low is not None and low >= limit)
