"""The page where something is in the way: what it says, and the way out it offers, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, running
from tests.web.tables import folder_with_people


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(folder_with_people(tmp_path_factory.mktemp("ways") / "data", rows=400)) as server:
        yield server


def open_table(visit: Visit, path: str) -> None:
    visit.page.get_by_label("Path in").fill(path)
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("#table .fact")).to_contain_text(f"{path} — ")


def test_many_values_have_ways_on(chromium: Browser, served: Served) -> None:
    zips = "".join(f"z{row % 90},{row},s{row}\n" for row in range(100_000))
    (served.folder / "many.csv").write_text("zip,pay,street\n" + zips)
    with visiting(chromium, served.entry, missteps=True) as visit:
        open_table(visit, "many.csv")
        ways = visit.page.locator(".ways")
        # Of very many values even the most frequent one is rare; its bars are drawn all the same.
        rare = visit.page.locator("tr", has=visit.role("street")).locator(".bars")
        expect(rare).to_have_accessible_name(re.compile("The most frequent value is in 0.005 ?% of the rows"))
        visit.give("zip", "secret")
        expect(ways).to_contain_text("zip has 90 values, but the curve is drawn for up to 60.")
        expect(ways).to_contain_text("set a limit above")
        assert ways.get_by_role("button").count() == 0, "texts have no ranges"
        assert visit.limit("Largest local ε", "1") == ""
        expect(visit.page.locator("#protect .fact")).to_contain_text("(local ε ≤ 1)")
        visit.give("zip", "none")
        visit.give("pay", "secret")
        expect(ways).to_contain_text("pay has 100,000 values")
        assert "too many for a limit on ε" in visit.limit("Largest local ε", "1")
        ways.get_by_role("button").click()
        visit.page.locator(".curve .line").wait_for()
        assert visit.page.locator(".channel tbody tr").count() == 10
        expect(visit.page.locator(".roles .bins:visible input")).to_have_value("quantiles:10")


def test_what_is_wrong_is_said_where_it_is_and_later_steps_wait(chromium: Browser, served: Served) -> None:
    (served.folder / "constant.csv").write_text("a,b\n" + "x,1\nx,2\n" * 30)
    with visiting(chromium, served.entry, missteps=True) as visit:
        visit.page.get_by_label("Path in").fill("../people.csv")
        visit.page.keyboard.press("Enter")
        answer = served.post("/api/tables", {"path": "../people.csv"})
        expect(visit.page.locator("#table [role=alert]")).to_have_text(answer.error)
        open_table(visit, "constant.csv")
        expect(visit.page.locator("#table [role=alert]")).to_be_hidden()
        visit.give("a", "secret")
        expect(visit.page.locator("#leakage [role=alert]")).to_contain_text("'a'")
        expect(visit.page.locator("#choose .body")).to_have_text("What leaks could not be measured; step 3 says why.")
        expect(visit.page.get_by_role("button", name="Protect", exact=True)).to_be_disabled()
        visit.give("a", "none")
        visit.give("b", "secret")
        visit.page.locator(".curve .line").wait_for()
        expect(visit.page.get_by_role("button", name="Protect", exact=True)).to_be_enabled()


def test_a_table_that_changed_is_opened_again_with_its_roles(chromium: Browser, served: Served) -> None:
    place = served.folder / "changing.csv"
    lines = (served.folder / "people.csv").read_text().splitlines()
    place.write_text("\n".join(lines[:101]) + "\n")
    with visiting(chromium, served.entry, missteps=True) as visit:
        visit.choose("changing.csv", "illness", "city")
        assert visit.limit("Most bits leaked", "0.9") == ""
        place.write_text("\n".join(lines[:121]) + "\n")
        visit.give("age", "public")
        visit.page.get_by_role("button", name="Open it again").first.click()
        expect(visit.page.locator("#table .fact")).to_contain_text("changing.csv — 120 rows")
        expect(visit.page.locator("#leakage .told")).to_be_visible()
        for column, role in (("illness", "secret"), ("city", "background"), ("age", "public")):
            expect(visit.role(column)).to_have_value(role)
        expect(visit.page.get_by_label("Instead: leak at most")).to_be_checked()
        expect(visit.page.get_by_label("Most bits leaked")).to_have_value("0.9")


def test_a_background_that_does_not_help_to_guess(chromium: Browser, served: Served) -> None:
    rows = "x,m\nx,f\nx,m\nx,f\ny,m\n" * 40
    (served.folder / "lopsided.csv").write_text("illness,sex\n" + rows)
    with visiting(chromium, served.entry) as visit:
        open_table(visit, "lopsided.csv")
        visit.give("illness", "secret")
        visit.give("sex", "background")
        row = visit.page.locator("#leakage tr").filter(has_text="chance that the best guess is correct")
        expect(row.locator(".number")).to_have_text([re.compile("^80% "), re.compile("^80% ")])


def test_names_from_a_table_are_only_text(chromium: Browser, served: Served) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    turned = "\u202eterces"
    quoted = hostile.replace('"', '""')
    (served.folder / "hostile.csv").write_text(f'"{quoted}",{turned}\n' + f"1,{turned}\n1,b\n2,b\n" * 30)
    with visiting(chromium, served.entry) as visit:
        open_table(visit, "hostile.csv")
        expect(visit.page.locator(".roles tbody .name").first).to_have_text(hostile)
        assert visit.page.locator(".roles img").count() == 0
        visit.give("\\u202eterces", "secret")
        visit.page.locator(".curve .line").wait_for()
        expect(visit.page.locator("#leakage .told")).to_contain_text("Information about \\u202eterces")
        expect(visit.page.locator("#protect .fact bdi")).to_have_text("\\u202eterces")
        expect(visit.page.locator(".channel tbody th bdi")).to_have_text(["b", "\\u202eterces"])
        assert "\u202e" not in visit.page.locator("body").inner_text()
