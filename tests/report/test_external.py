"""The external edition: no small count, no exact number of the table, nothing that helps an attacker."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leakgauge.errors import InternalError, OptionError
from leakgauge.languages import Language
from leakgauge.report.composing import compose
from leakgauge.report.document import (
    Block,
    Code,
    Document,
    Edition,
    Grid,
    Number,
    Paragraph,
    Picture,
    Points,
    Section,
)
from leakgauge.report.external import LIMIT, masked, require_masked
from leakgauge.report.facts import Facts
from leakgauge.report.figures import Figure
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.twin import report_json
from leakgauge.report.writing import written
from tests.report.conftest import ILLNESSES

ENGLISH, CHINESE = Language("en"), Language("zh")
COUNTED: dict[str, list[tuple[str, ...]]] = {
    "audit.json": [("anonymity", "k"), ("anonymity", "unique"), ("anonymity", "rows")],
    "release.json": [("rows",)],
}
"""Where artefacts count rows that everybody may count in the release."""
nouns = st.sampled_from(["rows", "people", "records", "targets", "row", "行", " 人", "条", " 个目标"])
counts = st.integers(0, 2000)


def whole(*blocks: Block) -> Document:
    return Document("title", ENGLISH, Edition.EXTERNAL, (Section("statement", "Statement", blocks),))


def counted(value: int, low: int | None = None, high: int | None = None) -> Number:
    return Number(value, "", "audit.json#/anonymity/k", low, high, count=True)


texts = st.builds(lambda count, noun: f"There are {count:,} {noun} in it.", counts, nouns)
numbers = st.builds(counted, counts) | st.builds(lambda count: Number(count, "rows", "x.json#/rows"), counts)
inlined = st.lists(texts | numbers, max_size=4).map(tuple)
blocks = st.one_of(
    inlined.map(Paragraph),
    st.lists(inlined, max_size=3).map(lambda items: Points(tuple(items))),
    st.builds(lambda caption, head, cell: Grid(caption, (head,), ((cell,),)), texts, texts, inlined),
    texts.map(Code),
)


@given(st.lists(blocks, max_size=4), st.integers(1, 50))
def test_no_small_count_survives(found: list[Block], limit: int) -> None:
    document = masked(whole(*found), limit)
    require_masked(document, limit)
    for number in document.numbers():
        assert number.value == f"<{limit}" or (isinstance(number.value, int) and number.value >= limit)
    said = to_markdown(document) + json.dumps(report_json([document]), ensure_ascii=False)
    for count in re.findall(r"(?<![<\d,])(\d[\d,]*) ?(?:rows?|people|records|targets|行|人|条|个目标)", said):
        assert int(count.replace(",", "")) >= limit


@given(counts.filter(lambda count: count < LIMIT), nouns)
def test_the_check_finds_a_small_count_anywhere(count: int, noun: str) -> None:
    text = f"Only {count} {noun} are left."
    figure = Figure({"layer": [{"data": {"values": [{"share": 0.5, "exposed": count}]}}]}, "told")
    for block in (
        Paragraph((text,)),
        Paragraph((counted(count),)),
        Paragraph((Number(count, "rows", "x.json#/rows"),)),
        Paragraph((counted(50, low=count),)),
        Points((("fine",), (text,))),
        Grid("caption", ("head",), (((counted(count),),),)),
        Grid(text, ("head",), ()),
        Grid("caption", (text,), ()),
        Picture(figure, "caption"),
        Picture(Figure({}, text), "caption"),
        Picture(Figure({}, "told"), text),
        Code(text),
    ):
        with pytest.raises(InternalError, match="statement"):
            require_masked(whole(block))
    require_masked(whole(Paragraph((f"{count + LIMIT} {noun}", counted(count + LIMIT)))))


def changed(facts: Facts, values: list[int]) -> tuple[Facts, dict[str, int]]:
    """The facts with every count replaced, and the counts by their sources."""
    files: dict[str, Any] = copy.deepcopy(dict(facts.files))
    taken, sources = iter(values), {}
    for file, paths in COUNTED.items():
        for path in paths:
            place = files[file]
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = sources[f"{file}#/{'/'.join(path)}"] = next(taken)
    for at, attack in enumerate(files["audit.json"]["attacks"]):
        attack["exposed"] = sources[f"audit.json#/attacks/{at}/exposed"] = next(taken)
    return Facts(files, facts.diagram), sources


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_small_count_of_a_real_job_survives(facts: Facts, data: st.DataObject) -> None:
    fresh, sources = changed(facts, data.draw(st.lists(st.integers(0, 40), min_size=30, max_size=30)))
    document = compose(fresh, data.draw(st.sampled_from([ENGLISH, CHINESE])), Edition.EXTERNAL)
    shown = [number for number in document.numbers() if number.source in sources]
    assert len(shown) >= 7
    for number in shown:
        count = sources[number.source]
        if number.source.endswith("/exposed") and count >= LIMIT:
            # Counted in the private table: rounded up to a step of 5 % of 500 rows.
            assert number.value == -(-count // 25) * 25
        else:
            assert number.value == (count if count >= LIMIT else "<10")
    page = to_html([document])
    for source, text in re.findall(r'data-source="([^"]*)">([^<&]*(?:&lt;)?[^<]*)</span>', page):
        if sources.get(source, LIMIT) < LIMIT:
            assert text.startswith("&lt;10"), source


def test_nothing_of_the_table_is_told(facts: Facts, people: Path) -> None:
    table = facts.get("job.json", "table")
    for language in (ENGLISH, CHINESE):
        document = compose(facts, language, Edition.EXTERNAL)
        page = to_html([document]) + to_markdown(document) + json.dumps(report_json([document]), ensure_ascii=False)
        assert table["sha256"] not in page
        assert f"{table['bytes']:,}" not in page and str(table["bytes"]) not in page
        assert str(people.parent) not in page
        assert "leakgauge protect" not in page and "import leakgauge" not in page
        assert not [label for label in ILLNESSES if label in page]
        assert not [name for name in ("diver", "nurse", "clerk") if name in page]
        assert "<svg" not in page
        assert not any(isinstance(block, Picture) for section in document.sections for block in section.blocks)
        for file, digest in facts.get("job.json", "stages")["measure"]["outputs"].items():
            assert digest not in page, file
        # Who guesses the counts behind the record could confirm the guess by its digest.
        assert facts.get("release.json", "digest") not in page
        assert facts.get("release.public.json", "digest") in page


def test_the_letters_of_a_mechanism_are_not_told(facts: Facts) -> None:
    files: dict[str, Any] = copy.deepcopy(dict(facts.files))
    spelling = f"randomized-response:epsilon=1,letters={'|'.join(ILLNESSES)}"
    files["release.json"]["plan"]["columns"]["illness"]["mechanism"] = spelling
    document = compose(Facts(files, facts.diagram), ENGLISH, Edition.EXTERNAL)
    page = to_html([document])
    assert "illness was released by randomized-response:epsilon=1." in page
    assert not [label for label in ILLNESSES if label in page]


def test_no_exact_number_of_the_table_is_told(facts: Facts) -> None:
    document = compose(facts, ENGLISH, Edition.EXTERNAL)
    # Where a number stands twice, the one with its interval.
    told = sorted(compose(facts, ENGLISH).numbers(), key=lambda number: number.low is not None)
    internal = {number.source: number for number in told}
    page = to_html([document]) + json.dumps(report_json([document]))
    coarse = 0
    for number in document.numbers():
        if not number.from_table or isinstance(number.value, str):
            continue
        exact = internal[number.source]
        assert isinstance(exact.value, float | int)
        if number.percent:
            assert math.isclose(number.value * 100, round(number.value * 100), abs_tol=1e-9)
        elif number.unit == "bits":
            assert math.isclose(number.value * 10, round(number.value * 10), abs_tol=1e-9)
        elif number.source.startswith("assessment.json#/nodes") or number.unit == "of 100":
            assert number.value == round(number.value)
        if len(repr(exact.value)) > 6:
            assert repr(exact.value) not in page, number.source
            coarse += 1
        if number.low is not None and number.high is not None:
            assert exact.low is not None and exact.high is not None
            # Intervals are rounded outwards.
            assert float(number.low) <= float(exact.low) + 1e-12
            assert float(number.high) >= float(exact.high) - 1e-12
    assert coarse > 50


def test_stored_sentences_are_coarse_too() -> None:
    text = "it keeps 0.95123 of the information; randomized-response:epsilon=0.12345 stays; of 7 rows, 1,234 rows"
    (block,) = masked(whole(Paragraph((text,)))).sections[0].blocks
    assert block == Paragraph(
        ("it keeps 0.95 of the information; randomized-response:epsilon=0.12345 stays; of <10 rows, 1,234 rows",)
    )


def test_a_refusal_gives_no_reason_with_numbers(refused: Facts) -> None:
    files: dict[str, Any] = copy.deepcopy(dict(refused.files))
    files["job.json"]["outcome"]["reason"] = "No setting reaches good: closest is laplace:epsilon=1 (71.25)."
    best = {"mechanism": "laplace:epsilon=1", "score": 71.25, "grade": "good"}
    files["improvement.json"] = {"schema": "leakgauge/improvement/1", "best": best, "trials": []}
    inside, outside = (to_markdown(compose(Facts(files), ENGLISH, edition)) for edition in Edition)
    assert "71.25" in inside and "trials are below" in inside
    assert "71.25" not in outside and "trials are below" not in outside and "stays inside" in outside
    assert "has 71 of 100 and is graded good." in outside


def test_nobody_is_sent_to_a_record_that_stays_inside(facts: Facts) -> None:
    inside, outside = (to_markdown(compose(facts, ENGLISH, edition)) for edition in Edition)
    assert "leakgauge verify release.json" in inside and "leakgauge verify release.json" not in outside
    assert "leakgauge verify release.public.json" in outside


def test_counts_that_are_no_rows_are_not_masked(facts: Facts) -> None:
    sources = {one.source: one.value for one in compose(facts, ENGLISH, Edition.EXTERNAL).numbers()}
    assert sources["measurement.json#/letters/secret"] == 4
    assert sources["audit.json#/anonymity/classes"] == facts.get("audit.json", "anonymity", "classes")


def test_the_limit_is_the_readers_choice(facts: Facts) -> None:
    document = compose(facts, ENGLISH, Edition.EXTERNAL, limit=1000)
    rows = next(number for number in document.numbers() if number.source == "release.json#/rows")
    assert written(rows, ENGLISH) == "<1000 rows"
    with pytest.raises(OptionError, match="limit"):
        compose(facts, ENGLISH, Edition.EXTERNAL, limit=0)


def test_it_says_what_it_leaves_out(facts: Facts) -> None:
    document = compose(facts, ENGLISH, Edition.EXTERNAL)
    said = next(section for section in document.sections if section.key == "left-out")
    points = next(block for block in said.blocks if isinstance(block, Points))
    text = "\n".join(str(item[0]) for item in points.items)
    for word in ("Counts", "coarse", "digest", "Values", "curve", "channel"):
        assert word in text
