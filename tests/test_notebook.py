"""What a notebook shows: tables that any reader of HTML takes, nothing that runs, and the numbers of the types."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import leakgauge as lg
from leakgauge import rounding
from leakgauge.artefacts.verdict import ReleaseFacts
from leakgauge.assessment.judging import judgement
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.terms import Terms
from leakgauge.audit import attack, lower_bound
from leakgauge.case.law import ReleaseLaw
from leakgauge.design import RateDistortion, Solution, solve
from leakgauge.measures import estimate, mutual_information
from leakgauge.notions import Level, levels
from leakgauge.randomness import Simulated
from leakgauge.release import Release, release
from leakgauge.sentences import Sentence
from leakgauge.telling.voice import spelled
from tests.notebooks import executed
from tests.release.people import opened
from tests.release.people import people as table_of_people

EXAMPLE = Path(__file__).parents[1] / "examples" / "notebooks" / "first_look.py"
HOSTILE = '<b onclick="x()">&amp;\'</b>\x00\ud800'


def shown(one: object) -> ElementTree.Element:
    """What an object shows, read by a strict parser."""
    html: str = one._repr_html_()  # type: ignore[attr-defined]
    html.encode("utf-8")
    return ElementTree.fromstring(html)


def cells(page: ElementTree.Element) -> list[list[str]]:
    """The text of each row below the heads."""
    return [["".join(cell.itertext()) for cell in row] for row in page.findall(".//tbody/tr")]


def caption(page: ElementTree.Element) -> str:
    """Of the first table."""
    return page.findtext(".//caption") or ""


def said(page: ElementTree.Element) -> str:
    """Every text, one after the other."""
    return "".join(page.itertext())


def fields(one: object) -> dict[str, str]:
    return {row[0]: row[1] for row in cells(shown(one))}


@pytest.fixture(scope="module")
def joint() -> lg.Joint:
    return lg.Joint(["flu", None, "none"], ["Oslo", "Bergen"], [[0.1, 0.2], [0.05, 0.15], [0.25, 0.25]])


@pytest.fixture(scope="module")
def best(joint: lg.Joint) -> Solution:
    return solve(RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(0.2), lg.Knowledge.ATTACKER))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Release:
    plan = lg.ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|none|cold"}, public=["city"])
    place: Path = tmp_path_factory.mktemp("notebook") / "out.csv"
    return release(plan, opened(60), place, randomness=Simulated(1))


def test_numbers_of_distributions_joints_channels_and_counts(joint: lg.Joint) -> None:
    assert cells(shown(joint.row_marginal())) == [["flu", "0.3"], ["(missing)", "0.2"], ["none", "0.5"]]
    table = shown(joint)
    assert cells(table) == [["flu", "0.1", "0.2"], ["(missing)", "0.05", "0.15"], ["none", "0.25", "0.25"]]
    assert ["".join(cell.itertext()) for cell in table.findall(".//thead/tr/th")] == [
        "rows \\ columns",
        "Oslo",
        "Bergen",
    ]
    assert caption(table) == "Joint p(x, z) of 3 rows and 2 columns"
    assert cells(shown(lg.Channel.identity(["a", "b"]))) == [["a", "1", "0"], ["b", "0", "1"]]
    counts = lg.Counts({"illness": ["flu", "none"], "city": ["A", "B"]}, [[1234, 0], [2, 4]])
    assert cells(shown(counts)) == [["flu", "A", "1,234"], ["none", "A", "2"], ["none", "B", "4"]]
    assert "1,240 rows" in caption(shown(counts))


def test_an_estimate_has_its_interval_and_a_scenario_its_parts(joint: lg.Joint) -> None:
    counts = lg.Counts({"x": ["a", "b"], "y": ["c", "d"]}, [[40, 10], [20, 30]])
    found = estimate(mutual_information, counts, ["x"], ["y"])
    low, high = rounding.at_least(found.low), rounding.at_most(found.high)
    words = said(shown(found))
    assert f"{found.value:.3g} [{low:.3g}, {high:.3g}]" in words and "from 100 observations" in "".join(
        shown(found).itertext()
    )
    parts = fields(lg.Scenario(joint, lg.Channel.identity(joint.rows)))
    assert (parts["secrets X"], parts["releases Y"], parts["backgrounds Z"]) == ("3", "3", "2")


def test_a_solution_has_its_units_and_its_gap(best: Solution) -> None:
    page = shown(best)
    heads = ["".join(cell.itertext()) for cell in page.findall(".//thead/tr/th")]
    (row,) = cells(page)
    told = dict(zip(heads, row, strict=True))
    assert told["I(X;Y)"] == f"{best.leakage:.3g} bits"
    assert told["I(X;Y,Z)"] == f"{best.leakage_with_background:.3g} bits"
    assert best.gap < 1e-9 and told["Gap"] == "1e-09 bits"
    assert told["ε"] == ("infinite" if np.isinf(best.epsilon) else f"{rounding.at_most(best.epsilon):.3g}")
    assert "weighted bits" not in told


def test_a_level_has_its_witness(joint: lg.Joint) -> None:
    response = lg.mechanisms.randomized_response(1.0, letters=["a", "b"]).channel()
    level: Level = levels(response)["local-dp"]
    assert cells(shown(level)) == [["local-dp", "1", "a against b at a"]]
    assert cells(shown(levels(lg.Channel.identity(["a", "b"]))["local-dp"]))[0][1] == "infinite"


def test_a_release_and_what_attacks_find(made: Release) -> None:
    page = shown(made)
    words = "".join(page.itertext())
    assert f"{made.output.name}: 60 rows" in words and made.digest[:16] in words
    assert cells(page) == [["illness", "randomized-response", "none: a simulation"], ["city", "public", "none"]]
    assert "SIMULATION, NOT PRIVATE" in words
    found = attack(made, opened(60), simulation_seed=1)
    assert found
    for finding in found:
        (seen,) = cells(shown(finding))
        assert seen[2].startswith(f"{rounding.percent(finding.success.value)} [")
        assert f"{finding.exposed:,}" in seen
        assert ("It beats the claim." in said(shown(finding))) == finding.beats_claim


def test_what_an_audit_shows() -> None:
    found = lower_bound(
        lg.mechanisms.randomized_response(1.0, letters=["<a>", "b"]), samples=5000, randomness=Simulated(1)
    )
    told = fields(found)
    assert told["claimed, at most"].endswith("ε 1") and told["violated"] == "no"
    assert told["shown"] == f"at least {rounding.at_least(found.at_least):.3g}"
    assert ["inputs", "<a>"] in cells(shown(found))


def test_a_verdict_and_a_search() -> None:
    people = lg.Distribution(["ill", "well"], [0.3, 0.7])
    law = ReleaseLaw(people, lg.mechanisms.randomized_response(1.0, letters=people.outcomes).channel())
    verdict = judgement({("illness",): evidence_by_law(law)}, Terms(), ReleaseFacts(vetoes=(Sentence(HOSTILE),)))
    page = shown(verdict)
    assert "Recommendation: do not release." in said(page) and "Veto: <b onclick" in said(page)
    tiles = {one.findtext("b"): "".join(one.find("strong").itertext()) for one in page.findall(".//div/ul/li[b]")}  # type: ignore[union-attr]
    assert tiles["protection"] == "0"
    assert tiles["usefulness"] == f"{rounding.at_least(verdict.usefulness.ends[0]):.3g}"
    found = lg.improve(table_of_people(300), secret="illness", min_protection=60.0)
    kept = [row for row in cells(shown(found)) if row[-1] == "yes"]
    assert kept and spelled(found.require().said) in {row[0] for row in kept}


def test_nothing_that_a_label_says_becomes_markup() -> None:
    one = lg.Joint([HOSTILE, ("x", "<i>")], ["</table>", '"'], [[0.25, 0.25], [0.25, 0.25]])
    table = shown(one)
    assert {tag.tag for tag in table.iter()} <= {
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "span")
    }
    known = {"scope", "style", "class", "role", "aria-label", "tabindex"}
    assert all(set(tag.attrib) <= known for tag in table.iter())
    assert {tag.get("style") for tag in table.iter()} <= {None, "text-align:left", "text-align:right"}
    assert cells(table)[0][0] == '<b onclick="x()">&amp;\'</b>\\x00\\ud800'
    assert cells(table)[1][0] == "x|<i>"
    assert not re.search(r"<(script|style|b|i)\b", one._repr_html_())


def test_a_missing_label_is_not_taken_for_the_word() -> None:
    page = shown(lg.Distribution([None, "(missing)"], [0.5, 0.5]))
    assert [row[0] for row in cells(page)] == ["(missing)", "'(missing)'"]


def test_large_tables_are_cut_and_say_so() -> None:
    size = 100_000
    wide = lg.Channel.identity(range(size))
    table = shown(wide)
    assert len(cells(table)) == 20 and {len(row) for row in cells(table)} == {21}
    assert "More rows: 99,980; more columns: 99,980" in said(table)
    assert cells(table)[3][4] == "1"
    assert "More rows" in said(shown(lg.Distribution.uniform(range(21))))
    assert "More rows" not in said(shown(lg.Distribution.uniform(range(20))))
    assert len(lg.Distribution(["x" * 10_000], [1.0])._repr_html_()) < 1000


def test_numbers_have_three_digits_and_texts_are_flush_left() -> None:
    page = shown(lg.Distribution(["a", "b"], [0.123456, 0.876544]))
    assert [row[1] for row in cells(page)] == ["0.123", "0.877"]
    sides = [[cell.get("style") for cell in row] for row in page.findall(".//tbody/tr")]
    assert sides == [["text-align:left", "text-align:right"]] * 2


def test_what_a_mechanism_its_levels_a_plan_and_a_table_show(made: Release) -> None:
    response = lg.mechanisms.randomized_response(1.0, letters=["<a>", "b"])
    assert fields(response) == {"epsilon": "1", "letters": "<a>|b", "claims": "local-dp at most 1", "values": "2"}
    assert cells(shown(levels(response.channel())))[0] == ["local-dp", "1", "<a> against b at <a>"]
    channel = lg.Channel.identity(["flu", "none"])
    plan = lg.ReleasePlan({"illness": channel, "visits": response}, public=["age"], bins={"age": "width:10"})
    assert cells(shown(plan)) == [
        ["illness", "a channel of 2 by 2 values", ""],
        ["visits", "randomized-response:epsilon=1.0,letters=<a>|b", ""],
        ["age", "nothing: it is public", "width:10"],
    ]
    table = opened(60)
    names = [(one.name, one.kind.words) for one in table.columns()]
    assert list(map(tuple, cells(shown(table)))) == names and "60 rows" in caption(shown(table))


def test_the_example_notebook_shows_what_it_says() -> None:
    """Run ``python -m tests.notebooks FILE`` to write what it shows now."""
    assert EXAMPLE.read_text(encoding="utf-8") == executed(EXAMPLE).rstrip("\n") + "\n"
