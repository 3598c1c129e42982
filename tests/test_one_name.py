"""One text where several are taken is one of them, never its letters: on the whole public surface."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.artefacts.codec import encode
from leakgauge.jobs.improve import stored
from leakgauge.tables import Table
from tests.jobs.finished import Finished
from tests.test_house import SURFACE

SEVERAL = re.compile(r"\b(?:Sequence|Iterable|Collection|tuple)\[str\b")
MADE_BY_US = {
    "leakgauge.errors.did_you_mean", "leakgauge.release.estimates.Protected.reads_directly",
    "leakgauge.release.counts.ConsistentTables",
    "leakgauge.Request.file", "leakgauge.tables.Hierarchy", "leakgauge.tables.Levels",
    "leakgauge.assessment.Diagram", "leakgauge.tables.Suppression",
}  # fmt: skip
"""Given names by our own functions alone."""
ELSEWHERE = {"leakgauge.Request", "leakgauge.open_table", "leakgauge.tables.open_table"}
"""Taken by the types they fill, as below."""


def public() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every public function, class and method but those of engines."""
    for room, names in SURFACE.items():
        for name in names:
            value = getattr(importlib.import_module(room), name)
            if inspect.isclass(value) and Table not in value.__mro__:
                yield f"{room}.{name}", value.__init__ if inspect.isfunction(value.__init__) else value
                methods = inspect.getmembers(value, inspect.isroutine)
                yield from ((f"{room}.{name}.{key}", one) for key, one in methods if not key.startswith("_"))
            elif inspect.isfunction(value):
                yield f"{room}.{name}", value


def takes_several(function: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(SEVERAL.search(str(one.annotation)) for one in parameters)


def test_whatever_takes_several_texts_takes_one() -> None:
    letter_by_letter = {
        name
        for name, function in public()
        if takes_several(function) and not hasattr(function, "__wrapped__") and name not in MADE_BY_US | ELSEWHERE
    }
    assert letter_by_letter == set()


PEOPLE = pa.table({"illness": ["flu", "none", "none", "cold"] * 25, "city": ["A", "B"] * 50, "age": list(range(100))})


def test_one_column_is_one_column() -> None:
    assert lg.survey(PEOPLE, "illness", columns="city") == lg.survey(PEOPLE, ["illness"], columns=["city"])
    assert lg.survey(PEOPLE, "illness", bins="age=width:50").column("age").distinct == 2
    one, several = (
        lg.improve(PEOPLE, secret="illness", min_protection=60, background=known, public=known)
        for known in ("city", ["city"])
    )
    assert encode(stored(one)) == encode(stored(several))
    assert lg.ReleasePlan({"illness": "randomized-response:epsilon=1"}, public="city").public == ("city",)
    table = lg.open_table(PEOPLE, missing="none")
    assert lg.audit.anonymity(table, "city").quasi_identifiers == ("city",)
    counts = table.counts("illness", "city")
    assert lg.Scenario.from_counts(counts, "illness", "city").source.outcomes == counts.labels("illness")
    assert counts.merge({"both": ["illness", "city"]}).names == ("both",)
    asked = lg.Request.of("t", secret="illness", bins="age=width:10", mechanism="randomized-response:epsilon=1")
    assert (asked.roles.secret, asked.coarsening.bins, asked.aims[0].mechanism) == (
        ("illness",),
        ("age=width:10",),
        ("randomized-response:epsilon=1",),
    )


def test_a_verdict_takes_one_column(finished_job: Finished, tmp_path: Path) -> None:
    with lg.open_table(finished_job.asked.table) as people:
        made = lg.ReleasePlan({"illness": "randomized-response:epsilon=1,letters=this-table"}).apply(
            people, tmp_path / "out.csv", randomness=lg.randomness.Simulated(1)
        )
    with pytest.raises(lg.errors.ColumnError, match="no column 'cty'; did you mean 'city'"):
        lg.assess(
            made.record_file,
            _audit(made.record_file, finished_job),
            original=finished_job.asked.table,
            background="cty",
        )


def _audit(record: Path, of: Finished) -> Path:
    from leakgauge.cli import main

    place = record.with_name("audit.json")
    assert main(["audit", str(record), "--original", of.asked.table, "-o", str(place)]) == 0
    return place
