"""Artefacts written and read again, and what is refused on reading."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts import Origin, Quantity, Sentence, codec
from leakgauge.artefacts.quantity import Real
from leakgauge.errors import FileError, VerificationError
from leakgauge.sentences import Field


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="schema", tag="leakgauge/sample/1"):
    level: Quantity
    said: Sentence
    levels: dict[str, Quantity] = {}
    bound: Real | None = None
    digest: str | None = None


SAMPLE = Sample(Quantity(math.inf, "nats"), Sentence("{rows} rows of {column!r}", rows=3, column="city"))

_NUMBERS = st.floats(allow_nan=False)
_QUANTITIES = st.builds(
    Quantity,
    _NUMBERS,
    st.text(),
    st.none() | _NUMBERS,
    st.none() | _NUMBERS,
    st.none() | _NUMBERS,
    st.sampled_from(Origin),
)
_FIELDS: st.SearchStrategy[Field] = st.recursive(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=2).map(tuple) | st.builds(lambda one: Sentence("{one}", one=one), inner),
    max_leaves=5,
)
_SENTENCES = st.text().map(Sentence) | st.dictionaries(
    st.from_regex(r"[a-z]+", fullmatch=True), _FIELDS, max_size=3
).map(lambda fields: Sentence("".join(f"{{{name}}}" for name in fields), **fields))


@given(
    st.builds(
        Sample, _QUANTITIES, _SENTENCES, st.dictionaries(st.text(), _QUANTITIES, max_size=2), st.none() | _NUMBERS
    )
)
def test_what_is_written_is_read_again(artefact: Sample) -> None:
    written = json.loads(codec.text_of(artefact))
    assert codec.decode(Sample, written, "sample") == artefact


def test_infinity_is_a_word_and_nan_is_never_written() -> None:
    assert codec.encode(SAMPLE)["level"]["value"] == "infinity"
    with pytest.raises(ValueError, match="not JSON compliant"):
        codec.text_of(Sample(Quantity(math.nan, "nats"), Sentence("")))


def test_the_schema_stands_first_and_origin_is_written() -> None:
    fields = codec.encode(SAMPLE)
    assert next(iter(fields)) == "schema" and fields["schema"] == "leakgauge/sample/1"
    assert fields["level"]["origin"] == "table"


def test_a_sentence_without_fields_is_a_text_and_one_with_fields_keeps_its_template() -> None:
    assert codec.encode(Sample(SAMPLE.level, Sentence("As it is.")))["said"] == "As it is."
    assert codec.encode(SAMPLE)["said"] == {
        "template": "{rows} rows of {column!r}",
        "fields": {"rows": 3, "column": "city"},
        "text": "3 rows of 'city'",
    }
    old = codec.decode(Sample, {**codec.encode(SAMPLE), "said": "3 {of} 'city'"}, "sample")
    assert str(old.said) == "3 {of} 'city'", "an old text is shown as it is, braces and all"


def test_every_sentence_has_its_text_and_is_read_without_it() -> None:
    said = Sentence("{what}; {more}", what=Sentence("as declared"), more=(Sentence("{n:.3g} bits", n=math.inf), "own"))
    fields = codec.encode(Sample(SAMPLE.level, said))
    stored = fields["said"]
    assert stored["text"] == str(said) == "as declared; inf bits, own"
    assert stored["fields"]["what"]["text"] == "as declared" and stored["fields"]["more"][0]["text"] == "inf bits"
    # Files of earlier versions have none; and a text that says something else is not what is told.
    for text in ({}, {"text": "forged"}):
        kept = {name: value for name, value in stored.items() if name != "text"}
        assert codec.decode(Sample, {**fields, "said": {**kept, **text}}, "sample").said == said
    with pytest.raises(FileError, match="'said' is missing or malformed"):
        codec.decode(Sample, {**fields, "said": {**stored, "text": 3}}, "sample")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"level": None}, "level"),
        ({"level": {"value": "much", "unit": "bits"}}, "level.value"),
        ({"level": {"value": True, "unit": "bits"}}, "level.value"),
        ({"level": {"value": 1}}, "level.unit"),
        ({"said": {"fields": {}}}, "said"),
        ({"said": {"template": "{x}", "fields": {"x": None}}}, "said"),
        ({"levels": {"dp": {"value": 1, "unit": 2}}}, "levels"),
    ],
)
def test_what_is_malformed_is_named_without_its_value(change: dict[str, object], named: str) -> None:
    with pytest.raises(FileError) as refused:
        codec.decode(Sample, {**codec.encode(SAMPLE), **change}, Path("sample.json"))
    said = str(refused.value)
    assert said.startswith("sample.json is not a whole sample: ") and named in said
    assert "much" not in said


def test_a_field_that_nobody_knows_is_refused() -> None:
    with pytest.raises(VerificationError, match=r"the field 'level\.more', which is unknown in files of kind sample"):
        codec.decode(Sample, {**codec.encode(SAMPLE), "level": {"value": 1, "unit": "bits", "more": 2}}, "sample.json")


def test_another_schema_is_refused() -> None:
    with pytest.raises(FileError, match="leakgauge/sample/9"):
        codec.decode(Sample, {**codec.encode(SAMPLE), "schema": "leakgauge/sample/9"}, "sample.json")


def test_a_seal_holds_until_a_field_is_changed() -> None:
    fields = codec.encode(codec.sealed(SAMPLE))
    codec.require_digest(fields, "sample.json")
    with pytest.raises(VerificationError, match="was changed"):
        codec.require_digest({**fields, "bound": 1.0}, "sample.json")


HUGE = 10**400


@pytest.mark.parametrize(
    "said",
    [
        {"template": "{x}", "fields": {"x": HUGE}},
        {"template": "{x:.3g}", "fields": {"x": HUGE}},
        {"template": "{x:c}", "fields": {"x": 1114112}},
        {"template": "{x.__class__}", "fields": {"x": 1}},
        {"template": "{x:>99999}", "fields": {"x": 1}},
    ],
)
def test_sentences_that_nobody_of_ours_wrote_are_refused(said: object) -> None:
    with pytest.raises(FileError, match="'said' is missing or malformed"):
        codec.decode(Sample, {**codec.encode(SAMPLE), "said": said}, "sample.json")


def test_sentences_within_sentences_have_an_end() -> None:
    deep: object = "word"
    for _ in range(300):
        deep = {"template": "{x}", "fields": {"x": deep}}
    wide: object = "ten letters"
    for _ in range(8):
        wide = {"template": "{x}" * 10, "fields": {"x": wide}}
    lists: object = 1
    for _ in range(900):
        lists = [lists]
    for said in (deep, wide, {"template": "{x}", "fields": {"x": lists}}):
        with pytest.raises(FileError, match="'said' is missing or malformed"):
            codec.decode(Sample, {**codec.encode(SAMPLE), "said": said}, "sample.json")


def test_numbers_that_no_machine_has_are_refused() -> None:
    for level in ({"value": HUGE, "unit": "bits"}, {"value": 1, "unit": "bits", "confidence": HUGE}):
        with pytest.raises(FileError, match="level"):
            codec.decode(Sample, {**codec.encode(SAMPLE), "level": level}, "sample.json")


def test_a_seal_over_endless_nesting_is_refused() -> None:
    nested: object = 1
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(FileError, match="nested too deeply"):
        codec.require_digest({"bound": nested, "digest": ""}, "sample.json")
