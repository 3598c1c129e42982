"""The door: this machine, this address, the token, the page itself; and strict headers on every answer."""

from __future__ import annotations

import hmac
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leakgauge.errors import OptionError
from leakgauge.web.messages import refused

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
_ENTER: Final = '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0;url=/"><title>Leakgauge</title>'


def cookie_name(port: int) -> str:
    """The name of the session's cookie: browsers keep one jar for all ports of a machine."""
    return f"leakgauge_session_{port}"


class Guard:
    """Lets through what comes from the page itself, with the token; answers everything else with 403.

    Args:
        app: what is guarded.
        port: that is listened on.
        token: that opens the page.
    """

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._port = port
        self._token = token
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

        request = Request(scope)
        answer = self._stopped(request)
        await (self._app if answer is None else answer)(scope, receive, send_strict)

    def _stopped(self, request: Request) -> Response | None:
        """What is answered at the door; None where the request may pass."""
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            said = OptionError("This page answers only as 127.0.0.1 or localhost; open the address that serve printed.")
            return refused(request, said, 403)
        if request.method in _SAFE and request.url.path == "/" and "token" in request.query_params:
            if self._is_token(request.query_params["token"]):
                return self._enter(request)
            return refused(request, _no_token(), 403)
        if not self._is_token(request.cookies.get(cookie_name(self._port), "")):
            return refused(request, _no_token(), 403)
        if not _from_the_page(request.method, request.headers):
            return refused(request, OptionError("Only the page itself may ask this; open it and ask there."), 403)
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _enter(self, request: HTTPConnection) -> Response:
        """The way to the page, with the cookie."""
        answer: Response
        if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            answer = RedirectResponse("/", 303)
        else:
            # Someone else's link led here: browsers would not send a strict cookie along with a redirect.
            answer = HTMLResponse(_ENTER)
        answer.set_cookie(cookie_name(self._port), self._token, path="/", httponly=True, samesite="strict")
        return answer


def _no_token() -> OptionError:
    return OptionError("This page needs the token of its address; open the address that serve printed.")


def _from_the_page(method: str, headers: Headers) -> bool:
    """Whether a request comes from the page itself; a person may also open what changes nothing by its address."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if origin is not None and origin != f"http://{headers['host']}":
        return False
    if method in _SAFE:
        return site in (None, "none", "same-origin") or headers.get("sec-fetch-mode") == "navigate"
    # Other ports of this machine count as the same site: only the origin tells them apart.
    return site in (None, "same-origin") and (origin is not None or site == "same-origin")
