"""Five grades of a score from 0 to 100."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering

from leakgauge.errors import OptionError


@total_ordering
class Grade(Enum):
    """How good the protection is, from very poor to very good; they compare as they rank.

    Example:
        >>> grade_of(40), grade_of(39.9) < Grade.MEDIUM, Grade.MEDIUM.label
        (<Grade.MEDIUM: 'medium'>, True, 'ML')
    """

    VERY_POOR = "very-poor"
    POOR = "poor"
    MEDIUM = "medium"
    GOOD = "good"
    VERY_GOOD = "very-good"

    @property
    def label(self) -> str:
        """The paper's letters."""
        return ("VLL", "LL", "ML", "HL", "VHL")[self.rank]

    @property
    def rank(self) -> int:
        """From 0 for very poor to 4 for very good."""
        return list(Grade).index(self)

    @property
    def lowest_score(self) -> float:
        """The least score that has this grade."""
        return 20.0 * self.rank

    def __lt__(self, other: Grade) -> bool:
        return self.rank < other.rank


def grade_of(score: float) -> Grade:
    """The grade of a score: cut at 20, 40, 60 and 80, each cut belonging to the better grade.

    Raises:
        OptionError: a score outside 0 to 100.
    """
    if not 0 <= score <= 100:
        raise OptionError("A score of {score} has no grade; scores run from 0 to 100.", score=score)
    return max(grade for grade in Grade if grade.lowest_score <= score)


def parse_target(text: str) -> Grade | float:
    """A grade by name, or a score from 0 to 100.

    Raises:
        OptionError: neither.
    """
    if text in [grade.value for grade in Grade]:
        return Grade(text)
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:
        names = ", ".join(grade.value for grade in Grade)
        raise OptionError("{text!r} is no target; give a score from 0 to 100, or {names!s}.", text=text, names=names)
    return score
