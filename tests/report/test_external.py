"""The external edition: no small count, no number of the table, and a promise only where it is public."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from leakgauge.artefacts.codec import encode, text_of
from leakgauge.artefacts.report import Grid, Paragraph, Picture, Points
from leakgauge.errors import InternalError, OptionError
from leakgauge.languages import Language
from leakgauge.report import report
from leakgauge.report.document import Document, retold, twin
from leakgauge.report.external import LIMIT, masked, require_masked
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.telling.blocks import Block, Edition, Number, Section, written
from leakgauge.telling.figures.guarantee import surest
from leakgauge.telling.voice import Voice
from tests.grids import examples
from tests.report.conftest import HOSTILE, ILLNESSES
from tests.report.facts import Facts, compose
from tests.report.reading import changed as with_fields
from tests.report.reading import warnings

ENGLISH, CHINESE = Language("en"), Language("zh")
COUNTED: dict[str, list[tuple[str, ...]]] = {
    "audit.json": [("anonymity", "k"), ("anonymity", "unique"), ("anonymity", "rows")],
    "release.json": [("rows",)],
}
"""Where artefacts count rows that everybody may count in the release."""
counts = st.integers(0, 2000)


def known(value: float | str) -> Facts:
    """Facts of one number that everybody may know, where the documents of these tests have it."""
    return Facts({"audit.json": {"anonymity": {"k": value}}, "survey.json": {"rows": value}})


def whole(*blocks: Block) -> Document:
    return Document("title", ENGLISH, Edition.EXTERNAL, (Section("statement", "Statement", blocks),))


def counted(value: int, low: int | None = None, high: int | None = None) -> Number:
    return Number(value, "", "audit.json#/anonymity/k", low, high, count=True)


numbers = st.builds(counted, counts) | st.builds(lambda count: Number(count, "rows", "survey.json#/rows"), counts)
inlined = st.lists(st.sampled_from(["2 rows", "study of 3 people"]) | numbers, max_size=4).map(tuple)
blocks = st.one_of(
    inlined.map(lambda parts: Paragraph("plain", parts)),
    st.lists(inlined, max_size=3).map(lambda items: Points(False, tuple(items))),
    st.builds(lambda cell: Grid("3 people", ("5%",), ((cell,),)), inlined),
)


@given(st.lists(blocks, max_size=4), st.integers(1, 50))
def test_no_small_count_survives(found: list[Block], limit: int) -> None:
    document = masked(whole(*found), limit)
    for number in document.numbers():
        assert number.value == f"<{limit}" or (isinstance(number.value, int) and number.value >= limit)
    # What is said in words is as it was, whatever it looks like.
    assert retold(document, str, lambda one: replace(one, value="")) == retold(
        whole(*found), str, lambda one: replace(one, value="")
    )


@given(st.integers(0, LIMIT - 1))
def test_the_check_finds_a_small_count_anywhere(count: int) -> None:
    blocks: tuple[Block, ...] = (
        Paragraph("plain", (counted(count),)),
        Paragraph("plain", (Number(count, "rows", "survey.json#/rows"),)),
        Paragraph("plain", (counted(50, low=count),)),
        Points(False, (("fine",), (counted(count),))),
        Grid("caption", ("head",), (((counted(count),),),)),
    )
    for block in blocks:
        with pytest.raises(InternalError, match=r"count below the limit .* statement"):
            require_masked(whole(block), known(count).teller())
    fine = Paragraph("plain", (f"a study of {count} rows", counted(count + LIMIT)))
    require_masked(whole(fine), known(count + LIMIT).teller())


def test_every_count_that_may_be_known_is_masked_by_its_type(facts: Facts) -> None:
    """A section that wrote such a count into a text would leave it unmasked."""
    values = [48611, 48619, 48623, 48647]
    fresh, _ = changed(facts, values)
    for language in (ENGLISH, CHINESE):
        document = compose(fresh, language, Edition.EXTERNAL, limit=10**6)
        page = to_html([document]) + to_markdown(document) + text_of(twin([document]))
        assert not [one for one in values if str(one) in page or f"{one:,}" in page]
        assert page.count("&lt;1000000") >= 2


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_names_and_declared_words_that_look_like_counts_stay(facts: Facts, language: Language) -> None:
    told = json.dumps(dict(facts.files)).replace(json.dumps(HOSTILE)[1:-1], "2 rows").replace("people.csv", "5 人.csv")
    files: dict[str, Any] = json.loads(told)
    files["job.json"]["asked"] |= {"purpose": "study of 3 rows", "recipient": "7 people"}
    page = to_markdown(compose(Facts(files, facts.diagram), language, Edition.EXTERNAL))
    for word in ("2 rows", "study of 3 rows", "7 people", "5 人.csv"):
        assert word in page
    assert not re.search(r"<10 ?(rows?\b(?! (or people|are unique))|people|人)", page.replace("\\", ""))


def test_the_preparer_is_named_inside_only(facts: Facts) -> None:
    asked: dict[str, Any] = facts.get("job.json", "asked")
    found = with_fields(facts, job={"asked": {**asked, "prepared_by": "Ada Lovelace"}})
    inside, outside = (to_html([compose(found, ENGLISH, edition)]) for edition in Edition)
    assert "Ada Lovelace" in inside and "Ada Lovelace" not in outside and "prepared by" not in outside


def test_what_the_kit_has_is_not_called_internal(facts: Facts) -> None:
    """By the steward's word the channel is in the kit: no edition says that it, or what follows from it, is not."""
    recipients = copy.deepcopy(facts.get("recipients.json"))
    inside, outside = (to_markdown(compose(facts, ENGLISH, edition)) for edition in Edition)
    assert "in the internal edition only" in outside and "Keep the record and the channel private" in inside
    recipients["columns"][0]["corrected"] = True
    inside, outside = (
        to_markdown(compose(with_fields(facts, recipients=recipients), ENGLISH, edition)) for edition in Edition
    )
    assert "in the internal edition only" not in outside and outside.count("in the recipient's kit") >= 2
    assert "Keep the record and the channel private" not in inside and "Keep the record private" in inside


@pytest.mark.parametrize(
    "block",
    [
        Paragraph("plain", (Number(0.25, "bits", "leakage.json#/mutual_information"),)),
        Paragraph("plain", (Number(2, "nats", "audit.json#/anonymity/k"),)),
        Grid("caption", ("head",), (((Number("<7", "", "audit.json#/anonymity/unique", count=True),),),)),
        Picture("caption", "told", {}),
    ],
    ids=["another artefact", "another value", "another field", "a picture"],
)
def test_the_check_finds_what_not_everybody_may_know(block: Block) -> None:
    with pytest.raises(InternalError, match=r"not everybody may know .* statement"):
        require_masked(whole(block), known(50).teller())


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
    return Facts(files, facts.diagram), sources


@examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_small_count_of_a_real_job_survives(facts: Facts, data: st.DataObject) -> None:
    fresh, sources = changed(facts, data.draw(st.lists(st.integers(0, 40), min_size=4, max_size=4)))
    document = compose(fresh, data.draw(st.sampled_from([ENGLISH, CHINESE])), Edition.EXTERNAL)
    shown = [number for number in document.numbers() if number.source in sources]
    assert {number.source for number in shown} >= {"release.json#/rows", "audit.json#/anonymity/k"}
    for number in shown:
        count = sources[number.source]
        assert number.value == (count if count >= LIMIT else "<10")
    page = to_html([document])
    for source, text in re.findall(r'<span class="number" title="([^"]*)">([^<&]*(?:&lt;)?[^<]*)</span>', page):
        if sources.get(source, LIMIT) < LIMIT:
            assert text.startswith("&lt;10"), source


def test_nothing_of_the_table_is_told(facts: Facts, people: Path) -> None:
    table = facts.get("job.json", "table")
    for language in (ENGLISH, CHINESE):
        document = compose(facts, language, Edition.EXTERNAL)
        page = to_html([document]) + to_markdown(document) + text_of(twin([document]))
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
        assert facts.get("release.json", "output", "sha256") in page
        assert facts.get("release.public.json", "digest") in page


def with_origin(found: Any, origin: str | None) -> Any:
    """Parsed JSON with every quantity of this origin; of none, as earlier versions wrote them."""
    if isinstance(found, dict):
        changed = {name: with_origin(value, origin) for name, value in found.items() if name != "origin"}
        return {**changed, "origin": origin} if "origin" in found and origin is not None else changed
    return [with_origin(one, origin) for one in found] if isinstance(found, list) else found


def declared(facts: Facts, origin: str | None = "declared", **column: object) -> Facts:
    """The same job with a mechanism that was given, or a channel of another origin."""
    files: dict[str, Any] = copy.deepcopy(dict(facts.files))
    spelling = f"randomized-response:epsilon=1,letters={'|'.join(ILLNESSES)}"
    files["job.json"]["asked"]["mechanism"] = ["randomized-response:epsilon=1"]
    given = {"mechanism": spelling, "channel_prior": None, **column}
    files["release.json"]["plan"]["columns"]["illness"].update(given)
    files["release.json"] = with_origin(files["release.json"], origin)
    return Facts(files, facts.diagram)


def test_the_letters_of_a_mechanism_are_not_told(facts: Facts) -> None:
    page = to_html([compose(declared(facts), ENGLISH, Edition.EXTERNAL)])
    assert "illness was released by randomized-response:epsilon=1." in page
    assert not [label for label in ILLNESSES if label in page]


EPSILON = "release.json#/claims/illness/levels/local-dp"


@pytest.mark.parametrize("origin", ["public", "declared", "accounted"])
def test_what_is_declared_or_accounted_keeps_its_exact_level(facts: Facts, origin: str) -> None:
    for found in (declared(facts, origin), declared(facts, origin, mechanism="channel", channel_prior="public")):
        document = compose(found, ENGLISH, Edition.EXTERNAL)
        shown = {one.source: one.value for one in document.numbers()}
        assert shown[EPSILON] == facts.get("release.json", "claims", "illness", "levels", "local-dp", "value")
        assert {"assumptions", "guarantee"} <= {section.key for section in document.sections}
        assert "states no numerical privacy guarantee" not in to_markdown(document)


@pytest.mark.parametrize("origin", ["table", "count", None])
def test_what_follows_from_private_counts_is_not_told(facts: Facts, origin: str | None) -> None:
    """Neither is a record that does not say where its numbers come from, as earlier ones do not."""
    for mechanism in ("randomized-response:epsilon=1", "channel"):
        document = compose(declared(facts, origin, mechanism=mechanism), ENGLISH, Edition.EXTERNAL)
        said = to_markdown(document)
        assert not [one.source for one in document.numbers() if one.source.startswith("release.json#/claims")]
        assert "This edition states no numerical privacy guarantee." in said
        assert mechanism not in said and "letters" not in said


def test_a_printed_guarantee_that_an_audit_contradicts_is_loud(facts: Facts) -> None:
    audit = {**facts.files["audit.json"], "violated": True, "violations": ["record linkage finds 7 rows"]}
    found = declared(facts)
    document = compose(Facts({**found.files, "audit.json": audit}, facts.diagram), ENGLISH, Edition.EXTERNAL)
    assert "An audit of the release contradicts its guarantee; do not rely on it." in warnings(document)
    assert "record linkage finds" not in to_markdown(document)


def test_a_refusal_gives_no_reason(refused: Facts) -> None:
    files: dict[str, Any] = copy.deepcopy(dict(refused.files))
    files["job.json"]["outcome"]["reason"] = "No setting has a protection of 99: closest is laplace:epsilon=1 (71.25)."
    inside, outside = (to_markdown(compose(Facts(files), ENGLISH, edition)) for edition in Edition)
    assert "71.25" in inside
    assert "Nothing was released from people.csv." in outside
    for word in ("71", "laplace", "trade-off", "stands below"):
        assert word not in outside, word


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_nothing_is_empty_or_dangling(facts: Facts, refused: Facts, language: Language) -> None:
    for found in (facts, declared(facts), refused):
        for section in compose(found, language, Edition.EXTERNAL).sections:
            assert section.blocks, section.key
            for block in section.blocks:
                if isinstance(block, Grid):
                    assert block.rows and all(len(row) == len(block.head) for row in block.rows), section.key
                assert not isinstance(block, Points) or block.items, section.key


def test_nobody_is_sent_to_a_record_that_stays_inside(facts: Facts) -> None:
    inside, outside = (to_markdown(compose(facts, ENGLISH, edition)) for edition in Edition)
    assert "leakgauge verify release.json" in inside and "leakgauge verify release.json" not in outside
    assert "leakgauge verify release.public.json" in outside


def test_counts_that_are_no_rows_are_not_masked(facts: Facts) -> None:
    sources = {one.source: one.value for one in compose(facts, ENGLISH, Edition.EXTERNAL).numbers()}
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
    for word in ("Counts", "leakage", "scores", "guarantee", "digest", "values", "curve", "record"):
        assert word in text


def test_it_does_not_claim_to_be_of_no_help_to_attackers(facts: Facts) -> None:
    for language in (ENGLISH, CHINESE):
        document = compose(facts, language, Edition.EXTERNAL)
        before = tuple(one for one in document.sections if one.key in ("statement", "left-out"))
        assert len(before) == 2 and "attacker" not in to_markdown(replace(document, sections=before))
        assert "帮助" not in to_markdown(document)


def forgetful(tell: Voice) -> Iterator[Block]:
    """A section that shows every number it is given, whatever the edition, and thinks of nothing."""

    def numbers(found: Any, place: str) -> Iterator[Number]:
        if isinstance(found, dict):
            for name, value in found.items():
                yield from numbers(value, f"{place}/{name.replace('~', '~0').replace('/', '~1')}")
        elif isinstance(found, list):
            for at, value in enumerate(found):
                yield from numbers(value, f"{place}/{at}")
        elif isinstance(found, int | float) and not isinstance(found, bool):
            yield Number(found, "", place)

    every = [one for name, found in tell.dossier.files().items() for one in numbers(encode(found), f"{name}#")]
    yield Paragraph("plain", tuple(every))


def test_a_new_section_cannot_leak_by_forgetting(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "SECTIONS", {"statement": forgetful})
    inside = [number.source for number in compose(facts, ENGLISH, Edition.INTERNAL).numbers()]
    outside = [number.source for number in compose(facts, ENGLISH, Edition.EXTERNAL).numbers()]
    assert len(inside) > 500 and len(outside) < 24
    private = ("/claims/", "/attacks/", "/headline/", "/leaves/", "/points/", "/matrix/", "_information", "entropy")
    assert not [source for source in outside if any(word in source for word in private)]


def test_pictures_for_everybody_are_of_what_is_claimed(facts: Facts) -> None:
    found = declared(facts)
    document = compose(found, ENGLISH, Edition.EXTERNAL)
    drawn = [block for section in document.sections for block in section.blocks if isinstance(block, Picture)]
    assert [one.caption.partition(",")[0] for one in drawn] == ["The guarantee"]
    told = to_markdown(document) + "".join(map(str, drawn))
    assert not [label for label in ILLNESSES if label in told]
    # A picture of anything else is refused, even where it stands among them.
    inside = next(
        block
        for section in compose(found, ENGLISH).sections
        for block in section.blocks
        if isinstance(block, Picture) and "hundred people" in block.caption
    )
    with pytest.raises(InternalError, match="not everybody may know"):
        require_masked(whole(*drawn, inside), found.teller())


def shares(**rows: int) -> list[dict[str, Any]]:
    """Shares of values of a table of 500 rows, released as often as they occur."""
    quantities = {
        name: {"value": count / 500, "unit": "share", "low": 0.0, "high": 1.0} for name, count in rows.items()
    }
    return [{"value": [name], "table": one, "released": one} for name, one in quantities.items()]


def pictured(found: Facts, words: str) -> Picture | None:
    """The picture in the external edition whose caption starts with these words."""
    blocks = (block for section in compose(found, ENGLISH, Edition.EXTERNAL).sections for block in section.blocks)
    return next((one for one in blocks if isinstance(one, Picture) and one.caption.startswith(words)), None)


def published(facts: Facts, **rows: int) -> Facts:
    """The same job with these counts of values, whose shares were declared to be publishable."""
    column = {**facts.get("utility.json", "columns", "illness"), "shares": shares(**rows)}
    asked: dict[str, Any] = facts.get("job.json", "asked")
    return with_fields(
        facts, utility={"columns": {"illness": column}}, job={"asked": {**asked, "publish_shares": True}}
    )


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        # To the nearest 20 rows of 500; the commonest has what is left.
        ({"healthy": 391, "cancer": 98, "asthma": 11}, {"healthy": 0.76, "cancer": 0.2, "asthma": 0.04}),
        ({"healthy": 380, "cancer": 91, "asthma": 29}, {"healthy": 0.76, "cancer": 0.2, "asthma": 0.04}),
        # A value that does not occur hides nothing.
        ({"healthy": 390, "cancer": 89, "asthma": 21, "plague": 0}, {"healthy": 0.8, "cancer": 0.16, "asthma": 0.04}),
        ({"healthy": 400, "cancer": 93, "asthma": 7}, {}),
        ({"healthy": 490, "cancer": 10}, {}),
        # Another would seem to be more frequent.
        ({"value 0": 51, "value 9": 49, **{f"value {at}": 50 for at in range(1, 9)}}, {}),
    ],
)
def test_shares_are_for_everybody_only_where_that_was_declared_and_without_counts(
    facts: Facts, rows: dict[str, int], shown: dict[str, float]
) -> None:
    found = published(facts, **rows)
    asked = {**found.get("job.json", "asked"), "publish_shares": False}
    assert pictured(with_fields(found, job={"asked": asked}), "Shares") is None
    picture = pictured(found, "Shares")
    values = [] if picture is None else picture.spec["data"]["values"]
    assert {row["value"]: row["share"] for row in values} == pytest.approx(shown)
    assert not [name for name in rows if name not in shown and name in str(picture)]


def test_a_channel_is_for_everybody_where_the_record_that_is_handed_out_has_it(facts: Facts) -> None:
    caption = "How likely each value is to be released"
    assert facts.has("release.json", "plan", "columns", "illness", "channel") and pictured(facts, caption) is None
    record = copy.deepcopy(facts.get("release.public.json"))
    record["plan"]["columns"]["illness"]["channel"] = facts.get("release.json", "plan", "columns", "illness", "channel")
    found = Facts({**declared(facts, "accounted").files, "release.public.json": record}, facts.diagram)
    assert pictured(found, caption) is not None


@given(st.floats(0.001, 0.999), st.floats(0, 20))
def test_nobody_becomes_surer_than_a_claim_allows(before: float, epsilon: float) -> None:
    after = surest(before, epsilon)
    assert before <= after <= 1
    assert after / (1 - after) <= math.exp(epsilon) * before / (1 - before) * (1 + 1e-6) or after == 1
