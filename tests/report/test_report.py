"""What a report says of a real job: every number has its source, in both languages the same, nothing missing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.dossier import FILES
from leakgauge.cli import main
from leakgauge.errors import FileError
from leakgauge.languages import Language
from leakgauge.release.record import file_digest
from leakgauge.report.html import to_html
from leakgauge.report.sections import SECTIONS
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Edition, Number, inlines
from leakgauge.telling.titles import TITLES
from tests.report.conftest import ILLNESSES
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH, changed, numbers_in, texts, warnings


def test_every_section_is_there_in_its_order(facts: Facts) -> None:
    keys = [section.key for section in compose(facts, ENGLISH).sections]
    # Nobody asked for coarser columns here, nothing is repeated, and the table has no places.
    left_out = ("left-out", "coarsening", "earlier")
    assert keys == [key for key in TITLES if key not in left_out and not key.startswith("places")]
    keys = [section.key for section in compose(facts, ENGLISH, Edition.EXTERNAL).sections]
    assert keys == [
        *("statement", "context", "data", "survey", "guarantee", "recipients", "attacks", "limitations", "left-out"),
        *("tuning", "residual", "reproduction"),
    ]


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_every_number_is_what_its_source_says(facts: Facts, language: Language) -> None:
    numbers = list(compose(facts, language).numbers())
    assert len(numbers) > 200
    for number in numbers:
        assert number.value == facts.resolve(number.source), number.source
        assert number.source.partition("#")[0] in facts.files


def test_both_languages_show_the_same_numbers(facts: Facts) -> None:
    for edition in Edition:
        english, chinese = (compose(facts, language, edition) for language in (ENGLISH, CHINESE))
        assert numbers_in(texts(english)) == numbers_in(texts(chinese))
        assert sorted(one.source for one in english.numbers()) == sorted(one.source for one in chinese.numbers())


def test_cells_that_a_spreadsheet_would_run_are_named(facts: Facts) -> None:
    output = {**facts.files["release.json"]["output"], "formulas": ["town"]}
    run = changed(facts, release={"output": output})
    for edition in Edition:
        assert "would run cells of town as formulas" in texts(compose(run, ENGLISH, edition))
        assert "会把 town 的单元格当作公式" in texts(compose(run, CHINESE, edition))
        assert "as formulas" not in texts(compose(facts, ENGLISH, edition))


def test_no_english_is_left_in_the_chinese_report(facts: Facts, refused: Facts) -> None:
    own = {"people", "csv", "illness", "job", "town", "script", "alert", *ILLNESSES}
    # Instruments and degrees as they are typed.
    own |= {"GDPR", "TEHDAS", "HIPAA", "leakgauge", "report", "FILE", "low", "medium", "high", "iso", "nist", "hipaa"}
    own |= {"pipl", "gbt", "ehds", "assess"}
    names = {
        "SHA",
        "NIST",
        "ISO",
        "IEC",
        "GB",
        "SP",
        "Python",
        "Sibson",
        "nyi",
        "Miller",
        "Madow",
        "Cram",
        "ML",
    }
    plain = {"study", "CPU"}
    versions = {"leakgauge", "python", "numpy", "scipy", "duckdb", "pyarrow", "opendp"}
    for found in (facts, refused):
        said = texts(compose(found, CHINESE))
        # Options, names of files and digests are the same in every language.
        said = re.sub(
            r"[\w.-]+\.(?:json|csv|toml|html|parquet)|[0-9a-f]{64}|LG-\w{4}-\w{4}|--[a-z-]+|\d{4}-\d\d-\d\dT[\d:+]+",
            "",
            said,
        )
        words = set(re.findall(r"[A-Za-z_]*[A-Za-z][A-Za-z_]+", said)) - own - names - plain - versions
        assert not {word for word in words if len(word) > 2}, words


def test_the_decision_has_the_scores_and_people_and_what_follows_has_the_numbers_that_matter(facts: Facts) -> None:
    document = compose(facts, ENGLISH)
    decision = document.sections[0]
    assert decision.key == "statement"
    numbers = next(one for one in document.sections if one.question == "what")
    assert numbers.key == "headline"
    sources = {
        part.source
        for block in (*decision.blocks, *numbers.blocks)
        for inline in inlines(block)
        for part in inline
        if isinstance(part, Number)
    }
    at = max(
        (at for at, one in enumerate(facts.items("audit.json", "attacks")) if one["judged"]),
        key=lambda at: facts.get("audit.json", "attacks", at, "advantage", "value"),
    )
    assert {
        *(f"verdict.json#/scores/illness/{name}/value" for name in ("protection", "surest", "usefulness")),
        "measurement.json#/entropy",
        "audit.json#/exposures/0/known/information/value",
        "audit.json#/exposures/0/everything/information/value",
        "release.json#/claims/illness/levels/local-dp",
        f"audit.json#/attacks/{at}/success",
        f"audit.json#/attacks/{at}/baseline",
        "utility.json#/columns/illness/unchanged",
    } <= sources
    assert "2099-11-16" in texts(document) and "a study of illness" in texts(document)


def test_what_is_wrong_is_loud(facts: Facts) -> None:
    kept = Sentence("the release reveals nearly everything: it keeps {share:.4g} of the information", share=0.95)
    linkage = Sentence("record linkage")
    beaten = Sentence("{attack} on {target!s} beats the claim", attack=linkage, target="illness")
    wrong = changed(
        facts,
        verdict={"vetoes": [encode(kept)]},
        audit={"violations": [encode(beaten)], "violated": True},
        release={"private": False},
    )
    said = warnings(compose(wrong, ENGLISH))
    assert str(kept) in said and str(beaten) in said and "simulation" in said
    told = warnings(compose(wrong, CHINESE))
    assert "否决" in told and "模拟" in told and CHINESE.retell(kept) in told and CHINESE.retell(beaten) in told
    assert str(beaten) in warnings(compose(wrong, ENGLISH), "attacks")


def test_stored_sentences_are_told_wherever_they_stand(facts: Facts) -> None:
    averaging = Sentence("averaging, {releases:d} releases", releases=2)
    letters = Sentence(
        "The letters of {columns!s} were taken from this table; which values occur is not protected.", columns="illness"
    )
    attacks = [{**one, "attack": encode(averaging)} for one in facts.items("audit.json", "attacks")]
    told = changed(facts, audit={"attacks": attacks}, release={"assumptions": [encode(letters)]})
    for language in (ENGLISH, CHINESE):
        said = texts(compose(told, language))
        assert language.retell(averaging) in said and language.retell(letters) in said
        assert "template" not in said


def test_a_sentence_that_was_stored_as_a_text_is_shown_as_it_is(facts: Facts) -> None:
    violation = "record linkage on illness beats the claim"
    assert violation in warnings(compose(changed(facts, audit={"violations": [violation], "violated": True}), CHINESE))


def test_nothing_released_still_says_what_is_possible(refused: Facts) -> None:
    assert refused.get("job.json", "outcome", "released") is False
    document = compose(refused, ENGLISH)
    assert "Nothing was released from people.csv." in warnings(document)
    assert "impossible" in warnings(document)
    keys = {section.key for section in document.sections}
    assert {"frontier", "leakage", "residual"} <= keys
    assert not keys & {"guarantee", "attacks", "verdict", "criteria", "assumptions"}
    assert "Any trade-off on the curve of least leakage below can be achieved." in texts(document)
    to_html([document, compose(refused, CHINESE)])
    external = compose(refused, ENGLISH, Edition.EXTERNAL)
    assert "frontier" not in {section.key for section in external.sections}
    floor = str(refused.get("measurement.json", "background_floor", "value"))[:8]
    assert floor not in to_html([external])


def test_any_artefact_may_be_absent(facts: Facts) -> None:
    whole = compose(facts, ENGLISH)
    for name in (file.name for file in FILES):
        if name not in facts.files:
            continue
        rest = Facts({file: fields for file, fields in facts.files.items() if file != name}, facts.diagram)
        document = compose(rest, CHINESE)
        assert document.sections[0].key == "statement"
        assert not [one.source for one in document.numbers() if one.source.startswith(name)]
        # A channel is a picture, and its numbers are all in it; of the public record only the digest is shown.
        fewer = len(list(document.numbers())) < len(list(whole.numbers()))
        assert fewer or name in ("channel.json", "release.public.json")
        compose(rest, ENGLISH, Edition.EXTERNAL)


def test_a_number_that_is_not_there_is_one_sentence(facts: Facts) -> None:
    tell = facts.teller()
    audit = tell.dossier.audit
    assert audit is not None
    with pytest.raises(FileError, match=r"no number at audit\.json#/attacks/0/attack; run the job again"):
        tell.number(audit.attacks[0], "attack")
    with pytest.raises(FileError, match="no number at"):
        tell.number(audit, "violated")


@pytest.mark.parametrize(
    ("file", "fields"),
    [
        ("verdict", {"scores": {"illness": {}}}),
        ("verdict", {"beside": {"illness": {"criteria": {"criteria": [{}]}}}}),
        ("verdict", {"policy": [{}]}),
        ("verdict", {"recommendation": "perhaps"}),
        ("audit", {"attacks": [{"attack": "x"}]}),
        ("frontier", {"points": [{}]}),
        ("comparison", {"ranking": [[]]}),
    ],
)
def test_an_artefact_of_another_shape_is_one_sentence(
    job: Path, tmp_path: Path, file: str, fields: dict[str, object]
) -> None:
    """Files are decoded when they are read, so that whatever fails after that is a bug of ours."""
    folder = Path(shutil.copytree(job, tmp_path / "job"))
    place = folder / f"{file}.json"
    place.write_text(json.dumps({**json.loads(place.read_text(encoding="utf-8")), **fields}), encoding="utf-8")
    job_file = folder / "job.json"
    said = json.loads(job_file.read_text(encoding="utf-8"))
    for stage in said["stages"].values():
        # As if the job had written it so.
        stage["outputs"] |= {name: file_digest(folder / name) for name in stage["outputs"] if name == place.name}
    job_file.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(FileError, match=rf"{file}\.json is not a whole"):
        Facts.read(folder)


def test_a_bug_in_a_section_ends_as_a_bug(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A damaged file has its sentence and exit code 2, and a ``KeyError`` of ours is never told as one."""
    folder = Path(shutil.copytree(job, tmp_path / "job"))

    def wrong(tell: object) -> None:
        raise KeyError("ours")

    with monkeypatch.context() as patch:
        patch.setitem(SECTIONS, "statement", wrong)
        assert main(["report", str(folder)]) == 3
    assert "bug in Leakgauge (KeyError)" in capsys.readouterr().err
    (folder / "job.json").write_text("{", encoding="utf-8")
    assert main(["report", str(folder)]) == 2
    assert "cannot be read as JSON" in capsys.readouterr().err


@pytest.mark.parametrize("edition", Edition)
def test_a_bug_is_not_told_as_a_damaged_file(facts: Facts, edition: Edition, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(tell: object) -> None:
        raise KeyError("ours")

    monkeypatch.setitem(SECTIONS, "statement", wrong)
    with pytest.raises(KeyError, match="ours"):
        compose(facts, ENGLISH, edition)


def test_pointers_reach_strange_names() -> None:
    facts = Facts({"utility.json": {"columns": {"a/b~c": {"unchanged": {"value": 0.5, "unit": "share"}}}}})
    tell = facts.teller()
    number = tell.number(tell.results.utility, "columns", "a/b~c", "unchanged")
    assert number.source == "utility.json#/columns/a~1b~0c/unchanged"
    assert facts.resolve(number.source) == 0.5
