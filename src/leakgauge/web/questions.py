"""What the page asks: the language and the fields of a request, checked before anything is read or run.

What a request can be refused for, and the status it is refused with::

    InputError                            400
    ├── FileError
    │   ├── OutsideError                  403   a path or an address out of reach
    │   ├── TooLargeError                 413   a body above the limit
    │   └── TooSlowError                  408   a body that does not come on
    └── OptionError
        └── UnknownError                  404   an id or a name that nothing has
    RefusalError                          409   the answer is no: a job runs, a table changed
    any other                             500
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from starlette.requests import HTTPConnection
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import PARTS, Declared
from leakgauge.artefacts.request.aim import numbers_asked
from leakgauge.artefacts.request.part import IN_WORDS, ON_PAGE, fields_marked, hints, takes_several
from leakgauge.errors import FileError, InputError, LeakgaugeError, OptionError, RefusalError, did_you_mean
from leakgauge.languages import CODES, ENGLISH, Language, language_of
from leakgauge.probability.files import strict_json

COOKIE: Final = "leakgauge_language"
DECLARED: Final = fields_marked(Declared, IN_WORDS)
"""Declarations about a release, which do not change it."""
_KINDS: Final = {name: (part, hint) for part in PARTS.values() for name, hint in hints(part).items()}
SHOWN: Final = tuple(name for part in PARTS.values() for name in fields_marked(part, ON_PAGE))
"""What the page shows of a request, beside its table."""
DISTORTIONS: Final = ("hamming", "absolute", "squared")
"""What a wrong value may cost on the page; those of a file are for the command line."""
_LARGEST: Final = 1 << 20
_LONGEST: Final = 10_000
PATIENCE: Final = 30.0
"""Seconds in which the next part of a body must come: the page is on this machine, and files are read from its disk."""
_NOT_TEXT: Final = re.compile("[\0\ud800-\udfff]")
"""A zero byte ends an argument of a process; halves of letters cannot be written."""


class OutsideError(FileError):
    """A path outside the folder that is served, or a server that the page was not started with."""


class TooLargeError(FileError):
    """A body above the limit."""


class TooSlowError(FileError):
    """A body whose next part does not come in time."""


class UnknownError(OptionError):
    """An id or a name that nothing has."""


_STATUS: tuple[tuple[type[LeakgaugeError], int], ...] = (
    (OutsideError, 403),
    (TooLargeError, 413),
    (TooSlowError, 408),
    (UnknownError, 404),
    (InputError, 400),
    (RefusalError, 409),
    (LeakgaugeError, 500),
)


@dataclass(frozen=True)
class TableQuestion:
    """A question about a table before anything is released, with roles and bins as on the command line.

    Several secrets are one joint source to be measured or drawn, and each by itself to be surveyed.
    """

    table: str
    secret: tuple[str, ...]
    background: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unit: str | None = None
    points: int = 31
    distortion: str = "hamming"
    keep: str = "shares"


async def body_of(request: HttpRequest) -> AsyncIterator[bytes]:
    """The body of a request in parts; refused where it stops coming, so that nobody is waited for without end."""
    parts = request.stream()
    while True:
        try:
            async with asyncio.timeout(PATIENCE):
                part = await anext(parts, None)
        except TimeoutError:
            raise TooSlowError(
                "The rest of the request did not come within {seconds:g} seconds; send it again.", seconds=PATIENCE
            ) from None
        if part is None:
            return
        yield part


async def fields_of(request: HttpRequest) -> Mapping[str, Any]:
    """The JSON object in the body of a request; refused where it is too large, or is not one."""
    body = b""
    async for piece in body_of(request):
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


def question_in(fields: Mapping[str, Any]) -> TableQuestion:
    """The question in the fields of a request; ``OptionError`` where one is missing, unknown or of another kind."""
    _require_known(fields)
    points = fields.get("points", 31)
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= 201:
        raise OptionError("A frontier needs from 2 to 201 points; ask for 31.")
    distortion = next(iter(texts_in(fields, "distortion")), "hamming")
    if distortion not in DISTORTIONS:
        hint = did_you_mean(distortion, DISTORTIONS)
        raise OptionError("There is no curve for the distortion {name!r}; {hint}", name=distortion, hint=hint)
    return TableQuestion(
        table=text_in(fields, "table"),
        secret=texts_in(fields, "secret"),
        background=texts_in(fields, "background"),
        bins=texts_in(fields, "bins"),
        missing=texts_in(fields, "missing"),
        unit=None if fields.get("unit") is None else text_in(fields, "unit"),
        points=points,
        distortion=distortion,
        keep="shares" if fields.get("keep") is None else text_in(fields, "keep"),
    )


def request_in(fields: Mapping[str, Any]) -> Request:
    """What a job is asked, about the id of a table; ``OptionError`` where a field, or all together, cannot be so."""
    _require_known(fields)
    asked = {name: _asked(name, fields) for name in SHOWN if fields.get(name) is not None}
    # The names of columns are as they are: on the page a share has a field of its own.
    asked.setdefault("public_distortion", {})
    return Request.of(text_in(fields, "table"), **asked)


def _asked(name: str, fields: Mapping[str, Any]) -> Any:
    """A field as a request takes it, by the type that it has there."""
    part, hint = _KINDS[name]
    kind = get_args(hint)[0]
    if takes_several(part, name):
        return texts_in(fields, name)
    if kind in (str, str | None):
        return text_in(fields, name)
    if kind in (float, float | None):
        return _number(name, fields[name])
    given = fields[name]
    if kind in (bool, int | None):
        # Whole numbers and flags are as JSON has them; the request itself says where they are not.
        return given
    if isinstance(given, dict) and given:
        # Of each column by its name.
        return {_text(column, name): _number(name, limit) for column, limit in given.items()}
    return _number(name, given)


def is_asked_by_the_page(request: Request) -> bool:
    """Whether the page could ask for the same: nothing is asked that it does not show."""
    given = request.options()
    return {*given} <= {*SHOWN} and len({*given} & {*numbers_asked(), "min_protection"}) == 1


def shown_of(request: Mapping[str, Any]) -> dict[str, object]:
    """The fields of a request for the page."""
    plain = {"distortion": (["hamming"], ("hamming",)), "releases_per_period": (1.0,), "keep_order": (False,)}
    # What was asked before there were these fields is the same question.
    shown = {
        name: request[name]
        for name in SHOWN
        if request.get(name) is not None and request[name] not in plain.get(name, ())
    }
    return {"table": Path(request["table"]).name, **shown}


def _require_known(fields: Mapping[str, Any]) -> None:
    known = ("table", *SHOWN, "points")
    for name in fields:
        if name not in known:
            raise OptionError("There is no field {name!r}; {hint}", name=name, hint=did_you_mean(name, known))


def text_in(fields: Mapping[str, Any], name: str) -> str:
    """The text of a field; ``OptionError`` where it is missing, empty or not a text."""
    return _text(fields.get(name), name)


def texts_in(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The texts in a list; none where the field is missing, and ``OptionError`` where it is of another kind."""
    given = fields.get(name)
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > _LONGEST:
        raise OptionError("The field {name!r} needs a list of texts; give one.", name=name)
    return tuple(_text(one, name, empty=name == "missing") for one in given)


def _text(given: object, name: str, empty: bool = False) -> str:
    if not isinstance(given, str) or not (given or empty) or len(given) > _LONGEST or _NOT_TEXT.search(given):
        raise OptionError("The field {name!r} needs a text; give one.", name=name)
    return given


def _number(field: str, given: object) -> float:
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given <= sys.float_info.max:
        return float(given)
    raise OptionError("The field {name!r} needs a number of at least 0; give one.", name=field)


def language_asked(request: HTTPConnection) -> Language:
    """The language of the cookie, else the first one of the browser that there is, else English."""
    chosen = request.cookies.get(COOKIE)
    if chosen in CODES:
        return language_of(chosen)
    for part in request.headers.get("accept-language", "").split(","):
        # Browsers list their languages in order; the weights only say so again.
        code = part.split(";")[0].strip().split("-")[0].lower()
        if code in CODES:
            return language_of(code)
    return ENGLISH


def refused(request: HTTPConnection, error: LeakgaugeError, status: int | None = None) -> JSONResponse:
    """The error as an answer, in the language of the request."""
    status = status or next(status for kind, status in _STATUS if isinstance(error, kind))
    return JSONResponse({"error": language_asked(request).error(error)}, status)
