"""What a search is for: limits, what is published or known, and which settings may be tried."""

from __future__ import annotations

import math
from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypedDict

from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.scores.usefulness import Use, use_named
from leakgauge.design import Keep
from leakgauge.errors import OptionError
from leakgauge.mechanisms import Mechanism

DELTA = 1e-6
_DEFAULT = Policy()


class HandedOut(Enum):
    """What recipients get to know of a mechanism; a column that they cannot read is of no use to them."""

    NOTHING = "nothing"
    DECLARED = "mechanisms with declared parameters"
    EVERYTHING = "every channel"


@dataclass(frozen=True)
class Goal:
    """What a search is for.

    Attributes:
        min_protection: from 0 to 100.
        min_usefulness: from 0 to 100.
        max_epsilon: that the mechanism may claim; one fitted to private counts claims none.
        max_surest: how much surer somebody may become about a value, from 0 to 100; None for any.
        max_lost: the share of rows whose values may never be released; None for any.
        published: columns that are released unchanged.
        backgrounds: what an attacker may know, each a column or several.
        lower: the publicly known least number of the column; without bounds no noise is added to numbers.
        start: the mechanism of today: settings of the same kind are the cheapest to change to.
        rows: of the release, where the table stands for another, such as a noisy histogram.
        counts_are_private: whether the counts are private, so that a mechanism fitted to them reveals something; not if
            they were bought.
        as_it_is: whether the column itself must be released, not bins of it or counts.
        handed_out: what recipients get to know of the mechanism: settings from which they could then compute nothing
            are not tried.

    Raises:
        OptionError: limits or bounds outside their range, or limits that contradict each other.
    """

    secret: str
    min_protection: float | None = None
    min_usefulness: float | None = None
    max_epsilon: float | None = None
    max_surest: float | None = _DEFAULT.max_surest
    max_lost: float | None = _DEFAULT.max_lost
    use: Use = Use.STATISTICS
    keep: Keep = Keep.SHARES
    published: tuple[str, ...] = ()
    backgrounds: tuple[tuple[str, ...], ...] = ()
    lower: float | None = None
    upper: float | None = None
    delta: float = DELTA
    start: Mechanism | None = None
    rows: int | None = None
    counts_are_private: bool = True
    as_it_is: bool = False
    handed_out: HandedOut = HandedOut.DECLARED

    def __post_init__(self) -> None:
        # Limits that no setting can keep are refused before a histogram is bought.
        _ = self.limits, self.bounds

    @classmethod
    def of(cls, secret: str, asked: GoalOptions) -> Goal:
        """From keywords as they are typed."""
        fields: MutableMapping[str, Any] = {**asked}
        if "use" in fields:
            fields["use"] = use_named(fields["use"])
        fields["published"] = tuple(fields.get("published", ()))
        known = fields.get("backgrounds", ())
        fields["backgrounds"] = tuple((one,) if isinstance(one, str) else tuple(one) for one in known)
        return cls(secret, **fields)

    @property
    def limits(self) -> Policy:
        """The limits that every setting is held to."""
        return Policy(
            min_protection=self.min_protection,
            min_usefulness=self.min_usefulness,
            max_surest=self.max_surest,
            max_lost=self.max_lost,
            max_epsilon=self.max_epsilon,
            max_alone=None,
            max_linked=None,
            declared=(),
        )

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between which the numbers of the column are known to be."""
        lower, upper = self.lower, self.upper
        if lower is None and upper is None:
            return None
        if lower is None or upper is None:
            raise OptionError("One bound of the numbers is given without the other; give lower and upper.")
        if not -math.inf < lower < upper < math.inf:
            raise OptionError(
                "The bounds {lower} and {upper} are not two finite numbers in order; give lower below upper.",
                lower=lower,
                upper=upper,
            )
        return lower, upper


class GoalOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    min_protection: float | None
    min_usefulness: float | None
    max_epsilon: float | None
    max_surest: float | None
    max_lost: float | None
    use: Use | str
    keep: Keep
    published: Sequence[str]
    backgrounds: Iterable[str | Sequence[str]]
    lower: float | None
    upper: float | None
    delta: float
    start: Mechanism | None
    rows: int | None
    counts_are_private: bool
    as_it_is: bool
    handed_out: HandedOut
