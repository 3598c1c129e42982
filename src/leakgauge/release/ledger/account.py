"""An account: the data set, the unit of protection, and the limit: (ε, δ), a zCDP level, or none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.release.ledger.period import Period, Span
from leakgauge.release.ledger.splits import Split
from leakgauge.sentences import Sentence

ONE_ROW = "one row"
"""The unit of protection where nothing else is said."""
LONGEST_TEXT = 1000
_COMPRESSED = (".gz", ".zst")


class _Limit(msgspec.Struct, frozen=True, tag_field="kind"):
    @property
    def sentence(self) -> Sentence:
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.sentence)

    def _require_finite(self, field: str, what: Sentence) -> None:
        value = getattr(self, field)
        if not _is_number(value) or not 0 < value < math.inf:
            raise OptionError(
                "A limit with {what} of {found!r} is not a limit; give a finite number above 0, or open the account "
                "unlimited.",
                what=what,
                found=value,
            )
        # A whole number is spelled as the same limit.
        msgspec.structs.force_setattr(self, field, float(value))


class ApproximateLimit(_Limit, frozen=True, tag="approximate"):
    """At most ε nats, finite and above 0, at δ in [0, 1), over all releases together; δ = 0 is pure."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        self._require_finite("epsilon", Sentence("an ε"))
        if not _is_number(self.delta) or not 0 <= self.delta < 1:
            raise OptionError("A limit with a δ of {found!r} is not a limit; give a δ in [0, 1).", found=self.delta)
        msgspec.structs.force_setattr(self, "delta", float(self.delta))

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        if not self.delta:
            return Sentence("ε = {epsilon:g}", epsilon=self.epsilon)
        return Sentence("ε = {epsilon:g} at δ = {delta:g}", epsilon=self.epsilon, delta=self.delta)


class ConcentratedLimit(_Limit, frozen=True, tag="concentrated"):
    """At most ρ nats, finite and above 0, of zero-concentrated differential privacy, over all releases together."""

    rho: float

    def __post_init__(self) -> None:
        self._require_finite("rho", Sentence("a ρ"))

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        return Sentence("ρ = {rho:g}", rho=self.rho)


class Unlimited(_Limit, frozen=True, tag="unlimited"):
    """No limit: everything is admitted and added up, an infinite ε too."""

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        return Sentence("unlimited")


Limit: TypeAlias = ApproximateLimit | ConcentratedLimit | Unlimited


@dataclass(frozen=True)
class Account:
    """The budget of one data set; ``unit`` says in words what is protected, ``opened`` when, UTC in ISO 8601.

    ``splits`` are those of a limit (ε, δ); accounts of earlier versions and very large limits have none. With a
    ``period`` the limit holds for each period by itself; without one for all releases together.
    """

    dataset: str
    limit: Limit
    unit: str = ONE_ROW
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    opened: str = ""
    splits: tuple[Split, ...] = ()
    period: Period | None = None

    def __post_init__(self) -> None:
        require_text(self.dataset, Sentence("The name of a data set"))
        require_text(self.unit, Sentence("The unit of protection"))
        if not isinstance(self.limit, ApproximateLimit | ConcentratedLimit | Unlimited):
            raise OptionError(
                "{found!r} is not a limit; give an ApproximateLimit, a ConcentratedLimit or Unlimited().",
                found=self.limit,
            )
        if self.period is not None and isinstance(self.limit, Unlimited):
            raise OptionError(
                "An unlimited account has no limit that could renew; give a limit, or leave the period out."
            )
        if not isinstance(self.neighbours, Neighbours):
            raise OptionError("{found!r} is not a kind of neighbours; give one of Neighbours.", found=self.neighbours)

    @property
    def limit_words(self) -> Sentence:
        """The limit, and how often it renews where it does."""
        if self.period is None:
            return self.limit.sentence
        return Sentence("{limit} {each}", limit=self.limit.sentence, each=self.period.each)

    def running(self, moment: datetime) -> Span | None:
        """The period that contains a moment; None where the limit does not renew."""
        return None if self.period is None else self.period.at(moment)

    def limit_over(self, periods: int) -> Limit | None:
        """The limit over so many periods together; None where nothing is promised of them."""
        match self.limit:
            case ApproximateLimit(epsilon, delta):
                return ApproximateLimit(periods * epsilon, periods * delta) if periods * delta < 1 else None
            case ConcentratedLimit(rho):
                return ConcentratedLimit(periods * rho)
        return self.limit

    @property
    def delta(self) -> float:
        """The δ of the limit; 0 where it has none."""
        return float(self.limit.delta) if isinstance(self.limit, ApproximateLimit) else 0.0


def default_dataset(table: str) -> str:
    """The name of a data set by that of its file, without its extension, or of its table in an engine.

    Example:
        >>> default_dataset("data/people.csv.gz"), default_dataset("postgresql://host/clinic#public.people")
        ('people', 'public.people')
    """
    server, _, inside = table.partition("#")
    is_file = "://" not in server or "/" in inside or inside.endswith(".parquet")
    if inside and not is_file:
        return inside
    path = Path(inside if "://" in server and inside else table)
    return Path(path.stem).stem if path.suffix.lower() in _COMPRESSED else path.stem


def require_account(account: Account, unit: str, neighbours: Neighbours) -> None:
    """Refuse an account whose unit of protection is not that of the spend."""
    if account.unit == unit and account.neighbours is neighbours:
        return
    raise OptionError(
        "The account of {dataset!r} protects {unit!s} ({neighbours!s}), and this protects {found!s} ({others!s}); ask "
        'for what the account protects, or open one with --unit "{found!s}" --neighbours {others!s}.',
        dataset=account.dataset,
        unit=account.unit,
        neighbours=account.neighbours.value,
        found=unit,
        others=neighbours.value,
    )


def is_line(text: object) -> bool:
    """Whether something is one line of text that every store can hold."""
    return isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT and text.isprintable() and bool(text.strip())


def require_text(text: object, what: Sentence) -> None:
    """Refuse anything but one line of text that every store can hold."""
    if not is_line(text):
        raise OptionError(
            "{what} is not one line of 1 to {most} printable characters; give a shorter or plainer one.",
            what=what,
            most=LONGEST_TEXT,
        )


@lru_cache(maxsize=256)
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest zCDP level in nats that is proved to give (ε, δ); 0 where none is."""
    if delta == 0:
        return 0.0
    low, high = 0.0, 1.0
    while approximate_of_concentration(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= 1e-12 * high or not low < middle < high:
            break
        low, high = (middle, high) if approximate_of_concentration(middle, delta) <= epsilon else (low, middle)
    return low  # the lower end, so that what it converts to stays within ε


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
