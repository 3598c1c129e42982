"""Diagrams in TOML: the default is the table's, and every fault is one sentence with the node and the file."""

from __future__ import annotations

import csv
import dataclasses
from importlib.resources import files
from pathlib import Path

import pytest

from leakgauge.assessment.diagram import Better, Diagram
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.errors import InputError

TRADE_OFFS = {"1", "2", "3", "6", "7", "8", "9"}
TEXT = """
schema = "leakgauge/diagram/1"
value = "effect"
privacy = ["secrecy"]
utility = ["use"]
arcs = [
    { from = "epsilon", to = "secrecy", direction = "mirrored" },
    { from = "epsilon", to = "use", direction = "same", weight = 3 },
    { from = "error", to = "use", direction = "mirrored" },
    { from = "secrecy", to = "effect", direction = "same" },
    { from = "use", to = "effect", direction = "same" },
]

[nodes]
epsilon = { name = "budget", better = "trade-off" }
error = { name = "mean squared error", chinese = "均方误差", better = "lower" }
secrecy = { name = "secrecy" }
use = { name = "use" }
effect = { name = "effect" }
"""


def read(place: Path, text: str) -> Diagram:
    file = place / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return read_diagram(file)


def test_the_default_has_the_arcs_of_the_table_by_meaning() -> None:
    table = files("leakgauge.papers").joinpath("tables", "influence_diagram_arcs.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(table.splitlines()))
    wanted = [(row["src"], row["dst"], row["by_meaning"] == "rev") for row in rows]
    diagram = default_diagram()
    assert [(arc.source, arc.target, arc.mirrored) for arc in diagram.arcs] == wanted and len(wanted) == 53
    assert {arc.weight for arc in diagram.arcs} == {1.0}
    assert list(diagram.nodes) == [str(at) for at in range(1, 46)]
    # The standards' word for what the paper calls 差分熵.
    names = {row["src"]: row["src_name"].replace("差分熵", "微分熵") for row in rows}
    assert names.items() <= {key: node.chinese for key, node in diagram.nodes.items()}.items()


def test_the_default_declares_its_leaves_and_criteria() -> None:
    diagram = default_diagram()
    assert (diagram.value, diagram.privacy, diagram.utility, diagram.states) == ("45", ("41", "42"), ("43",), 5)
    assert {key for key, node in diagram.nodes.items() if node.better is Better.TRADE_OFF} == TRADE_OFFS
    assert len({node.name for node in diagram.nodes.values()}) == 45
    assert all(node.chinese for node in diagram.nodes.values())


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    # Files of earlier versions say what no release moves, which nothing asks any more.
    diagram = read(tmp_path, TEXT.replace('better = "lower"', 'better = "lower", fixed = true'))
    assert diagram.leaves == ("epsilon", "error") and diagram.nodes["error"].chinese == "均方误差"
    assert [(arc.mirrored, arc.weight) for arc in diagram.into("use")] == [(False, 3.0), (True, 1.0)]


FAULTS = [
    ("not TOML", 'value = "effect"', "value = ", "is not TOML"),
    ("schema", "diagram/1", "diagram/2", "has the schema 'leakgauge/diagram/2'"),
    ("no value", 'value = "effect"', "", "no value node"),
    ("number as value", 'value = "effect"', "value = 45", "no value node"),
    ("unknown value", 'value = "effect"', 'value = "grade"', "'grade' in the value"),
    ("cycle", "\n]\n", '\n{ from = "effect", to = "use", direction = "same" },\n]\n', "cycle: .*use"),
    ("unknown end", 'from = "error"', 'from = "eror"', "'eror'"),
    ("orphan", "[nodes]\n", '[nodes]\nalone = { name = "alone", better = "lower" }\n', "'alone'"),
    ("no better", ', better = "trade-off"', "", "'epsilon' is a leaf and does not say"),
    ("wrong better", 'better = "lower"', 'better = "less"', "'error' has better = 'less'"),
    ("better inside", 'use = { name = "use"', 'use = { name = "use", better = "lower"', "'use' has arcs leading to it"),
    ("contradiction", 'better = "lower"', 'better = "higher"', "'error' says better = higher, .* say lower"),
    ("no direction", ', direction = "mirrored" }', " }", "epsilon → secrecy has no direction"),
    ("other direction", 'direction = "mirrored"', 'direction = "back"', "epsilon → secrecy has the direction 'back'"),
    ("negative", "weight = 3", "weight = -3", "epsilon → use has a weight of -3"),
    ("zero", "weight = 3", "weight = 0", "epsilon → use has a weight of 0"),
    ("not a number", "weight = 3", "weight = nan", "epsilon → use has a weight of nan"),
    ("beyond all numbers", "weight = 3", f"weight = 1{'0' * 400}", "epsilon → use has the weight 1000"),
    ("text as weight", "weight = 3", 'weight = "3"', "epsilon → use has the weight '3'"),
    ("shares left out", "arcs = [", 'weights = "shares"\narcs = [', "epsilon → secrecy has no weight"),
    ("other weights", "arcs = [", 'weights = "percent"\narcs = [', "weights = 'percent'"),
    ("unknown key", "arcs = [", "state = 5\narcs = [", "unknown key 'state'; did you mean 'states'"),
    ("unknown node key", 'chinese = "均方误差"', 'german = "Fehler"', "'error' has the unknown key 'german'"),
    ("unknown arc key", "weight = 3", "wieght = 3", "epsilon → use has the unknown key 'wieght'"),
    ("no name", '{ name = "use" }', "{ }", "'use' has no name"),
    ("node not a table", '{ name = "use" }', '"use"', "'use' is not a table"),
    ("no privacy", 'privacy = ["secrecy"]', "", "which nodes are privacy"),
    ("unknown utility", 'utility = ["use"]', 'utility = ["usage"]', "'usage' in utility"),
    ("twice", 'utility = ["use"]', 'utility = ["use", "use"]', "twice under utility"),
    ("states", "arcs = [", "states = 2\narcs = [", "2 states"),
    ("states in words", "arcs = [", 'states = "five"\narcs = [', "states = 'five'"),
    ("one end", 'from = "error", ', "", "arc 3 does not join"),
    ("arc twice", "\n]\n", '\n{ from = "error", to = "use", direction = "same" },\n]\n', "error → use twice"),
]


@pytest.mark.parametrize(("old", "new", "said"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_one_sentence_with_the_node_and_the_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    message = str(caught.value)
    assert "mine.toml" in message and "\n" not in message and message.endswith((".", "?"))


def test_a_trade_off_pays_for_the_one_with_the_other(tmp_path: Path) -> None:
    # Paths of both signs, but both to privacy: nothing is paid for.
    one_sided = TEXT.replace('to = "use", direction = "same", weight = 3', 'to = "other", direction = "same"', 1)
    one_sided = one_sided.replace("\n]\n", '\n{ from = "other", to = "effect", direction = "same" },\n]\n', 1)
    one_sided += 'other = { name = "other" }\n'
    for privacy in ('["secrecy", "other"]', '["secrecy"]'):
        with pytest.raises(InputError, match=r"mine.toml: the leaf 'epsilon' says better = trade-off, .* opposite"):
            read(tmp_path, one_sided.replace('["secrecy"]', privacy, 1))
    # More ε for more privacy may be declared, as long as utility pays.
    turned = TEXT.replace('"secrecy", direction = "mirrored"', '"secrecy", direction = "same"', 1)
    turned = turned.replace('direction = "same", weight = 3', 'direction = "mirrored", weight = 3', 1)
    assert read(tmp_path, turned).nodes["epsilon"].better is Better.TRADE_OFF


def test_a_weight_beyond_all_numbers_is_refused_in_python_too() -> None:
    diagram = default_diagram()
    arcs = (dataclasses.replace(diagram.arcs[0], weight=10**400), *diagram.arcs[1:])
    with pytest.raises(InputError, match=r"has a weight of 1000.*; give a number above 0"):
        dataclasses.replace(diagram, arcs=arcs)


def test_shares_sum_to_one(tmp_path: Path) -> None:
    def shared(first: float, second: float) -> str:
        text = TEXT.replace("arcs = [", 'weights = "shares"\narcs = [').replace(", weight = 3", "")
        lines = []
        for line in text.splitlines():
            share = first if '"epsilon", to = "use"' in line else second if '"error"' in line else None
            share = share or (1 if '"secrecy", direction' in line else 0.5)
            lines.append(line.replace(" },", f", weight = {share} }},") if "from" in line else line)
        return "\n".join(lines)

    assert [arc.weight for arc in read(tmp_path, shared(0.8, 0.2)).into("use")] == [0.8, 0.2]
    with pytest.raises(InputError, match=r"mine.toml: the weights into the node 'use' sum to 0.9 instead of 1"):
        read(tmp_path, shared(0.8, 0.1))


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.toml cannot be read"):
        read_diagram(tmp_path / "none.toml")
    (tmp_path / "raw.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_diagram(tmp_path / "raw.toml")
    with pytest.raises(InputError, match=r"no \[nodes\]"):
        read(tmp_path, TEXT[: TEXT.index("[nodes]")])


def test_arcs_are_judged_two_at_a_time(tmp_path: Path) -> None:
    judged = TEXT.replace(", weight = 3", "") + (
        '[pairwise.use]\nof = ["error", "epsilon"]\njudgements = [[1, "1/4"], [4, 1]]\n'
    )
    assert [arc.weight for arc in read(tmp_path, judged).into("use")] == pytest.approx([0.8, 0.2])
    for old, new, said in (
        ("[pairwise.use]", "[pairwise.error]", r"\[pairwise.error\] is for a node that nothing leads to"),
        ('of = ["error", "epsilon"]', 'of = ["error"]', "for 'use' do not cover"),
        ("judgements = [[1,", "judgements = [[0,", "a judgement for 'use' is 0"),
    ):
        with pytest.raises(InputError, match=said):
            read(tmp_path, judged.replace(old, new, 1))
    with pytest.raises(InputError, match=r"arcs into 'use' have weights, and \[pairwise.use\] judges them as well"):
        read(tmp_path, judged.replace('"use", direction = "same"', '"use", direction = "same", weight = 3', 1))
    with pytest.raises(InputError, match="pairwise is not a table"):
        read(tmp_path, TEXT.replace("arcs = [", "pairwise = 3\narcs = [", 1))
