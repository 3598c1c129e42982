"""What a notebook shows: tables that any reader of HTML takes, nothing that runs, and the numbers of the types."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import leakgauge as lg
from leakgauge import notebook, rounding
from leakgauge.artefacts.verdict import ReleaseFacts
from leakgauge.assessment.dials import ReleaseLaw, evidence_by_law
from leakgauge.assessment.judging import Terms, judgement
from leakgauge.audit import attack, lower_bound
from leakgauge.design import RateDistortion, Solution, solve
from leakgauge.measures import estimate, mutual_information
from leakgauge.notions import Level, levels
from leakgauge.randomness import Simulated
from leakgauge.release import Release, release
from leakgauge.sentences import Sentence
from tests.notebooks import executed
from tests.release.people import opened
from tests.release.people import people as table_of_people

EXAMPLE = Path(__file__).parents[1] / "examples" / "notebooks" / "first_look.py"
HOSTILE = '<b onclick="x()">&amp;\'</b>\x00\ud800'


def shown(one: object) -> ElementTree.Element:
    """The table of an object, read by a strict parser."""
    html: str = one._repr_html_()  # type: ignore[attr-defined]
    html.encode("utf-8")
    return ElementTree.fromstring(html)


def cells(table: ElementTree.Element) -> list[list[str]]:
    """The text of each row below the head."""
    return [["".join(cell.itertext()) for cell in row] for row in table.findall("tbody/tr")]


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
    assert cells(shown(joint.row_marginal())) == [["flu", "0.3"], ["missing", "0.2"], ["none", "0.5"]]
    table = shown(joint)
    assert cells(table) == [["flu", "0.1", "0.2"], ["missing", "0.05", "0.15"], ["none", "0.25", "0.25"]]
    assert ["".join(cell.itertext()) for cell in table.findall("thead/tr/th")] == ["rows \\ columns", "Oslo", "Bergen"]
    assert (table.findtext("caption") or "") == "Joint p(x, z) of 3 rows and 2 columns"
    assert cells(shown(lg.Channel.identity(["a", "b"]))) == [["a", "1", "0"], ["b", "0", "1"]]
    counts = lg.Counts({"illness": ["flu", "none"], "city": ["A", "B"]}, [[1234, 0], [2, 4]])
    assert cells(shown(counts)) == [["flu", "A", "1,234"], ["none", "A", "2"], ["none", "B", "4"]]
    assert "1,240 rows" in (shown(counts).findtext("caption") or "")


def test_an_estimate_has_its_interval_and_a_scenario_its_parts(joint: lg.Joint) -> None:
    counts = lg.Counts({"x": ["a", "b"], "y": ["c", "d"]}, [[40, 10], [20, 30]])
    found = estimate(mutual_information, counts, ["x"], ["y"])
    told = fields(found)
    assert told["value"] == f"{found.value:.3g}" and told["observations"] == "100"
    assert told["95% interval"] == f"[{found.low:.3g}, {found.high:.3g}]"
    parts = fields(lg.Scenario(joint, lg.Channel.identity(joint.rows)))
    assert (parts["secrets X"], parts["releases Y"], parts["backgrounds Z"]) == ("3", "3", "2")


def test_a_solution_has_its_units_and_its_gap(best: Solution) -> None:
    told = fields(best)
    assert told["leakage I(X;Y)"] == f"{best.leakage:.3g} bits"
    assert told["leakage with background I(X;Y,Z)"] == f"{best.leakage_with_background:.3g} bits"
    assert best.gap < 1e-9 and told["gap to the optimum, at most"] == "1.00e-09 bits"
    assert told["local ε"] == ("infinite nats" if np.isinf(best.epsilon) else f"{best.epsilon:.3g} nats")
    assert "weighted leakage" not in told


def test_a_level_has_its_witness(joint: lg.Joint) -> None:
    response = lg.mechanisms.randomized_response(1.0, letters=["a", "b"]).channel()
    level: Level = levels(response)["local-dp"]
    told = cells(shown(level))
    assert told[0] == ["level", "1 nats"]
    assert {text for name, text in told if name == "reached between"} == {"a", "b"}
    assert fields(levels(lg.Channel.identity(["a", "b"]))["local-dp"])["level"] == "infinite nats"


def test_a_release_and_what_attacks_find(made: Release) -> None:
    told = fields(made)
    assert told["rows"] == "60" and told["digest"] == made.digest and told["columns as they are"] == "city"
    assert told["column illness"].startswith("randomized-response:epsilon=1")
    assert told["dp at δ = 0"] == "1 nats" and "not a release" in told["drawn by"]
    found = attack(made, opened(60), simulation_seed=1)
    assert found
    for finding in found:
        seen = fields(finding)
        assert seen["success"].startswith(f"{100 * finding.success.value:.3g} [")
        assert seen["success"].endswith(" % of the targets at 95%")
        assert seen["right only with the release"] == f"{finding.exposed:,} targets"
        assert seen["beats the claim"] == ("yes" if finding.beats_claim else "no")


def test_what_an_audit_shows() -> None:
    found = lower_bound(
        lg.mechanisms.randomized_response(1.0, letters=["<a>", "b"]), samples=5000, randomness=Simulated(1)
    )
    told = fields(found)
    assert told["claimed"] == "at most 1 nats" and str(found.said) in told["shown"] and told["violated"] == "no"
    assert "<a>" in {told["inputs"], told[""]}


def test_a_verdict_and_a_search() -> None:
    people = lg.Distribution(["ill", "well"], [0.3, 0.7])
    law = ReleaseLaw(people, lg.mechanisms.randomized_response(1.0, letters=people.outcomes).channel())
    verdict = judgement({("illness",): evidence_by_law(law)}, Terms(), ReleaseFacts(vetoes=(Sentence(HOSTILE),)))
    told = cells(shown(verdict))
    assert told[0][:2] == ["recommendation", "do not release"]
    assert told[1][0] == "veto" and told[1][1].startswith("<b onclick")
    dials = {row[0]: row[1] for row in told if row[3:] == ["illness"]}
    assert dials["protection"] == "0 of 100" and dials["usefulness"] == f"{verdict.usefulness.value:.3g} of 100"
    found = lg.improve(table_of_people(300), secret="illness", min_protection=60.0)
    chosen, *others = cells(shown(found))
    assert chosen[0] == str(found.require().said) and chosen[-1] == "chosen" and len(others) == notebook.MOST - 1
    assert shown(found).findtext("caption") == "Search for illness"


def test_nothing_that_a_label_says_becomes_markup() -> None:
    one = lg.Joint([HOSTILE, ("x", "<i>")], ["</table>", '"'], [[0.25, 0.25], [0.25, 0.25]])
    table = shown(one)
    assert {tag.tag for tag in table.iter()} == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert all(set(tag.attrib) <= {"scope", "colspan", "style"} for tag in table.iter())
    assert {tag.get("style") for tag in table.iter()} <= {None, "text-align:left", "text-align:right"}
    assert cells(table)[0][0] == '<b onclick="x()">&amp;\'</b>\\x00\\ud800'
    assert cells(table)[1][0] == "x|<i>"
    assert not re.search(r"<(script|style|b|i)\b", one._repr_html_())


def test_a_missing_label_is_not_taken_for_the_word() -> None:
    html = lg.Distribution([None, "<em>missing</em>"], [0.5, 0.5])._repr_html_()
    assert html.count("<em>missing</em>") == 1


def test_large_tables_are_cut_and_say_so() -> None:
    size = 100_000
    wide = lg.Channel.identity(range(size))
    table = shown(wide)
    assert len(cells(table)) == 20 and {len(row) for row in cells(table)} == {21}
    assert "".join(table.find("tfoot").itertext()) == "and 99,980 more rows and 99,980 more columns"  # type: ignore[union-attr]
    assert cells(table)[3][4] == "1"
    assert shown(lg.Distribution.uniform(range(21))).findtext("tfoot/tr/td") == "and 1 more row"
    assert shown(lg.Distribution.uniform(range(20))).find("tfoot") is None
    assert len(lg.Distribution(["x" * 10_000], [1.0])._repr_html_()) < 1000


def test_numbers_have_three_digits_and_texts_are_flush_left() -> None:
    told = {0.123456: "0.123", 48842.0: "48,800", 1e-17: "1e-17", float("-inf"): "minus infinity"}
    assert {value: notebook.number(value) for value in told} == told
    assert rounding.percent(0.98765) == "98.8%"
    cells = [("name", "a sentence", "1,234", "12%")]
    _, row = ElementTree.fromstring(notebook.table_html(("", "a", "b", "c"), cells, "")).iter("tr")
    assert [cell.get("style") for cell in row] == [f"text-align:{side}" for side in ("left", "left", "right", "right")]
    (facts,) = ElementTree.fromstring(notebook.table_html((), cells, "")).iter("tr")
    assert {cell.get("style") for cell in facts} == {"text-align:left"}


def test_what_a_mechanism_its_levels_a_plan_and_a_table_show(made: Release) -> None:
    response = lg.mechanisms.randomized_response(1.0, letters=["<a>", "b"])
    assert fields(response) == {"epsilon": "1", "letters": "<a>|b", "claims": "local-dp at most 1 nats", "values": "2"}
    assert cells(shown(levels(response.channel())))[0] == ["local-dp", "1 nats", "<a> and b"]
    channel = lg.Channel.identity(["flu", "none"])
    plan = lg.ReleasePlan({"illness": channel, "visits": response}, public=["age"], bins={"age": "width:10"})
    assert cells(shown(plan)) == [
        ["illness", "a channel of 2 by 2 values", ""],
        ["visits", "randomized-response:epsilon=1.0,letters=<a>|b", ""],
        ["age", "nothing: it is public", "width:10"],
    ]
    table = opened(60)
    names = [(one.name, one.kind.words) for one in table.columns()]
    assert list(map(tuple, cells(shown(table)))) == names and "60 rows" in (shown(table).findtext("caption") or "")


def test_the_example_notebook_shows_what_it_says() -> None:
    """Run ``python -m tests.notebooks FILE`` to write what it shows now."""
    assert EXAMPLE.read_text(encoding="utf-8") == executed(EXAMPLE).rstrip("\n") + "\n"
