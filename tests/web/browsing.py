"""A real browser at the page: Debian's Chromium, watched for everything that should not happen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

PROGRAM = Path(os.environ.get("LEAKGAUGE_CHROMIUM", "/usr/bin/chromium"))
_WATCH = "addEventListener('securitypolicyviolation', (one) => violated(`${one.violatedDirective} ${one.blockedURI}`))"
_NUMBERS = ".numbers > div"


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium without a window; skips where it is not installed."""
    if not PROGRAM.exists():
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail(f"LEAKGAUGE_REQUIRE=all but there is no {PROGRAM}")
        pytest.skip("Chromium is not installed here; set LEAKGAUGE_CHROMIUM")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            chromium.close()


@dataclass
class Visit:
    """A page that is being looked at.

    Attributes:
        page: of the browser.
        wrong: console errors, page errors, violations of the policy, requests to other machines.
    """

    page: Page
    wrong: list[str] = field(default_factory=list)

    def choose(self, table: str, secret: str, *background: str) -> None:
        """Open a table by its path and give its columns their roles."""
        self.page.get_by_label("Path in").fill(table)
        self.page.get_by_role("button", name="Open", exact=True).click()
        self.page.get_by_label(f"{secret} is the secret").check()
        for name in background:
            self.page.get_by_label(f"{name} is background").check()
        self.page.locator(".curve .line").wait_for()

    @property
    def handle(self) -> Locator:
        """The handle on the curve."""
        return self.page.get_by_role("slider")

    def numbers(self) -> dict[str, str]:
        """What stands beside the curve, by its name."""
        lines = self.page.locator(_NUMBERS)
        return {
            lines.nth(at).locator("dt").inner_text(): lines.nth(at).locator("dd").first.inner_text()
            for at in range(lines.count())
        }

    def heat(self) -> list[list[str]]:
        """The percentages in the map of the channel."""
        return [row.split("\t") for row in self.page.evaluate(_HEAT)]

    def overflow(self) -> float:
        """How many pixels of the page lie beside the screen."""
        wide: float = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return wide


_HEAT = """() => [...document.querySelectorAll('.channel tbody tr')].map(
    (row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent).join('\\t'))"""


@contextmanager
def visiting(
    chromium: Browser,
    entry: str,
    *,
    width: int = 1280,
    language: str = "en",
    missteps: bool = False,
    touch: bool = False,
) -> Iterator[Visit]:
    """The page in a browser of its own, which must have done nothing wrong by the end.

    Args:
        chromium: the browser.
        entry: the address with its token.
        width: of the screen, in pixels.
        language: the browser asks for.
        missteps: whether answers that are no are expected; the browser writes those to its console.
        touch: whether the screen takes fingers.
    """
    context = chromium.new_context(viewport={"width": width, "height": 900}, locale=language, has_touch=touch)
    try:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit = Visit(context.new_page())
        _watch(visit, missteps)
        visit.page.goto(entry)
        visit.page.locator("#table .files li").first.wait_for()
        yield visit
        assert visit.wrong == []
    finally:
        context.close()


def _watch(visit: Visit, missteps: bool) -> None:
    def heard(message: Any) -> None:
        told = missteps and "the server responded with a status of" in message.text
        if message.type in ("error", "warning") and not told:
            visit.wrong.append(f"{message.type}: {message.text}")

    def asked(request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            visit.wrong.append(f"request: {request.url}")

    context = visit.page.context
    context.expose_function("violated", lambda what: visit.wrong.append(f"policy: {what}"))
    context.add_init_script(_WATCH)
    context.on("console", heard)
    context.on("weberror", lambda one: visit.wrong.append(f"page: {one.error}"))
    context.on("request", asked)
