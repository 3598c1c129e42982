"""The clauses of an assessment: every item is there, the job's answers are its own, and nothing is invented."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import pytest

from leakgauge.artefacts import codec
from leakgauge.artefacts.clauses import AnsweredItem, Clauses, Degree, Instrument, Item, Line, Status
from leakgauge.artefacts.dossier import Dossier
from leakgauge.cli import main
from leakgauge.errors import FileError, OptionError
from leakgauge.jobs.protect import protect
from leakgauge.languages import Language
from leakgauge.report.reading import read_dossier
from leakgauge.report.report import compose
from leakgauge.telling.blocks import Edition, text_of
from leakgauge.telling.clauses import catalogue, walk
from leakgauge.telling.clauses.answers import ANSWERS, kept_until
from leakgauge.telling.clauses.catalogue import INSTRUMENTS, by_default, chosen
from leakgauge.telling.clauses.files import read_walk
from leakgauge.telling.clauses.level import effect_level, likelihood, risk
from leakgauge.telling.clauses.lines import LINES
from leakgauge.telling.clauses.special import category_of
from leakgauge.telling.clauses.walk import Walk, answered
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from tests.report import test_several_secrets
from tests.report.facts import Facts
from tests.report.reading import CHINESE, ENGLISH, changed, numbers_in, texts

READ, SUMMARY = Status.READ, Status.SUMMARY
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "clauses.md"
SPECIFIED = {
    "gdpr": (READ, ["35-7-a", "35-7-b", "35-7-c", "35-7-d", "35-2", "36"]),
    "wp29": (READ, ["singling-out", "linking", "inferring"]),
    "iso-27559": (SUMMARY, ["context", "data", "identifiability", "mitigation", "governance"]),
    "nist-800-188": (READ, ["goal", "sharing", "technique", "risk", "utility", "reassessment", "board"]),
    "nist-800-226": (
        READ,
        ["parameters", "unit", "neighbours", "trust", "composition", "side-channels", "collection"],
    ),
    "hipaa": (READ, ["very-small-risk", "documented"]),
    "pipl": (READ, ["55", "56-1", "56-2", "56-3", "56-retention"]),
    "gbt-35273": (SUMMARY, ["de-identification", "entrusting", "sharing", "disclosure"]),
    "gbt-37964": (SUMMARY, ["goal", "identify", "process", "verify", "review"]),
    "gbt-42460": (SUMMARY, ["level"]),
    "ehds": (SUMMARY, ["minimisation", "anonymisation", "environment"]),
}
LEGAL_BASIS = "Art. 6(1)(e) & the <Statistics> Act"


def voice_on(dossier: Dossier, language: Language = ENGLISH, edition: Edition = Edition.INTERNAL) -> Voice:
    return Voice(Shown(dossier), language, edition)


def items_of(found: Clauses) -> dict[str, AnsweredItem]:
    return {f"{one.key}/{item.key}": item for one in found.instruments for item in one.items}


def annex(dossier: Dossier, language: Language = ENGLISH, edition: Edition = Edition.INTERNAL) -> str:
    """What a report says of the clauses; empty where it does not."""
    document = compose(dossier, language, edition)
    return texts(replace(document, sections=tuple(one for one in document.sections if one.key == "clauses")))


def test_every_row_of_the_specification_is_there_with_its_status() -> None:
    assert {one.key: (one.status, [item.key for item in one.items]) for one in INSTRUMENTS} == SPECIFIED
    for one in INSTRUMENTS:
        for item in one.items:
            assert {*item.answers} <= ANSWERS.keys() and {*item.lines} <= LINES.keys()
            assert item.answers or item.lines
    asked = {key for one in INSTRUMENTS for item in one.items for key in item.lines}
    assert asked == LINES.keys()
    assert {name for one in INSTRUMENTS for item in one.items for name in item.answers} == ANSWERS.keys()


def test_the_reference_has_a_row_for_every_instrument() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([PC]) \|$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == {one.key: "P" if one.status is READ else "C" for one in INSTRUMENTS}


def test_every_item_that_a_job_fills_is_filled(facts: Facts) -> None:
    found = items_of(answered(facts.dossier, Walk(), ("en",)))
    lines_alone = {f"{one.key}/{item.key}" for one in INSTRUMENTS for item in one.items if not item.answers}
    for name, item in found.items():
        assert bool(item.answers) != (name in lines_alone), name
        assert not any("Nothing in this job" in str(said) for said in item.answers), name


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_what_is_stored_is_what_is_printed(facts: Facts, refused: Facts, language: Language) -> None:
    for one in (facts, refused):
        stored = items_of(answered(one.dossier, Walk(), ("en",)))
        voice = voice_on(one.dossier, language)
        for name, item in ((f"{each.key}/{item.key}", item) for each in INSTRUMENTS for item in each.items):
            told = [language.retell(said) for said in stored[name].answers]
            assert told == [text_of(said, language) for said in walk._answers(voice, item)], name


def test_every_number_names_its_source(facts: Facts) -> None:
    found = answered(facts.dossier, Walk(), ("en",))
    sources = [source for item in items_of(found).values() for source in item.sources]
    assert len(sources) > 50
    assert all(facts.resolve(source) is not None for source in sources)


def test_both_languages_have_the_same_numbers(facts: Facts) -> None:
    every = msgspec.structs.replace(
        facts.dossier, clauses=answered(facts.dossier, Walk(printed=chosen(["all"])), ("en",))
    )
    assert numbers_in(annex(every)) == numbers_in(annex(every, CHINESE))


def test_what_nobody_declared_is_a_line_and_nothing_is_invented(facts: Facts) -> None:
    found = answered(facts.dossier, Walk(), ("en",))
    declared = {line.key: line.declared for item in items_of(found).values() for line in item.lines}
    # The job says these two, and nobody said anything else.
    assert {key: said for key, said in declared.items() if said is not None} == {
        "purpose": "a study of illness",
        "review": "2099-11-16",
    }
    assert all(item.open == any(line.declared is None for line in item.lines) for item in items_of(found).values())
    assert (found.severity, found.risk, found.declared) == (None, None, ())
    said = annex(msgspec.structs.replace(facts.dossier, clauses=found))
    assert "legal basis: ____" in said and "purpose: a study of illness" in said
    assert f"Answers left for you to fill in: {found.open}." in said


def test_what_is_declared_is_printed_once_for_every_item_that_asks_for_it(facts: Facts) -> None:
    before = answered(facts.dossier, Walk(), ("en",))
    declared = (Line("legal-basis", LEGAL_BASIS), Line("severity", "high"))
    found = answered(facts.dossier, Walk(declared, printed=chosen(["gdpr", "pipl"])), ("en",))
    assert {item.lines[0].declared for name, item in items_of(found).items() if name.endswith("56-2")} == {"high"}
    assert (found.severity, found.likelihood, found.risk) == (Degree.HIGH, Degree.HIGH, Degree.HIGH)
    said = annex(msgspec.structs.replace(facts.dossier, clauses=found))
    assert said.count(LEGAL_BASIS) == 2 and "● high" in said and "○ high" not in said
    assert LEGAL_BASIS not in str(codec.encode(before))


def test_what_a_job_declares_may_not_be_said_otherwise(facts: Facts, tmp_path: Path) -> None:
    asked = facts.dossier.job.asked  # type: ignore[union-attr]
    (tmp_path / "words.toml").write_text('purpose = "something else"', encoding="utf-8")
    with pytest.raises(FileError, match="'purpose' was declared to the job in other words"):
        read_walk(str(tmp_path / "words.toml"), (), asked)
    # What a file said before the job did gives way.
    assert answered(facts.dossier, Walk((Line("purpose", "something else"),)), ("en",)).declared == ()


def test_a_stored_file_of_another_version_is_read(facts: Facts) -> None:
    own = Instrument("board", "The board", "", Status.OWN, (Item("1", "What", ("an answer of tomorrow",)),))
    found = answered(facts.dossier, Walk((Line("severity", "grave"),), (own,), ("board",)), ("en",))
    assert found.severity is None
    assert [str(one) for one in items_of(found)["board/1"].answers] == ["Nothing in this job answers it."]


def test_of_a_job_that_released_nothing_no_item_says_that_anything_protects(refused: Facts) -> None:
    found = answered(refused.dossier, Walk(), ("en",))
    items = items_of(found)
    assert (found.likelihood, found.effect_level) == (None, None)
    for name in ("gdpr/35-7-d", "pipl/56-3", "gbt-37964/process", "nist-800-188/technique", "gdpr/35-7-c"):
        assert str(items[name].answers[0]).startswith("Nothing was released, so this job adds no disclosure risk.")
    assert str(items["nist-800-226/parameters"].answers[0]).startswith("Not a claim of differential privacy")
    assert "ε =" not in annex(msgspec.structs.replace(refused.dossier, clauses=found))
    assert "Guarantee:" not in str([list(map(str, item.answers)) for item in items.values()])


def test_a_claim_of_differential_privacy_says_what_it_does_not_cover(facts: Facts) -> None:
    items = items_of(answered(facts.dossier, Walk(), ("en",)))
    said = " ".join(map(str, items["nist-800-226/parameters"].answers))
    assert "δ = 0" in said and "ε covers the protected columns only" in said and "not for what its tuning" in said
    assert [str(one) for one in items["nist-800-226/unit"].answers] == ["one row"]


def test_a_mechanism_without_a_finite_level_is_not_a_claim(facts: Facts) -> None:
    together = facts.get("release.json", "together")
    certain = {**together, "dp": {**together["dp"], "value": float("inf")}}
    claims = facts.get("release.json", "claims")
    levels = claims["illness"]["levels"]
    endless = {**levels, "local-dp": {**levels["local-dp"], "value": float("inf")}}
    found = changed(
        facts, release={"together": certain, "claims": {"illness": {**claims["illness"], "levels": endless}}}
    )
    items = items_of(answered(found.dossier, Walk(), ("en",)))
    for name in ("parameters", "unit", "neighbours"):
        (said,) = items[f"nist-800-226/{name}"].answers
        assert str(said) == "Not a claim of differential privacy: nothing bounds ε."


def test_of_several_secrets_every_one_is_spoken_of(once: Callable[[str, Callable[[Path], None]], Path]) -> None:
    folder = once("several", test_several_secrets.make)
    dossier = read_dossier(folder / "job")
    items = items_of(answered(dossier, Walk(), ("en",)))
    said = " ".join(map(str, items["gdpr/35-7-d"].answers))
    assert "illness was released" in said and "income was released" in said
    assert "illness, income" in " ".join(map(str, items["gdpr/35-7-a"].answers))
    attacks = " ".join(map(str, items["wp29/inferring"].answers))
    assert attacks.count("An attacker") >= 2
    assert annex(dossier)


def test_a_release_made_elsewhere_has_its_clauses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{at},{('yes', 'no')[at % 3 == 0]},{('nurse', 'clerk')[at % 2]}" for at in range(200)]
    for name in ("people.csv", "theirs.csv"):
        (tmp_path / name).write_text("\n".join(["id,hiv,job", *rows]) + "\n", encoding="utf-8")
    released = ["--released", str(tmp_path / "theirs.csv"), "--original", str(tmp_path / "people.csv")]
    (tmp_path / "elsewhere").mkdir()
    audit = str(tmp_path / "elsewhere" / "audit.json")
    assert main(["audit", *released, "--secret", "hiv", "--key", "id", "-o", audit]) == 0
    capsys.readouterr()
    place = tmp_path / "report.md"
    assert main(["report", str(tmp_path / "elsewhere"), "--clauses", "all", "-o", str(place)]) == 0
    assert "Answers left for you to fill in: " in capsys.readouterr().out
    said = place.read_text(encoding="utf-8")
    assert "Not a claim of differential privacy" in said and "No level is proposed" in said
    assert "hiv may be about health: suggested by its name" in said
    assert "Nothing in this job answers it." in said and "To be kept until" not in said


def test_the_external_edition_has_none_of_it(job: Path) -> None:
    dossier = read_dossier(job)
    assert dossier.clauses is not None
    told = (Line("legal-basis", LEGAL_BASIS),)
    with_words = msgspec.structs.replace(dossier, clauses=answered(dossier, Walk(told), ("en",)))
    document = compose(with_words, ENGLISH, Edition.EXTERNAL)
    assert "clauses" not in [one.key for one in document.sections]
    assert "Statistics> Act" not in texts(document)
    assert "clauses.json" not in {number.source.partition("#")[0] for number in document.numbers()}


def test_the_job_writes_it_for_its_owner_and_names_it_nowhere_as_shareable(job: Path) -> None:
    found = codec.read(Clauses, job / "clauses.json")
    assert (job / "clauses.json").stat().st_mode & 0o777 == 0o600
    assert "clauses.json" not in read_dossier(job).job.shareable  # type: ignore[union-attr]
    assert [one.key for one in found.instruments if one.printed] == ["gdpr", "wp29"]
    assert [one.key for one in found.instruments] == list(SPECIFIED)


def test_a_toy_instrument_is_an_entry_and_a_line(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Instrument("toy", "The toy act", "toyland", READ, (Item("1", "How risky it is", ("risks",), ("severity",)),))
    for room in (catalogue, walk):
        monkeypatch.setattr(room, "INSTRUMENTS", (*INSTRUMENTS, toy))
    assert chosen(["toyland"]) == ("toy",)
    found = answered(facts.dossier, Walk(printed=("toy",)), ("en",))
    item = items_of(found)["toy/1"]
    assert (found.open, item.open) == (1, True)
    assert str(item.answers[0]).startswith("Singling out: ")
    said = annex(msgspec.structs.replace(facts.dossier, clauses=found))
    assert "The toy act" in said and "GDPR" not in said


def test_the_language_of_a_report_decides_where_nobody_chose() -> None:
    assert by_default(["en"]) == ("gdpr", "wp29")
    assert by_default(["zh"]) == ("pipl", "gbt-35273", "gbt-37964", "gbt-42460")
    assert by_default(["en", "zh"]) == by_default(["en"]) + by_default(["zh"])
    assert chosen(["us", "gdpr", "us"]) == ("nist-800-188", "nist-800-226", "hipaa", "gdpr")
    assert chosen(["all"]) == tuple(SPECIFIED)


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("marital_status", None),
        ("religiousAffiliation", "religion or belief"),
        ("trade_union", "membership of a trade union"),
        ("unionised", None),
        ("voted_2024", "political opinion or vote"),
        ("devoted", None),
        ("政治面貌", "political opinion or vote"),
        ("民族", "ethnicity"),
        ("诊断结果", "health"),
        ("finger-print", None),
        ("Fingerprint", "biometrics or genes"),
        ("sexual_orientation", "sex life or sexual orientation"),
        ("sex", None),
    ],
)
def test_special_categories_are_suggested_by_names_in_two_languages(name: str, category: str | None) -> None:
    assert category_of(name) == category


def test_values_suggest_a_category_and_are_never_shown(facts: Facts) -> None:
    utility = facts.get("utility.json", "columns")
    values = [{**one, "value": ["HIV positive"]} for one in utility["illness"]["shares"][:1]]
    renamed = {"job": {**utility["illness"], "shares": values}}
    found = changed(facts, utility={"columns": renamed})
    items = items_of(answered(found.dossier, Walk(), ("en",)))
    said = [str(one) for one in items["pipl/55"].answers]
    assert "job may be about health: suggested by its values, for you to decide." in said
    assert "illness may be about health: suggested by its name, for you to decide." in said
    assert "HIV" not in str(codec.encode(answered(found.dossier, Walk(), ("en",))))


def test_reports_are_kept_for_three_years() -> None:
    assert kept_until(date(2026, 11, 19)) == date(2029, 11, 19)
    assert kept_until(date(2028, 2, 29)) == date(2031, 3, 1)


def test_risk_grows_with_severity_and_likelihood() -> None:
    order = list(Degree)
    table = [[order.index(risk(hard, often)) for often in order] for hard in order]
    assert table == [[0, 0, 1], [0, 1, 2], [1, 2, 2]]


def policy(facts: Facts, kept: tuple[str, ...] = (), /, **found: tuple[float, float]) -> Facts:
    """A verdict that holds limits against what was found, as ``max_alone=(found, limit)``; ``kept`` do not apply."""
    lines = [
        {"name": name, "limit": limit, "found": one, "holds": one <= limit, "of": "", "given": False}
        for name, (one, limit) in found.items()
    ]
    limits = {"singling out": "max_alone", "linking": "max_linked", "inferring": "max_surest"}
    risks = []
    for one in facts.get("verdict.json", "risks"):
        limit = found.get(limits[one["kind"]])
        # Where nothing is published, nobody is alone in it: the policy has no line, and the risk keeps its limit.
        met = limits[one["kind"]] in kept or (None if limit is None else limit[0] <= limit[1])
        risks.append({**one, "limit": None if met is None else 0.05, "met": met})
    return changed(facts, verdict={"policy": lines, "vetoes": [], "risks": risks})


@pytest.mark.parametrize(
    ("found", "likely", "level"),
    [
        ({"max_alone": (0.02, 0.05), "max_linked": (0.0, 0.05), "max_surest": (20.0, 45.0)}, Degree.LOW, 3),
        ({"max_alone": (0.03, 0.05), "max_linked": (0.0, 0.05), "max_surest": (20.0, 45.0)}, Degree.MEDIUM, 3),
        ({"max_alone": (0.0, 0.05), "max_linked": (0.0, 0.05), "max_surest": (45.1, 45.0)}, Degree.HIGH, 2),
        # A limit that is not set is not met.
        ({"max_alone": (0.0, 0.05), "max_linked": (0.0, 0.05)}, Degree.HIGH, 2),
    ],
)
def test_likelihood_and_level_follow_from_the_limits(
    facts: Facts, found: dict[str, tuple[float, float]], likely: Degree, level: int
) -> None:
    voice = voice_on(policy(facts, **found).dossier)
    assert (likelihood(voice), effect_level(voice).level) == (likely, level)


def test_where_nothing_is_published_its_limits_do_not_count_as_missed(facts: Facts) -> None:
    voice = voice_on(policy(facts, ("max_alone", "max_linked"), max_surest=(20.0, 45.0)).dossier)
    assert (likelihood(voice), effect_level(voice).level) == (Degree.LOW, 3)


def test_an_identifier_that_is_published_is_level_one(facts: Facts) -> None:
    safe = policy(facts, max_alone=(0.0, 0.05), max_linked=(0.0, 0.05), max_surest=(0.0, 45.0))
    columns = [
        {**one, "identifier": "all values are unique"} if one["name"] == "job" else one
        for one in safe.get("survey.json", "columns")
    ]
    found = effect_level(voice_on(changed(safe, survey={"columns": columns}).dossier))
    assert found.level == 1 and "job" in text_of(found.reason, ENGLISH)


def test_the_form_is_filled_in_and_read_and_kept(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, form, report = Path(shutil.copytree(job, tmp_path / "job")), tmp_path / "form.toml", tmp_path / "report.md"
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(folder), "--assessment-form", str(form)]) == 0
    text = form.read_text(encoding="utf-8")
    # What the job was asked for is declared already.
    assert 'legal-basis = ""' in text and "purpose =" not in text and "recipient =" in text
    assert main(["report", str(folder), "--assessment-form", str(form)]) == 2
    assert "is there already, and may have been filled in" in capsys.readouterr().err
    filled = text.replace('legal-basis = ""', 'legal-basis = "Art. 6 \\"e\\""').replace(
        'severity = ""', 'severity = "medium"'
    )
    form.write_text(filled.replace('effect-level = ""', "effect-level = 3"), encoding="utf-8")
    assert main(["report", str(folder), "--assessment", str(form), "--clauses", "gdpr", "-o", str(report)]) == 0
    assert 'legal basis: Art. 6 "e"' in report.read_text(encoding="utf-8")
    # The next report says the same of itself, and so does the next form.
    assert main(["report", str(folder), "-o", str(report)]) == 0
    assert 'legal basis: Art. 6 "e"' in report.read_text(encoding="utf-8")
    again = tmp_path / "again.toml"
    assert main(["report", str(folder), "--assessment-form", str(again)]) == 0
    assert 'legal-basis = "Art. 6 \\"e\\""' in again.read_text(encoding="utf-8")
    kept = codec.read(Clauses, folder / "clauses.json")
    assert {line.key for line in kept.declared} == {"legal-basis", "severity", "effect-level"}
    assert [one.key for one in kept.instruments if one.printed] == ["gdpr"]


OWN = """
name = "The ethics board"
name_zh = "伦理委员会"
[[items]]
key = "1"
name = "What may happen to people"
name_zh = "对个人的影响"
filled_by = ["risks", "severity"]
[[items]]
key = "2"
name = "Was the board asked?"
"""


def test_a_file_of_clauses_of_ones_own(job: Path, tmp_path: Path) -> None:
    folder, report = Path(shutil.copytree(job, tmp_path / "job")), tmp_path / "report.md"
    own, words = tmp_path / "board.toml", tmp_path / "words.toml"
    own.write_text(OWN, encoding="utf-8")
    assert main(["report", str(folder), "--clauses", str(own), "--clauses", "wp29", "-o", str(report)]) == 0
    said = report.read_text(encoding="utf-8")
    assert "The ethics board" in said and "Was the board asked?" in said and "GDPR" not in said.split("--clauses")[0]
    assert "From files of your own: The ethics board." in said
    # It is remembered, and its own lines are filled in like all others.
    words.write_text('"board/2" = "yes, in May"\n', encoding="utf-8")
    asked = ["report", str(folder), "--assessment", str(words), "--report-language", "zh", "-o", str(report)]
    own.unlink()
    assert main(asked) == 0
    said = report.read_text(encoding="utf-8")
    assert "伦理委员会" in said and "对个人的影响" in said and "yes, in May" in said


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('legal_basis = "law"', r"sets 'legal_basis', which no assessment asks for; did you mean 'legal-basis'\?"),
        ("legal-basis = 6", "'legal-basis' is not a text; write it in quotes"),
        (
            f'legal-basis = "{"x" * 1001}"',
            "'legal-basis' has 1,001 letters, but a line of the report has room for 1,000",
        ),
        ('severity = "grave"', "'severity' is 'grave'; give one of low, medium, high"),
        ("effect-level = 5", "'effect-level' is '5'; give one of 1, 2, 3, 4"),
        ('"board/2" = "yes"', "sets 'board/2', which no assessment asks for"),
        ("legal-basis = ", "is not TOML"),
    ],
)
def test_declarations_that_cannot_be_used(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, reason: str
) -> None:
    (tmp_path / "words.toml").write_text(content, encoding="utf-8")
    assert main(["report", str(job), "--assessment", str(tmp_path / "words.toml"), "-o", str(tmp_path / "x.md")]) == 2
    said = capsys.readouterr().err
    assert re.search(reason, said) and said.count("\n") == 1
    assert not (tmp_path / "x.md").exists()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("mars", None, r"--clauses 'mars' names no instrument and no jurisdiction that is known here; known are"),
        ("gpdr", None, r"did you mean 'gdpr'\?"),
        ("own.toml", None, "cannot be read"),
        ("own.toml", "name = 'x'", r"has no items; write 1 to 200 tables that begin with \[\[items\]\]"),
        ("own.toml", "[[items]]\nkey = '1'\nname = 'x'", "'name' is missing or not a text"),
        ("own.toml", "name = 'x'\njurisdiction = 'mars'", "sets 'jurisdiction', which clauses do not have"),
        ("own.toml", OWN.replace('"risks"', '"risk"'), r"to be filled by 'risk', .*; did you mean 'risks'\?"),
        ("own.toml", OWN.replace('"2"', '"1"'), "has two items with the same key"),
        ("gdpr.toml", OWN, "has a name that clauses cannot have"),
        ("us.toml", OWN, "has a name that clauses cannot have"),
    ],
)
def test_clauses_that_cannot_be_used(
    job: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | None,
    reason: str,
) -> None:
    place = tmp_path / name if name.endswith(".toml") else Path(name)
    if content is not None:
        place.write_text(content, encoding="utf-8")
    assert main(["report", str(job), "--clauses", str(place), "-o", str(tmp_path / "x.md")]) == 2
    said = capsys.readouterr().err
    assert re.search(reason, said) and said.count("\n") == 1


def test_the_external_edition_takes_no_clauses(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(job), "--edition", "external", "--clauses", "gdpr"]) == 2
    assert "The external edition has no clauses" in capsys.readouterr().err


def test_a_job_reads_the_file_before_it_draws_and_keeps_what_was_said(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = {"secret": "illness", "public": ["town"], "mechanism": "randomized-response:epsilon=1"}
    with pytest.raises(OptionError, match="'mars' names no instrument"):
        protect(people, "job", **asked, clauses="mars")  # type: ignore[arg-type]
    assert not Path("job").exists()
    Path("words.toml").write_text('controller = "the office"\n', encoding="utf-8")
    protect(people, "job", **asked, clauses=["us"], assessment="words.toml")  # type: ignore[arg-type]
    drawn = Path("job/release.csv").read_bytes()
    found = codec.read(Clauses, Path("job/clauses.json"))
    assert [one.key for one in found.instruments if one.printed] == ["nist-800-188", "nist-800-226", "hipaa"]
    assert found.declared == (Line("controller", "the office"),)
    # Words that change have the report written again, and draw nothing.
    Path("words.toml").write_text('controller = "the other office"\n', encoding="utf-8")
    protect(people, "job", **asked, clauses=["us"], assessment="words.toml")  # type: ignore[arg-type]
    found = codec.read(Clauses, Path("job/clauses.json"))
    assert found.declared == (Line("controller", "the other office"),)
    protect(people, "job", **asked, purpose="a study")  # type: ignore[arg-type]
    found = codec.read(Clauses, Path("job/clauses.json"))
    assert found.declared == (Line("controller", "the other office"),)
    assert Path("job/release.csv").read_bytes() == drawn
