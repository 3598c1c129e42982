"""A real browser at the page: Debian's Chromium, watched for everything that should not happen."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

PROGRAM = Path(os.environ.get("LEAKGAUGE_CHROMIUM", "/usr/bin/chromium"))
_WATCH = "addEventListener('securitypolicyviolation', (one) => violated(`${one.violatedDirective} ${one.blockedURI}`))"
_NUMBERS = ".numbers > div"
# A machine that is busy with other things makes the page late, not wrong.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


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
        self.give(secret, "secret")
        for name in background:
            self.give(name, "background")
        self.page.locator(".curve .line").wait_for()

    def surveyed(self) -> None:
        """Wait for the survey of the secrets that are chosen: what comes in above the curve moves it."""
        self.page.locator(".surveyed .line .number").first.wait_for()

    def role(self, column: str) -> Locator:
        """The control of a column's role."""
        return self.page.get_by_label(f"Role of {column}", exact=True)

    def give(self, column: str, role: str) -> None:
        """Give a column a role by its control: none, secret, withheld, public, background, both or unit."""
        self.role(column).select_option(role)

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

    def limit(self, label: str, value: str) -> str:
        """What is said beside the field of a limit that is set."""
        self.page.get_by_label(label).fill(value)
        told = self.page.locator(".goals [role=alert]:visible")
        return told.inner_text().replace("\xa0", " ") if told.count() else ""

    def drop(self, name: str, contents: str) -> None:
        """Drop a file as a mouse would."""
        carried = self.page.evaluate_handle(_CARRIED, [name, contents])
        zone = self.page.get_by_role("button", name="Drop a table here")
        zone.dispatch_event("dragover", {"dataTransfer": carried})
        assert zone.get_attribute("class") == "drop over"
        zone.dispatch_event("drop", {"dataTransfer": carried})
        assert zone.get_attribute("class") == "drop"

    def english(self) -> set[str]:
        """English words anywhere on the page that are no names."""
        return english_in(self.page.evaluate(_WORDS))

    def faint(self) -> list[str]:
        """Texts whose contrast is below 4.5."""
        found: list[str] = self.page.evaluate(_FAINT)
        return found

    def nameless(self) -> list[str]:
        """Controls without a name."""
        found: list[str] = self.page.evaluate(_NAMELESS)
        return found

    def overflow(self) -> float:
        """How many pixels of the page lie beside the screen."""
        wide: float = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return wide


def english_in(texts: list[str]) -> set[str]:
    """English words in the texts of a page that are no names."""
    found = set()
    for text in texts:
        found |= set(re.findall(r"[A-Za-z]{3,}", re.sub(r"-[0-9a-f]{12}\b", "", text)))
    return found - NAMES - SPELLINGS


NAMES = {"people", "dropped", "csv", "city", "age", "illness", "asthma", "none", "flu", "gout", "data"}
"""Words of the tables here, which no translation touches."""
SPELLINGS = {
    "Leakgauge",
    "English",
    "CSV",
    "PDF",
    "zip",
    "TSV",
    "Parquet",
    "Excel",
    "SPSS",
    "Stata",
    "SAS",
    "JSON",
    "Python",
    "width",
    "quantiles",
    "edges",
    "Miller",
    "Madow",
    "Cram",
    "CPU",
}
"""Words that are the same in every language."""
_WORDS = """() => {
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!parent.closest('pre, script, .downloads a, .again a')) seen.push(walk.currentNode.data);
  }
  for (const one of document.querySelectorAll('[aria-label], [title], [alt], [aria-valuetext]')) {
    for (const name of ['aria-label', 'title', 'alt', 'aria-valuetext']) seen.push(one.getAttribute(name) || '');
  }
  return seen;
}"""
_FAINT = """() => {
  const linear = (one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
  const shade = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !parent.getClientRects().length) continue;
    const style = getComputedStyle(parent);
    const front = shade(parts(parent.closest('svg') ? style.fill : style.color));
    const back = shade(behind(parent));
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < 4.5) faint.push(`${walk.currentNode.data.trim()}: ${contrast.toFixed(2)}`);
  }
  return faint;
}"""
_NAMELESS = """() => [...document.querySelectorAll('input:not([hidden]), select, button, a, [role]')]
  .filter((one) => one.matches('input, select, button, a, [role=slider], [role=button], [role=region]'))
  .filter((one) => !(one.labels && one.labels.length) && !one.getAttribute('aria-label') && !one.textContent.trim())
  .map((one) => one.outerHTML)"""
_CARRIED = """([name, text]) => {
  const all = new DataTransfer();
  all.items.add(new File([text], name));
  return all;
}"""
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
        missteps: whether answers that are no, or none, are expected; the browser writes those to its console.
        touch: whether the screen takes fingers.
    """
    context = chromium.new_context(viewport={"width": width, "height": 900}, locale=language, has_touch=touch)
    context.set_default_timeout(PATIENCE)
    try:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit = Visit(context.new_page())
        _watch(visit, missteps)
        visit.page.goto(entry)
        visit.page.locator("#table .files li").first.wait_for()
        yield visit
        assert visit.wrong == [], visit.wrong
    finally:
        context.close()


def _watch(visit: Visit, missteps: bool) -> None:
    def heard(message: Any) -> None:
        told = missteps and any(one in message.text for one in ("the server responded with a status of", "net::ERR_"))
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
