"""The door: this machine, this address, the token, the page itself; and strict headers on every answer.

Everything lies below a path that nobody can guess. Browsers send a machine's cookies to every port of it, so the path
keeps the session's cookie from other servers of this machine; and what they could read in their logs is not the token.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from html import escape
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leakgauge.errors import OptionError
from leakgauge.web.questions import language_asked, refused

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SAFE: Final = ("GET", "HEAD")
_ENTER: Final = '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0;url=./"><title>Leakgauge</title>'
_CLOSED: Final = (
    '<!doctype html><html lang="{language}"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Leakgauge</title>'
    "<h1>Leakgauge</h1><p>{said}</p><p>{more}</p></html>"
)


def cookie_name(port: int) -> str:
    """The name of the session's cookie: browsers keep one jar for all ports of a machine."""
    return f"leakgauge_session_{port}"


@dataclass(frozen=True)
class Secrets:
    """What one run of the server alone knows.

    Attributes:
        door: the first part of every path, without slashes.
        token: in the address that is printed; it opens the page for a browser.
        session: in the cookie of a browser that came in.
    """

    door: str
    token: str
    session: str


class Guard:
    """Lets through what comes from the page itself, with the session's cookie; answers everything else with 403."""

    def __init__(self, app: ASGIApp, port: int, secrets: Secrets) -> None:
        self._app = app
        self._port = port
        self._secrets = secrets
        # Any other name may belong to a foreign site that was pointed at this machine.
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_strict(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._stopped(Request(scope))
        # The app's own paths begin behind the door.
        inside = {**scope, "root_path": f"/{self._secrets.door}"}
        await (self._app(inside, receive, send_strict) if answer is None else answer(scope, receive, send_strict))

    def _stopped(self, request: Request) -> Response | None:
        """What is answered at the door; None where the request may pass."""
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            said = OptionError("This page answers only as 127.0.0.1 or localhost; open the address that serve printed.")
            return refused(request, said, 403)
        door, slash, within = request.scope["path"].removeprefix("/").partition("/")
        # Outside of the door nothing is told apart, so that nobody learns anything by trying.
        if not slash or not _same(door, self._secrets.door):
            return _closed(request)
        if request.method in _SAFE and within == "" and "token" in request.query_params:
            return (
                self._enter(request) if _same(request.query_params["token"], self._secrets.token) else _closed(request)
            )
        if not _same(request.cookies.get(cookie_name(self._port), ""), self._secrets.session):
            return _closed(request)
        if not _from_the_page(request.method, request.headers):
            return refused(request, OptionError("Only the page itself may ask this; open it and ask there."), 403)
        return None

    def _enter(self, request: HTTPConnection) -> Response:
        """The way to the page, with the cookie; as often as it is asked for, by a second browser for example."""
        answer: Response
        path = f"/{self._secrets.door}/"
        if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            answer = RedirectResponse(path, 303)
        else:
            # Someone else's link led here: browsers would not send a strict cookie along with a redirect.
            answer = HTMLResponse(_ENTER)
        answer.set_cookie(cookie_name(self._port), self._secrets.session, path=path, httponly=True, samesite="strict")
        return answer


def _same(given: str, secret: str) -> bool:
    """Whether a secret was given; the time it takes does not tell how much of it is right."""
    return hmac.compare_digest(given.encode(errors="replace"), secret.encode())


def _closed(request: Request) -> Response:
    """What those are told who did not come by the printed address: people on a page, programs as usual."""
    error = OptionError("This page needs the token of its address; open the address that serve printed.")
    mode = request.headers.get("sec-fetch-mode")
    looks = mode == "navigate" if mode is not None else "text/html" in request.headers.get("accept", "")
    if request.method not in _SAFE or not looks:
        return refused(request, error, 403)
    language = language_asked(request)
    more = language.say("Where the server was started again, the address is a new one; the old one is gone.")
    shown = _CLOSED.format(language=language.code, said=escape(language.error(error)), more=escape(more))
    return HTMLResponse(shown, 403, headers={"Vary": "Cookie, Accept-Language, Accept"})


def _from_the_page(method: str, headers: Headers) -> bool:
    """Whether a request comes from the page itself; a person may also open what changes nothing by its address."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if origin is not None and origin != f"http://{headers['host']}":
        return False
    if method in _SAFE:
        return site in (None, "none", "same-origin") or headers.get("sec-fetch-mode") == "navigate"
    # Other ports of this machine count as the same site: only the origin tells them apart.
    return site in (None, "same-origin") and (origin is not None or site == "same-origin")
