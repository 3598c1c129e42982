"""The page before a job: a table, roles, leakage and the curve, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from leakgauge import rounding
from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, running
from tests.web.tables import folder_with_people, people


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(folder_with_people(tmp_path_factory.mktemp("page") / "data", rows=2000)) as server:
        yield server


@pytest.fixture(scope="module")
def curve(served: Served) -> list[dict[str, Any]]:
    """The points of the curve as the server has them, from the least distortion to the most."""
    question = {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"], "points": 31}
    points: list[dict[str, Any]] = served.post("/api/frontier", question).fields["points"]
    return sorted(points, key=lambda one: one["distortion"])


def shown(point: dict[str, Any]) -> dict[str, str]:
    """What the server wrote of a point."""
    lines = re.findall(r"<dt>(.*?)</dt><dd class=\"value\">(.*?)</dd>", point["numbers"])
    return {name: unescape(re.sub(r"<[^>]*>", "", told)) for name, told in lines}


def agrees(visit: Visit, point: dict[str, Any]) -> None:
    """The numbers and the map of the channel are those of the point."""
    assert visit.numbers() == shown(point) != {}
    for told, row in zip(visit.heat(), point["matrix"], strict=True):
        for written, probability in zip(told, row, strict=True):
            if probability < 1e-9:
                assert written == ""
            elif probability < 0.005:
                assert written == "<1"
            else:
                assert abs(float(written) - 100 * probability) <= 0.5 + 1e-9


def place(visit: Visit, curve: list[dict[str, Any]]) -> int:
    """Which point of the curve the handle is on."""
    at = float(visit.handle.get_attribute("aria-valuenow") or "nan")
    return min(range(len(curve)), key=lambda one: abs(curve[one]["distortion"] - at))


def test_the_first_view_is_there_at_once(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.page.goto(f"{served.address}/")
        visit.page.get_by_role("heading", name="Table").wait_for()
        seconds = visit.page.evaluate("performance.getEntriesByName('ready')[0].startTime / 1000")
        print(f"first view after {seconds:.3f} s")  # noqa: T201 - the number is what is asked for
        # Under 1 s is what is promised; a machine that is busy with other tests gets some more.
        assert 0 < seconds < 3
        expect(visit.page.get_by_role("heading", level=1)).to_have_text("Leakgauge")


def test_a_key_moves_the_handle_before_the_curve_is_drawn(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.page.evaluate("() => { ResizeObserver = class { observe() {} } }")
        visit.page.get_by_label("Path in").fill("people.csv")
        visit.page.get_by_role("button", name="Open", exact=True).click()
        visit.give("illness", "secret")
        visit.handle.press("ArrowRight")
        visit.page.locator(".numbers").wait_for()
        assert float(visit.numbers()["Mean distortion"]) > 0


def test_a_table_is_dropped_and_removed(chromium: Browser, served: Served) -> None:
    # A survey that is under way when its table is removed is answered with no.
    with visiting(chromium, served.entry, missteps=True) as visit:
        fact = visit.page.locator("#table .fact")
        visit.drop("dropped.csv", people(50).decode())
        expect(fact).to_contain_text("dropped.csv — 50 rows, 3 columns")
        visit.drop("second.csv", people(51).decode())
        expect(fact).to_contain_text("second.csv — 51 rows, 3 columns")
        expect(visit.page.locator(".held li")).to_contain_text(["dropped.csv"])
        for name in ("second.csv", "dropped.csv"):
            visit.page.get_by_role("button", name=f"Remove {name}").click()
            expect(visit.page.get_by_role("button", name=f"Remove {name}")).to_have_count(0)
            assert name not in {one["name"] for one in served.get("/api/state").fields["tables"]}
        expect(visit.page.locator("#roles .waits")).to_have_text("Open a table first.")


def test_a_table_on_its_way_can_be_called_back(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, missteps=True) as visit:
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
        visit.page.context.new_cdp_session(visit.page).send("Network.emulateNetworkConditions", slow)
        visit.drop("large.csv", "a,b\n" + "1,2\n" * 500_000)
        visit.page.wait_for_function("() => document.querySelector('#table progress')?.value > 0")
        expect(visit.page.locator("#table .busy")).to_contain_text("of 2000004 bytes")
        visit.page.get_by_role("button", name="Cancel").click()
        expect(visit.page.locator("#table progress")).to_have_count(0)
        expect(visit.page.locator("#table [role=alert]")).to_be_hidden()
        assert "large.csv" not in {one["name"] for one in served.get("/api/state").fields["tables"]}


def test_the_zone_is_a_button_too(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit, visit.page.expect_file_chooser() as chosen:
        visit.page.get_by_role("button", name="Drop a table here").press("Enter")
        files = [FilePayload(name=f"picked{rows}.csv", mimeType="text/csv", buffer=people(rows)) for rows in (60, 61)]
        chosen.value.set_files(files)
        expect(visit.page.locator("#table .fact")).to_contain_text("picked61.csv — 61 rows, 3 columns")
        expect(visit.page.locator(".held li").first).to_contain_text("picked60.csv")


def test_only_the_secret_and_public_columns_are_published(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.page.get_by_role("button", name="people.csv").click()
        fate = visit.page.locator(".fate")
        expect(fate).to_have_text("Columns that are not published (3): city, age, illness.")
        visit.give("illness", "secret")
        visit.give("city", "background")
        expect(fate).to_have_text("Columns that are not published (2): city, age.")
        visit.give("age", "public")
        expect(fate).to_have_text("Columns that are not published (1): city.")
        city = visit.page.locator("tr", has=visit.role("city"))
        expect(city).to_contain_text("known to the attacker, not published")
        visit.give("city", "both")
        expect(city).to_contain_text("published unchanged, known to the attacker")
        expect(fate).to_have_text("Every column is published.")
        visit.give("city", "secret")
        expect(fate).to_have_text("Every column is published.")
        visit.give("illness", "withheld")
        expect(fate).to_have_text("Columns that are not published (1): illness.")
        visit.give("age", "unit")
        visit.give("illness", "unit")
        expect(visit.role("age")).to_have_value("none")
        expect(fate).to_have_text("Columns that are not published (2): age, illness.")


def test_leakage_is_told_with_its_intervals(chromium: Browser, served: Served) -> None:
    question = {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"]}
    found = served.post("/api/measure", question).fields
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        findings = visit.page.locator("#leakage .told")
        for name in ("entropy", "background_floor"):
            value, low, high = (found[name][end] for end in ("value", "low", "high"))
            told, least, most = (
                rounding.written(rounding.rounded(end))
                for end in (value, rounding.at_least(low), rounding.at_most(high))
            )
            expect(findings).to_contain_text(f"{told} [{least}, {most}] bits")
        drawn = visit.page.locator("#leakage img")
        expect(drawn).to_be_visible()
        assert drawn.evaluate("(one) => one.naturalWidth") > 100


def test_the_handle_is_dragged_along_the_curve(chromium: Browser, served: Served, curve: list[dict[str, Any]]) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.surveyed()
        visit.page.get_by_label("The point chosen on the curve").check()
        visit.handle.scroll_into_view_if_needed()
        first = place(visit, curve)
        agrees(visit, curve[first])
        mouse, knob = visit.page.mouse, visit.handle.locator(".knob").bounding_box()
        assert knob is not None
        mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
        mouse.down()
        passed = {first}
        for way in range(1, 21):
            mouse.move(knob["x"] + 12 * way, knob["y"] + 6 * way)
            passed.add(place(visit, curve))
            agrees(visit, curve[place(visit, curve)])
        mouse.up()
        last = place(visit, curve)
        assert last > first and len(passed) > 5, "it stopped on the way"
        mouse.move(knob["x"], knob["y"])
        assert place(visit, curve) == last, "let go, it stays"
        assert curve[last]["leakage"] < curve[first]["leakage"]


def test_the_handle_follows_a_finger(chromium: Browser, served: Served, curve: list[dict[str, Any]]) -> None:
    with visiting(chromium, served.entry, width=400, touch=True) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.surveyed()
        # Answers that come in above the curve move it: once two looks find the page equally long, all are there.
        visit.page.wait_for_function(
            "() => { const last = window.long; window.long = document.body.scrollHeight; return last === window.long }",
            polling=1000,
        )
        visit.page.locator(".curve").evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        first, scrolled = place(visit, curve), visit.page.evaluate("scrollY")
        knob = visit.handle.locator(".knob").bounding_box()
        assert knob is not None
        finger = visit.page.context.new_cdp_session(visit.page)
        at = {"x": knob["x"] + knob["width"] / 2, "y": knob["y"] + knob["height"] / 2}
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        for way in range(1, 21):
            moved = {"x": at["x"] + 4 * way, "y": at["y"] + 4 * way}
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [moved]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert place(visit, curve) > first + 2
        agrees(visit, curve[place(visit, curve)])
        assert visit.page.evaluate("scrollY") == scrolled, "the page stays where it is"


def test_the_handle_follows_the_arrow_keys(chromium: Browser, served: Served, curve: list[dict[str, Any]]) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.handle.focus()
        for key, at in (
            ("Home", 0),
            ("ArrowRight", 1),
            ("ArrowDown", 2),
            ("PageDown", 7),
            ("ArrowLeft", 6),
            ("ArrowUp", 5),
        ):
            visit.page.keyboard.press(key)
            assert place(visit, curve) == at, key
            agrees(visit, curve[at])
        visit.page.keyboard.press("End")
        agrees(visit, curve[-1])
        visit.page.keyboard.press("ArrowRight")
        assert place(visit, curve) == len(curve) - 1, "there is nothing beyond the end"
        told = visit.handle.get_attribute("aria-valuetext") or ""
        assert shown(curve[-1])["Leakage with background"] in told


def test_what_if_the_attacker_knew_other_columns(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.page.get_by_label("The point chosen on the curve").check()
        other, drawn = visit.page.locator(".learnt"), visit.page.locator(".curve .beside")
        knows = visit.page.locator(".what-if")
        expect(knows.get_by_label("city")).to_be_checked()
        expect(other).to_be_empty()
        knows.get_by_label("age").check()
        expect(drawn).to_be_visible()
        expect(other).to_contain_text("Leakage to this attacker")
        before = other.inner_text()
        visit.handle.press("ArrowRight")
        assert other.inner_text() != before, "it follows the handle"
        visit.page.get_by_label("Least protection").fill("60")
        expect(other).to_contain_text("before anything is released")
        knows.get_by_label("age").uncheck()
        expect(drawn).to_have_count(0)
        expect(knows.get_by_role("button", name="Design against")).to_be_hidden()
        knows.get_by_label("city").uncheck()
        knows.get_by_role("button", name="Design against this knowledge").click()
        expect(visit.role("city")).to_have_value("none")


def test_words_are_explained_beside_them(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, width=400, touch=True) as visit:
        visit.choose("people.csv", "illness", "city")
        marks = visit.page.locator(".mark-help")
        names = {str(one.get_attribute("aria-label")) for one in marks.all()}
        assert {"Explain: secret", "Explain: entropy", "Explain: protection", "Explain: local ε"} <= names
        mark = visit.page.get_by_role("button", name="Explain: local ε")
        meaning = visit.page.locator(".meaning", has_text="times as likely under one true value").and_(
            visit.page.locator(":popover-open")
        )
        mark.tap()
        expect(meaning).to_be_visible()
        place = meaning.bounding_box()
        assert place is not None and place["x"] >= 0 and place["x"] + place["width"] <= 400 and visit.overflow() == 0
        visit.page.keyboard.press("Escape")
        expect(meaning).to_have_count(0)
        mark.press("Enter")
        expect(meaning).to_be_visible()
        expect(mark).to_be_focused()


def test_what_was_chosen_survives_a_reload(chromium: Browser, served: Served, curve: list[dict[str, Any]]) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.handle.press("Home")
        visit.handle.press("ArrowRight")
        visit.page.reload()
        visit.page.locator(".curve .line").wait_for()
        expect(visit.role("city")).to_have_value("background")
        assert place(visit, curve) == 1
        agrees(visit, curve[1])


def test_a_limit_instead_of_a_point_where_there_can_be_one(
    chromium: Browser, served: Served, curve: list[dict[str, Any]]
) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        plan, numbers = visit.page.locator("#protect .fact"), visit.page.locator(".numbers")
        protect = visit.page.get_by_role("button", name="Protect", exact=True)
        expect(plan).to_contain_text("(protection ≥ 60)")
        expect(plan).to_contain_text("about 6 s, by the rows and values of this table")
        assert visit.limit("Least protection", "75") == ""
        expect(plan).to_contain_text("(protection ≥ 75)")
        expect(numbers).to_be_hidden()
        expect(visit.page.locator(".board")).to_contain_text("The job finds the channel for this limit")
        for label in ("Least protection", "At least this much usefulness"):
            visit.page.get_by_label(label).fill("101")
            expect(visit.page.locator("#choose [role=alert]:visible")).to_contain_text("A score runs from 0 to 100")
            expect(protect).to_be_disabled()
            visit.page.get_by_label(label).fill("30")
            expect(protect).to_be_enabled()
        visit.page.get_by_label("Most bits leaked").fill("0.75")
        expect(plan).to_contain_text("(≤ 0.75 bits)")
        met = next(at for at, one in enumerate(curve) if one["leakage_with_background"] <= 0.75)
        assert place(visit, curve) == met, "the handle goes where the limit is met"
        agrees(visit, curve[met])
        visit.page.get_by_label("Instead: local differential privacy").check()
        expect(protect).to_be_disabled()
        visit.page.get_by_label("Largest local ε").fill("0.5")
        expect(plan).to_contain_text("(local ε ≤ 0.5)")
        expect(numbers).to_be_hidden()
        visit.handle.press("ArrowRight")
        expect(visit.page.get_by_label("The point chosen on the curve")).to_be_checked()
        expect(plan).to_contain_text("(distortion ≤ ")
        agrees(visit, curve[met + 1])
        for label, value, told in (
            ("Largest local ε", "-1", "A limit is a number of at least 0; give one."),
            ("Largest local ε", "0", "With ε = 0 nothing useful can be released"),
            ("Most bits leaked", "99", "There are only 1."),
            ("Most bits leaked", "0.01", "The background alone reveals 0."),
        ):
            assert told in visit.limit(label, value)
            expect(protect).to_be_disabled()
        least = visit.limit("Most bits leaked", "0.01").split("reveals ")[1].split(" ")[0]
        assert visit.limit("Most bits leaked", least) == "", "what it names can be asked for"
        expect(protect).to_be_enabled()


def test_every_option_that_decides_the_report_is_asked_for(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, missteps=True) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.page.get_by_text("More that decides the report").click()
        with visit.page.expect_response(lambda answer: "/api/frontier" in answer.url):
            visit.page.get_by_label("The release keeps").select_option("nothing")
        visit.page.locator(".curve .line").wait_for()
        expect(visit.page.locator("figcaption")).to_contain_text("Below the curve nothing is possible")
        given = {"purpose": "wards", "recipient": "health", "review": "2099-01-01", "policy": "own.toml"}
        for name, text in {**given, "ledger": "ours.db", "releases_per_period": "0"}.items():
            visit.page.locator(f".declared [name={name}]").fill(text)
        expect(visit.page.locator("#choose [role=alert]:visible")).to_contain_text("more than 0 times in a period")
        visit.page.locator("[name=releases_per_period]").fill("12")
        visit.page.route("**/api/jobs", lambda route: route.fulfill(status=400, json={"error": "Not today."}))
        with visit.page.expect_request("**/api/jobs") as sent:
            visit.page.get_by_role("button", name="Protect", exact=True).click()
        asked = sent.value.post_data_json or {}
        assert {name: asked[name] for name in given} == given
        assert (asked["keep"], asked["ledger"], asked["releases_per_period"]) == ("nothing", "ours.db", 12)
        expect(visit.page.locator("#protect [role=alert]")).to_have_text("Not today.")


def test_nothing_is_beside_a_narrow_screen(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, width=400) as visit:
        assert visit.overflow() == 0
        visit.choose("people.csv", "illness", "city")
        for switch, title in (("English", "Leakage"), ("中文", "泄露量")):
            visit.page.get_by_role("button", name=switch).click()
            visit.page.get_by_role("heading", name=title).wait_for()
            visit.page.locator(".curve .line").wait_for()
            visit.page.locator("#leakage img").wait_for()
            assert visit.overflow() == 0
            expect(visit.page.locator("#leakage .wide")).to_be_visible()
            assert (visit.page.locator(".curve").bounding_box() or {"width": 0})["width"] > 280
        for open_details in visit.page.locator("details summary").all():
            open_details.click()
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes:
            visit.page.emulate_media(color_scheme=scheme)
            assert visit.faint() == [] and visit.nameless() == [] and visit.overflow() == 0
