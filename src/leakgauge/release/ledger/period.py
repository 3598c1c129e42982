"""Periods: years, quarters, months or spans of days that follow one another without a gap, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import msgspec

from leakgauge.errors import OptionError, did_you_mean
from leakgauge.sentences import Sentence

MOST_DAYS = 3660
"""Ten years; a limit for longer is one that does not renew."""
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_EACH = {"year": Sentence("each year"), "quarter": Sentence("each quarter"), "month": Sentence("each month")}
_LAST_COMMON_DAY = 28
YEARS = 1970, 9000
"""The years of entries and first days: no period around them leaves the calendar."""


@dataclass(frozen=True)
class Span:
    """One period: from the first day to the day on which the next one starts, both at midnight UTC."""

    number: int
    first: date
    renews: date

    @property
    def last(self) -> date:
        """The last day of the period."""
        return self.renews - timedelta(days=1)


class Period(msgspec.Struct, frozen=True):
    """After how long a limit renews: ``year``, ``quarter``, ``month`` or a number of days.

    Periods touch and never overlap: ``first`` is the first day of one of them, and they extend from it in both
    directions.
    """

    length: str | int
    first: date

    def __post_init__(self) -> None:
        if not YEARS[0] <= self.first.year <= YEARS[1]:
            raise OptionError(
                "{first!s} is not a day from which periods count; give one such as 2026-01-01.",
                first=self.first.isoformat(),
            )
        if isinstance(self.length, str):
            if self.length not in _MONTHS:
                raise _unknown(self.length)
            if self.first.day > _LAST_COMMON_DAY:
                raise OptionError(
                    "Periods cannot start on {first!s}, because not every month has a day {day}; start them on a day "
                    "from 1 to 28.",
                    first=self.first.isoformat(),
                    day=self.first.day,
                )
        elif not 1 <= self.length <= MOST_DAYS:
            raise OptionError(
                "A period of {found} days is not a period; give 1 to {most} days, or year, quarter or month.",
                found=self.length,
                most=MOST_DAYS,
            )

    @classmethod
    def parse(cls, length: str, first: str | None, today: date) -> Period:
        """The period that somebody typed, such as ``year`` or ``30 days``, from a day that has come.

        Years, quarters and months are those of the calendar unless a day is given, and days count from today.
        """
        text = length.strip().removesuffix(" days")
        whole = int(text[:100]) if text.isascii() and text.isdigit() else text
        if first is None:
            return cls(whole, date(today.year, 1, 1) if isinstance(whole, str) else today)
        try:
            start = date.fromisoformat(first)
        except ValueError:
            raise OptionError(
                "{first!s} is not a day from which periods count; give one such as 2026-01-01.", first=first
            ) from None
        made = cls(whole, start)
        if start > today:
            raise OptionError(
                "{first!s} has not come, it is {today!s} (UTC), and the account would already be spent from; give the "
                "first day of a period that runs or is past.",
                first=start.isoformat(),
                today=today.isoformat(),
            )
        return made

    @property
    def each(self) -> Sentence:
        """How often a limit renews, in words."""
        if isinstance(self.length, str):
            return _EACH[self.length]
        return Sentence("every {days} days", days=self.length) if self.length > 1 else Sentence("each day")

    def at(self, moment: datetime) -> Span:
        """The period that contains a moment."""
        day = moment.astimezone(UTC).date()
        if isinstance(self.length, str):
            # Every period starts on the same day of a month, which every month has.
            months = 12 * (day.year - self.first.year) + day.month - self.first.month - (day.day < self.first.day)
            number = months // _MONTHS[self.length]
        else:
            number = (day - self.first).days // self.length
        return Span(number, self._start(number), self._start(number + 1))

    def _start(self, number: int) -> date:
        if isinstance(self.length, int):
            return self.first + timedelta(days=number * self.length)
        months = 12 * self.first.year + self.first.month - 1 + number * _MONTHS[self.length]
        return date(months // 12, months % 12 + 1, self.first.day)


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def _unknown(length: str) -> OptionError:
    return OptionError(
        "{found!r} is neither a period nor a number of days: {hint}", found=length, hint=did_you_mean(length, _MONTHS)
    )
