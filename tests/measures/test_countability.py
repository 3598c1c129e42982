"""One rule for what can be counted, in people, wherever frequencies stand for probabilities."""

from __future__ import annotations

import ast
from pathlib import Path

import leakgauge
from leakgauge.artefacts import Request
from leakgauge.jobs.protect.sources import open_sources
from leakgauge.measures.countability import PEOPLE_PER_CELL, is_countable

SOURCE = Path(leakgauge.__file__).parent


def test_the_rule_has_one_home() -> None:
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Constant)
        and node.value.value == PEOPLE_PER_CELL
        for name in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(name, ast.Name) and ("CELL" in name.id or "ENOUGH" in name.id)
    ]
    assert len(found) == 1 and found[0].startswith("measures/countability.py")


def test_nobody_multiplies_cells_by_hand() -> None:
    judging = ("case", "audit/attacks", "assessment/scores", "assessment/search", "jobs", "web")
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for room in judging
        for file in sorted((SOURCE / room).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        for side in (node.left, node.right)
        if isinstance(side, ast.Constant) and side.value == PEOPLE_PER_CELL
    ]
    assert found == []


def test_people_are_counted_and_not_their_rows() -> None:
    from contextlib import ExitStack

    import pyarrow as pa

    from leakgauge.tables import open_table

    people, values = 60, 3
    rows = pa.table(
        {
            "person": [at for at in range(people) for _ in range(6)],
            "illness": [f"i{at % values}" for at in range(people) for _ in range(6)],
            "town": [f"t{at % 7}" for at in range(people) for _ in range(6)],
        }
    )
    assert is_countable(values * 7, 6 * people) and not is_countable(values * 7, people)
    asked = Request.of("frame", secret="illness", public=["town"], max_distortion=0.2)
    with ExitStack() as opened:
        table = opened.enter_context(open_table(rows))
        assert open_sources(asked, table, opened).case.is_countable(("illness",), ("town",))
        assert not open_sources(asked.having(unit="person"), table, opened).case.is_countable(("illness",), ("town",))
