"""The scores of a release from 0 to 100, and their evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from functools import total_ordering

from leakgauge.artefacts.quantity import Part, Quantity, Real
from leakgauge.errors import OptionError
from leakgauge.sentences import Sentence

POINTS, SHARE = "points", "1"
SCORES = ("protection", "surest", "usefulness")
"""In the order in which they are told."""
OF_A_RAW_COPY = {"protection": 0.0, "surest": 100.0, "usefulness": 100.0}
"""The scores of a secret that is released as it is, wherever anything is left to protect."""


MOST_NATS = 30.0
"""Beyond this a factor on odds says nothing to anybody."""


@total_ordering
class Grade(Enum):
    """How good a score is, from very poor to very good; they compare as they rank.

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
    def least_points(self) -> float:
        """The least points that have this grade."""
        return 20.0 * self.rank

    def __lt__(self, other: Grade) -> bool:
        return self.rank < other.rank


def grade_of(points: float) -> Grade:
    """The grade of a score: cut at 20, 40, 60 and 80, each cut belonging to the better grade."""
    if not 0 <= points <= 100:
        raise OptionError("{points} points have no grade; scores run from 0 to 100.", points=points)
    return max(grade for grade in Grade if grade.least_points <= points)


class Neighbours(Enum):
    """The pairs of inputs that a guarantee makes hard to distinguish."""

    VALUES_OF_A_PERSON = "any two values of one person"
    MEMBERSHIP = "the table with one person and without"
    VALUE_IN_A_TABLE = "two tables in which one person has different values"

    @property
    def said(self) -> Sentence:
        """In words of ours."""
        return Sentence(self.value)


class AttackerName(Enum):
    """Whom a release is judged by: what she can find of a person, besides what she knows."""

    KNOWS_THE_ROW = "knows the row"
    KNOWS_ALL_ROWS = "knows all rows of a person"
    KNOWS_EVERYBODY_ELSE = "knows everybody else"
    KNOWS_COLUMNS = "knows columns"
    KNOWS_THE_ORDER = "knows the order"
    HAS_EARLIER_RELEASES = "has earlier releases"


class Attacker(Part, frozen=True):
    """What an attacker gains from the release; unknown ends count as unfavourable.

    Attributes:
        knows: the columns of the background that are known without the release; none of somebody who knows nothing.
        gained: the share of the wrong guesses that the release makes right, or for numbers the share of the variance of
            their ranks that it explains; None if no attack was tried.
        told: the share of the remaining uncertainty that the release removes; None if unknown.
        left: the share of people whom the best guess without the release gets wrong; None of numbers, and where it is
            not known.
        name: what she can find.
        links: the published columns by which she finds rows, of somebody who knows columns.
        surest: how much surer she becomes about the most exposed tenth of those who share a value, for the value where
            that is most, as a share of the most that anybody could; None if unknown.
        worst: that value, or tenth of the numbers.
    """

    knows: tuple[str, ...] = ()
    gained: Quantity | None = None
    told: Quantity | None = None
    left: Real | None = None
    name: AttackerName = AttackerName.KNOWS_THE_ROW
    links: tuple[str, ...] = ()
    surest: Quantity | None = None
    worst: str | None = None


class Statistic(Part, frozen=True):
    """What the rows of a release are worth for one statistic, as a share of the rows of the table.

    Attributes:
        columns: the published columns that the secret is cross-tabulated with; none of its shares, or its mean.
        worth: None where it is not known; 0 where recipients can compute nothing.
        largest_error: the error of the largest cell as a recipient estimates it, in points of a share, within which 95
            of 100 estimates lie; None of means, and where nothing can be computed.
        median_error: the same of the cell in the middle by size.
        worst_error: and of the cell where it is largest.
    """

    columns: tuple[str, ...] = ()
    worth: Quantity | None = None
    largest_error: Real | None = None
    median_error: Real | None = None
    worst_error: Real | None = None


class Guarantee(Part, frozen=True):
    """The tightest worst case that is claimed.

    Attributes:
        notion: such as ``local-dp``.
        level: of it: ε, ρ or μ.
        advantage: the largest in distinguishing two neighbours that it allows.
        neighbours: what it makes hard to distinguish.
        given_counts: whether the mechanism was fitted to private counts, which the claim takes as known.
    """

    notion: str
    level: Real
    delta: Real
    advantage: Real
    neighbours: Neighbours = Neighbours.VALUES_OF_A_PERSON
    given_counts: bool = False

    @property
    def odds(self) -> float | None:
        """By which factor the odds of two neighbours change at most; None where no factor bounds them for sure."""
        is_pure = self.notion in ("local-dp", "dp") and not self.delta
        return math.exp(self.level) if is_pure and self.level < MOST_NATS else None


class ScoreEvidence(Part, frozen=True, kw_only=True):
    """What is known of one secret of a release: by its law, or from attacks on it. None is what is not known.

    Attributes:
        attackers: each with what she knows: somebody who knows nothing, and one for each subset of a declared
            background.
        certain_to: backgrounds that leave nothing to protect, because they tell the secret without the release.
        guarantee: the tightest claim; None without a finite one.
        statistics: what the release is worth for each; for the use of rows, one without columns.
        withheld: whether it is not released, so that what it is worth is that of the rest of the release.
        blank: whether numbers are missing in some rows; which ones is not protected, and the others are judged.
    """

    attackers: tuple[Attacker, ...]
    certain_to: tuple[tuple[str, ...], ...] = ()
    guarantee: Guarantee | None = None
    statistics: tuple[Statistic, ...] = ()
    withheld: bool = False
    blank: bool = False


class Scores(Part, frozen=True, kw_only=True):
    """Three numbers that decide, each with its interval; an unknown value counts at its unfavourable end.

    Attributes:
        protection: of a typical person: 0 for a raw copy, 100 for a release that reveals nothing.
        surest: how much surer somebody becomes about the most exposed tenth of those who share a value; less is better.
        usefulness: 100 for a raw copy, 0 for a release of which recipients can compute nothing.
        attacker: who decides the protection.
        surest_of: who decides how sure somebody becomes, and of which value.
    """

    protection: Quantity
    surest: Quantity
    usefulness: Quantity
    attacker: Attacker = Attacker()
    surest_of: Attacker = Attacker()
    guarantee: Guarantee | None = None
    notes: tuple[Sentence, ...] = ()


def share(
    value: float, low: float | None = None, high: float | None = None, confidence: float | None = None
) -> Quantity:
    """A share from 0 to 1; what rounding, or an interval, puts beyond is brought back."""
    least, most = (None if end is None else min(max(end, 0.0), 1.0) for end in (low, high))
    return Quantity(min(max(value, 0.0), 1.0), SHARE, least, most, confidence)


def confidence_of(quantities: Iterable[Quantity]) -> float | None:
    """How often all intervals hold the truth at once, at least; None where none of them may miss it."""
    misses = [1 - one.confidence for one in quantities if one.confidence is not None]
    return max(1 - sum(misses), 0.0) if misses else None


UNKNOWN_GAIN = share(1.0, 0.0, 1.0)
"""What an attacker may gain of whom nothing is known: everything."""
UNKNOWN_WORTH = share(0.0, 0.0, 1.0)
"""What a release may be worth of which nothing is known: nothing."""
