"""Nothing a person types is dropped or without effect: an option of one value given twice is refused by every verb."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from leakgauge.artefacts.codec import sentence_of
from leakgauge.cli import verbs
from leakgauge.cli.help import spoken
from leakgauge.cli.options import ADDRESS, FILE
from leakgauge.release.ledger import open_ledger
from tests.cli.running import as_json, run
from tests.cli.tree import options, parameters
from tests.jobs.people import write_people

JOINT = {("measure", "--secret"), ("design", "--secret"), ("compare", "--secret")}
"""A repeated secret is one joint source there."""

PROTECT = ("protect", "people.csv", "--secret", "illness", "--max-distortion", "0.2", "--simulate", "3", "-o", "out")


SINGLE = [
    pytest.param(path, spelling, id=" ".join((*path, spelling)))
    for path, one in options()
    if not (one.multiple or one.is_flag)
    for spelling in one.opts
]


def test_the_walk_finds_the_options_of_every_verb() -> None:
    verbs_walked = {path[0] for path, _ in options() if path}
    assert verbs_walked == set(spoken(verbs).list_commands(click.Context(verbs)))  # type: ignore[attr-defined]
    assert len(SINGLE) > 150
    repeated = {(path[0], one.opts[0]) for path, one in options() if one.multiple}
    assert repeated >= JOINT
    assert ("protect", "--secret") in repeated and ("query", "--by") not in repeated


@pytest.mark.parametrize(("path", "option"), SINGLE)
def test_a_value_given_twice_is_refused(path: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *path, option, "en", f"{option}=en" if option.startswith("--") else f"{option}en")
    assert (code, out) == (2, ""), err
    assert " is given 2 times and takes one value; " in err
    assert err.count("\n") == 1


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 200)
    return tmp_path


def test_the_refusal_says_what_to_do_instead(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "open", "l.db", "--dataset", "people", "--epsilon", "3")[0] == 0
    both = ("--where", "city=A", "--epsilon", "1", "--epsilon", "2", "--ledger", "l.db")
    code, out, err = run(capsys, "query", "people.csv", "count", *both)
    assert (code, out) == (2, "")
    assert "--epsilon is given 2 times and takes one value; give it once." in err
    with open_ledger("l.db") as ledger:
        assert ledger.spent("people").epsilon == 0
    code, _, err = run(capsys, "query", "people.csv", "count", *both, "--language", "zh")
    assert code == 2
    assert "given" not in err


def test_a_language_is_given_once_to_a_group_and_its_verb(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--language", "en", "reproduce", "--language", "en")
    assert code == 2
    assert "--language is given 2 times" in err


def test_a_flag_given_twice_says_the_same_thing_twice(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert all(not one.secondary_opts for _, one in options()), "a flag and its opposite could contradict each other"
    code, fields = as_json(capsys, "measure", "people.csv", "--secret", "illness", "--json")
    assert code == 0
    code, joint = as_json(capsys, "measure", "people.csv", "--secret", "illness", "--secret", "city", "--together")
    assert code == 0
    assert joint["entropy"]["value"] > fields["entropy"]["value"]


def test_an_answer_repeats_its_condition_with_the_value(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ("query", "people.csv", "count", "--epsilon", "1", "--simulate", "1", "--where")
    for value, said in (("A", "is 'A'"), ("(missing)", "is missing")):
        asked = sentence_of(as_json(capsys, *ask, f"city={value}")[1]["question"])
        assert str(asked) == f"count over rows where 'city' {said}"
    for value in ("A", "[red]", "A' is 'B"):
        code, out, _ = run(capsys, *ask, f"city={value}")
        assert code == 0
        assert f"count over rows where 'city' is {value!r}" in out
    code, out, _ = run(capsys, *ask, "city=A", "--language", "zh")
    assert code == 0
    assert "计数（仅 'city' 为 'A' 的行）" in out


def test_two_priors_of_one_column_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.toml").write_text('[columns]\nillness = "randomized-response:epsilon=1,letters=this-table"\n')
    priors = ("--prior", "illness=this-table", "--prior", "illness=noisy-histogram:0.1")
    code, out, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "--dry-run", *priors)
    assert (code, out) == (2, "")
    assert err == "leakgauge: --prior is given twice for column 'illness'; give it once.\n"


def test_a_key_twice_in_a_file_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.json").write_text('{"schema": "leakgauge/channel/1", "inputs": {}, "inputs": {}}')
    code, out, err = run(capsys, "relate", "c.json")
    assert (code, out) == (2, "")
    assert err == "leakgauge: c.json cannot be read as JSON: an object in it names a key twice.\n"


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 60)
    (tmp_path / "plan.toml").write_text('[columns]\nillness = "randomized-response:epsilon=1,letters=this-table"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*PROTECT, "--dataset", "people"), "no ledger is given"),
        (("release", "people.csv", "--plan", "plan.toml", "--dataset", "people", "-o", "o.csv"), "no ledger is given"),
        ((*PROTECT, "--bins", "age=width:10"), "has no role here"),
        (("report", "out", "--limit", "50"), "add --edition external"),
        (("report", "out", "-o", "report.docx"), "does not end in .html, .md or .pdf"),
        (("audit", "--program", "cat", "--claim", "local-dp:1", "--inputs", "a", "a"), "two different inputs"),
    ],
)
def test_what_would_be_ignored_is_refused(
    few: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    before = set(few.iterdir())
    code, _, err = run(capsys, *arguments)
    assert code == 2 and sentence in err
    assert len(err.strip().splitlines()) == 1
    assert set(few.iterdir()) == before


def test_too_few_rows_are_said_to_be_too_few(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = run(capsys, *PROTECT, "--background", "age")
    assert "Leakage of the secret" in shown and "Too small to tell" in shown


def test_a_program_without_noise_has_none_that_could_repeat(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = ("audit", "--program", "cat", "--claim", "local-dp:100", "--inputs", "a", "b", "--samples", "400")
    _, shown, _ = run(capsys, *audit)
    assert "without noise ε is infinite" in shown.replace("\n", " ")
    assert "fresh noise" not in shown


NAMED = [
    pytest.param(
        (*path, *((one.opts[0], "") if isinstance(one, click.Option) else ("",))), id=" ".join((*path, one.opts[0]))
    )
    for path, one in parameters()
    if one.type in (FILE, ADDRESS) and one.nargs == 1
]


@pytest.mark.parametrize("words", NAMED)
def test_an_empty_name_of_a_file_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert ("audit", "") in [one.values[0] for one in NAMED]
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, ""), err
    assert " is empty; name a file, a folder or an address." in err and err.count("\n") == 1


@pytest.mark.parametrize("to", ["out.csv", "out", "postgresql://me@host/db#t"])
def test_what_workers_cannot_write_is_refused_before_the_table_is_opened(
    to: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "plan.toml").write_text('[columns]\nillness = "randomized-response:epsilon=1"\n')
    code, _, err = run(capsys, "release", "no-such-table.csv", "--plan", "plan.toml", "-o", to, "--on-workers")
    assert code == 2 and "end it in .parquet." in err and "me@" not in err
    code, _, err = run(capsys, "release", "no-such-table.csv", "--plan", "plan.toml", "-o", "out.txt")
    assert code == 2 and "out.txt" in err


def test_a_name_longer_than_any_file_has_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "survey", "x" * 300)
    assert code == 2 and "too long" in err
    many = "|".join(f"letter{at}" for at in range(50))
    mechanism = f"randomized-response:epsilon=1,letters={many}"
    assert run(capsys, "audit", mechanism, "--samples", "200", "--simulate", "1")[0] == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("survey", "people.csv", "--confidence", "7"), "A confidence of 7.0 is not between 0 and 1"),
        (
            ("improve", "people.csv", "--secret", "illness", "--min-protection", "60", "--ledger", "budget"),
            "none is used; give --accounted",
        ),
    ],
)
def test_what_would_have_no_effect_is_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_people(Path("people.csv"))
    code, _, err = run(capsys, *typed)
    assert code == 2 and said in err and err.count("\n") == 1
