"""The language of a request, the words of the page, and errors as answers."""

from __future__ import annotations

import gettext
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from leakgauge.errors import LeakgaugeError
from leakgauge.languages import CODES, ENGLISH, Language, language_of
from leakgauge.web.failures import status_of

COOKIE: Final = "leakgauge_language"


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


@cache
def page_words(code: str) -> Mapping[str, str]:
    """What the page says, English text by translation; empty for English."""
    folder = CODES[code]
    if folder is None:
        return {}
    with (files("leakgauge.languages") / folder / "LC_MESSAGES" / "page.mo").open("rb") as file:
        # The standard library keeps what it read under this name, and offers no other way to list it.
        read: Mapping[str, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return {text: told for text, told in read.items() if text and told}


def refused(request: HTTPConnection, error: LeakgaugeError, status: int | None = None) -> JSONResponse:
    """The error as an answer, in the language of the request."""
    return JSONResponse({"error": language_asked(request).error(error)}, status or status_of(error))
