"""What the page asks: the fields of a request, checked before anything is read or run."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request

from leakgauge.errors import FileError, OptionError, did_you_mean
from leakgauge.probability.files import strict_json
from leakgauge.web.failures import TooLargeError

GOALS: Final = {
    "max_distortion": "--max-distortion",
    "max_leakage": "--max-leakage",
    "local_dp": "--local-dp",
    "target": "--target",
}
"""What a job can aim at, and the options that say so."""
_LARGEST: Final = 1 << 20
_LONGEST: Final = 10_000
_LONGEST_NAME: Final = 200
"""Bytes of a dropped file's name; file systems take 255."""


@dataclass(frozen=True)
class Asked:
    """A question about a table.

    Attributes:
        table: its id.
        secret: the column to protect.
        background: columns the attacker knows.
        public: columns that are released as they are, or in their bins.
        bins: how columns are gathered, as on the command line.
        missing: texts that mean missing.
        points: of a frontier.
        goal: what a job aims at, a name of ``GOALS``; None where nothing is.
        value: of the goal.
    """

    table: str
    secret: str
    background: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    points: int = 31
    goal: str | None = None
    value: float | str | None = None

    def fields(self) -> dict[str, Any]:
        """The question for the page."""
        lists = {name: list(getattr(self, name)) for name in ("background", "public", "bins", "missing")}
        return {"secret": self.secret, **lists, **({} if self.goal is None else {self.goal: self.value})}


async def fields_of(request: Request) -> Mapping[str, Any]:
    """The JSON object in the body of a request.

    Raises:
        TooLargeError: the body is larger than 1 MiB.
        OptionError: it is not a JSON object, or names a field twice.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST:
            raise TooLargeError("The question is larger than {limit:,} bytes; ask a shorter one.", limit=_LARGEST)
    try:
        found = strict_json(body or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise OptionError("The question is not a JSON object, or names a field twice; send an object.")
    return found


def asked(fields: Mapping[str, Any], *, aims: bool = False) -> Asked:
    """The question in the fields of a request.

    Args:
        fields: of the request.
        aims: whether it must name what to aim at.

    Raises:
        OptionError: a field is missing, unknown or of another kind.
    """
    known = ("table", "secret", "background", "public", "bins", "missing", "points", *GOALS)
    for name in fields:
        if name not in known:
            raise OptionError("There is no field {name!r}; {hint}", name=name, hint=did_you_mean(name, known))
    goals = [name for name in GOALS if fields.get(name) is not None]
    if aims and len(goals) != 1:
        raise OptionError("{number} goals are given; give one of {known}.", number=len(goals), known=", ".join(GOALS))
    goal = goals[0] if goals else None
    points = fields.get("points", 31)
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= 201:
        raise OptionError("A frontier needs from 2 to 201 points; ask for 31.")
    return Asked(
        table=text_in(fields, "table"),
        secret=text_in(fields, "secret"),
        background=_texts(fields, "background"),
        public=_texts(fields, "public"),
        bins=_texts(fields, "bins"),
        missing=_texts(fields, "missing", empty=True),
        points=points,
        goal=goal,
        value=None if goal is None else _aim(goal, fields[goal]),
    )


def text_in(fields: Mapping[str, Any], name: str) -> str:
    """The text of a field.

    Raises:
        OptionError: it is missing, empty or no text.
    """
    return _text(fields.get(name), name)


def _text(given: object, name: str, empty: bool = False) -> str:
    # A zero byte ends an argument of a process.
    if not isinstance(given, str) or not (given or empty) or len(given) > _LONGEST or "\0" in given:
        raise OptionError("The field {name!r} needs a text; give one.", name=name)
    try:
        given.encode()
    except UnicodeEncodeError:
        raise OptionError("The field {name!r} needs a text; give one.", name=name) from None
    return given


def _texts(fields: Mapping[str, Any], name: str, empty: bool = False) -> tuple[str, ...]:
    given = fields.get(name)
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > _LONGEST:
        raise OptionError("The field {name!r} needs a list of texts; give one.", name=name)
    return tuple(_text(one, name, empty) for one in given)


def _aim(goal: str, given: object) -> float | str:
    """The value of a goal: a finite number from 0 on, or the name of a grade."""
    if goal == "target" and isinstance(given, str) and given:
        return _text(given, goal)
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given <= sys.float_info.max:
        return given
    raise OptionError("The field {name!r} needs a number from 0 on; give one.", name=goal)


def plain_name(name: str) -> str:
    """The last part of a dropped file's name, free of what a file system or a screen could stumble over.

    Raises:
        FileError: nothing is left of it, it is too long or no text.
    """
    plain = re.sub(r"[\x00-\x1f\x7f]", "", re.split(r"[/\\]", name)[-1]).strip()
    if plain in ("", ".", "..") or len(plain.encode(errors="replace")) > _LONGEST_NAME:
        raise FileError("The dropped file needs a name of up to {most} bytes; rename it.", most=_LONGEST_NAME)
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise FileError("The name of the dropped file is not text; rename it.") from None
    return plain
