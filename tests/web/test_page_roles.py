"""Roles for every column, and the survey of them, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from leakgauge.randomness import simulation
from leakgauge.rounding import at_least
from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, running

ENDED = 180_000
"""Milliseconds that a job may take on a busy machine."""
ILLNESSES, INCOMES, CITIES = ("asthma", "none", "flu"), ("low", "high"), ("Aachen", "Bergen", "Cork")


def visits(place: Path, rows: int) -> None:
    """People of two rows each, with an id that names them, and secrets that their city tells something of."""
    draw = simulation(5)
    lines = ["id,city,sex,illness,income"]
    for row in range(rows):
        city = int(draw.integers(3))
        illness = city if draw.random() < 0.4 else int(draw.integers(3))
        income = city % 2 if draw.random() < 0.3 else int(draw.integers(2))
        sex = "fm"[int(draw.integers(2))]
        lines.append(f"p{row // 2:04d},{CITIES[city]},{sex},{ILLNESSES[illness]},{INCOMES[income]}")
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("roles") / "data"
    folder.mkdir()
    visits(folder / "visits.csv", 800)
    visits(folder / "few.csv", 80)
    with running(folder) as server:
        yield server


def chosen(visit: Visit, table: str = "visits.csv", **roles: str) -> None:
    visit.page.get_by_label("Path in").fill(table)
    visit.page.get_by_role("button", name="Open", exact=True).click()
    for column, role in roles.items():
        visit.give(column, role)


def protect(visit: Visit, told: str) -> None:
    """Run the job to its end, which must be this one."""
    visit.page.get_by_role("button", name="Protect", exact=True).click()
    expect(visit.page.locator("#protect .status")).to_contain_text(told, timeout=ENDED)


def test_two_secrets_a_public_column_background_and_a_unit(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        page = visit.page
        chosen(visit, illness="secret", income="secret", sex="public", city="background", id="unit")
        page.get_by_label("Rows per person at most").fill("2")
        page.locator(".curve .line").wait_for()
        for name in ("illness", "income"):
            page.get_by_label(f"Most distortion of {name}").fill("0.3")
        expect(page.locator("#protect .fact")).to_contain_text("illness, income (distortion ≤ 0.3)")
        page.get_by_label("Secret shown here").first.select_option(label="\u2068income\u2069")
        expect(page.locator("#leakage .told")).to_contain_text("Information about income")
        page.get_by_label("Least protection").fill("20")
        protect(visit, "Done")
        job = served.get("/api/state").fields["jobs"][0]
        asked = job["asked"]
        assert asked["secret"] == ["illness", "income"] and asked["public"] == ["sex"]
        assert (asked["background"], asked["unit"], asked["rows_per_unit"]) == (["city"], "id", 2)
        left = json.loads((served.results / job["id"] / "job.json").read_text(encoding="utf-8"))
        assert [one["secret"] for one in left["secrets"]] == [["illness"], ["income"]]
        table = page.locator("#result .told tr")
        for one in left["secrets"]:
            row = table.filter(has=page.locator("td", has_text=re.compile(f"^{one['secret'][0]}$"))).first
            expect(row).to_contain_text(f"{one['leakage_after']['value']:.3g}")
            expect(row).to_contain_text(f"{at_least(one['scores']['protection']['value']):.3g}")
        expect(page.locator("#result")).to_contain_text("all of them at once")
        page.locator(".scores").wait_for()
        page.get_by_label("Scores, criteria and pictures of").select_option("1")
        own = left["secrets"][1]["scores"]["protection"]["value"]
        expect(page.locator("[data-score=protection] .value")).to_contain_text(f"{at_least(own):.3g}")
        expect(page.locator("#result .other")).to_have_count(0)
        visit.give("sex", "none")
        expect(page.locator("#result .other")).to_contain_text("another set of public columns")
        page.get_by_role("button", name="Take its settings").click()
        expect(visit.role("sex")).to_have_value("public")
        expect(page.locator("#result .other")).to_have_count(0)
        assert visit.faint() == [] and visit.nameless() == [] and visit.overflow() == 0


def test_the_column_that_orders_the_rows_is_one_that_can_be_seen(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        page = visit.page
        chosen(visit, illness="secret", sex="public")
        orders = page.get_by_label("Column that orders the rows, such as a time")
        expect(orders.locator("option")).to_have_text(["none", "sex"])
        page.get_by_label("Keep the rows in the table's order").check()
        orders.select_option("id")
        expect(orders).to_have_value("id")
        page.get_by_label("Keep the rows in the table's order").uncheck()
        expect(orders).to_have_value("")
        assert visit.faint() == [] and visit.nameless() == [] and visit.overflow() == 0


def test_secrets_together_have_one_curve(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        chosen(visit, illness="secret", income="secret")
        visit.page.get_by_label("Protect the secrets together").check()
        expect(visit.page.locator("#leakage .told")).to_contain_text("Information about illness, income")
        expect(visit.page.locator(".channel tbody tr")).to_have_count(6)
        visit.page.get_by_label("Least protection").fill("40")
        expect(visit.page.locator(".goals [role=alert]:visible")).to_contain_text("one secret at a time")


def test_an_opened_table_is_surveyed_and_its_rows_are_masked(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        chosen(visit)
        row = {name: visit.page.locator("tr", has=visit.role(name)) for name in ("id", "city", "sex")}
        expect(row["id"]).to_contain_text("Identifies people: ")
        expect(row["id"]).to_contain_text("Different values: 400")
        expect(row["city"].locator(".bars rect")).to_have_count(3)
        expect(visit.page.locator(".take")).to_have_count(0)
        visit.page.get_by_text("First rows").click()
        rows = visit.page.locator(".rows tbody")
        expect(rows).to_contain_text("x0000")
        assert not any(name in rows.inner_text() for name in (*CITIES, *ILLNESSES))
        visit.page.get_by_label("Show the values").check()
        expect(rows).to_contain_text("p0000")
        visit.give("illness", "secret")
        visit.give("income", "withheld")
        expect(row["city"]).to_contain_text(re.compile("illness: .* bits, guessed .*income: "))
        expect(row["sex"]).to_contain_text("no more than chance")
        expect(row["sex"]).to_contain_text("Suggested role: public: reveals little")
        row["sex"].get_by_role("button", name="Take the suggested role of sex").click()
        expect(visit.role("sex")).to_have_value("public")
        expect(visit.role("sex")).to_be_focused()
        visit.give("id", "public")
        visit.page.get_by_role("button", name="Take all suggested roles").click()
        for name, role in (("id", "none"), ("illness", "secret"), ("income", "withheld"), ("sex", "public")):
            expect(visit.role(name)).to_have_value(role)
        assert visit.faint() == [] and visit.nameless() == []


LONG, TURNED = "long_" + "x" * 295, "\u202e\u05e9\u05dd"
"""Names of columns: of 300 letters, and from right to left with a mark that turns what follows."""


def test_many_columns_are_filtered_and_given_roles_at_once(chromium: Browser, served: Served) -> None:
    names = [LONG, TURNED, *(f"c{at}" for at in range(498))]
    lines = [",".join(names), *(",".join(f"{(at * 7 + row) % 5}" for at in range(500)) for row in range(60))]
    (served.folder / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with visiting(chromium, served.entry, width=400) as visit:
        chosen(visit, "wide.csv")
        many = visit.page.locator(".many")
        expect(many).to_contain_text("500 of 500 columns shown, 0 selected")
        visit.page.get_by_label("Filter").fill("C49")
        expect(many).to_contain_text("9 of 500 columns shown, 0 selected")
        visit.page.get_by_label("Select all shown").check()
        visit.page.get_by_label("Role of the selected columns").select_option("background")
        visit.page.get_by_role("button", name="Give them this role").click()
        expect(visit.role("c490")).to_have_value("background")
        expect(visit.role("c5")).to_have_value("none")
        visit.page.get_by_label("Filter").fill("")
        visit.page.locator("[name=narrow]").select_option("given")
        expect(visit.role("c5")).to_be_hidden()
        visit.page.locator("[name=narrow]").select_option("all")
        expect(visit.page.locator("bdi", has_text="\\u202e").first).to_be_visible()
        assert visit.overflow() == 0


def test_a_column_that_names_people_is_refused_and_published_all_the_same(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, missteps=True) as visit:
        chosen(visit, "few.csv", illness="secret", id="public")
        visit.page.locator(".curve .line").wait_for()
        visit.page.get_by_label("The point chosen on the curve").check()
        protect(visit, "The answer is no: Columns that identify people are to be published: id (")
        accept = visit.page.locator("#protect").get_by_label("Publish id all the same")
        expect(visit.page.locator("#roles").get_by_label("Publish id all the same")).not_to_be_checked()
        accept.check()
        expect(visit.page.locator("#roles").get_by_label("Publish id all the same")).to_be_checked()
        visit.page.route("**/api/jobs", lambda route: route.fulfill(status=400, json={"error": "Not today."}))
        with visit.page.expect_request("**/api/jobs") as sent:
            visit.page.get_by_role("button", name="Protect", exact=True).click()
        assert (sent.value.post_data_json or {})["accept_unique"] == ["id"]
