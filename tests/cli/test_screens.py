"""What every verb shows has in common: groups of options, widths, digits, and errors that a program can read."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from leakgauge.cli import verbs
from leakgauge.cli.help import Grouped, spoken
from leakgauge.telling.blocks import Number, written
from leakgauge.telling.voice import Voice
from tests.cli.running import run
from tests.cli.tree import paths
from tests.jobs.people import write_people

MANY = 15
"""Options, beyond which a verb shows them in groups."""
VERBS = {path: command for path, command in paths(spoken(verbs)) if path}
GROUPED = {path[0]: command for path, command in VERBS.items() if isinstance(command, Grouped)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 200)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "kind", "error"),
    [
        (("measure", "people.csv", "--secret", "ilness"), "ColumnError", "has no column 'ilness'; did you mean "),
        (("measure", "people.csv"), "OptionError", "Missing option '--secret'."),
        (("mesure",), "OptionError", "There is no verb 'mesure'; did you mean 'measure'"),
        (("measure", "gone.csv", "--secret", "illness"), "TableError", "gone.csv"),
        (("measure", "people.csv", "--secret", "illness", "--language", "fr"), "OptionError", "fr"),
        (("verify", "people.csv"), "FileError", "people.csv"),
    ],
)
def test_an_error_is_json_where_answers_are(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], kind: str, error: str
) -> None:
    code, out, said = run(capsys, *arguments, "--json")
    assert (code, out, said.count("\n")) == (2, "", 1)
    fields = json.loads(said)
    assert list(fields) == ["error", "kind", "exit"]
    assert (fields["kind"], fields["exit"]) == (kind, 2) and error in fields["error"]
    assert run(capsys, *arguments) == (2, "", f"leakgauge: {fields['error']}\n")


def test_an_error_in_json_is_in_the_language_spoken(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("measure", "people.csv", "--secret", "ilness", "--language", "zh")
    assert json.loads(run(capsys, *asked, "--json")[2])["error"] in run(capsys, *asked)[2]


def test_failures_of_ours_have_their_kind(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for failure, kind, exit_code in (
        (KeyError("a value"), "InternalError", 3),
        (OSError(28, "no space"), "EngineError", 3),
        (KeyboardInterrupt(), "KeyboardInterrupt", 130),
    ):

        def fail(*_: object, failure: BaseException = failure, **__: object) -> None:
            raise failure

        monkeypatch.setattr("leakgauge.tables.open_table", fail)
        code, out, said = run(capsys, "measure", "people.csv", "--secret", "illness", "--json")
        fields = json.loads(said)
        assert (code, out, fields["kind"], fields["exit"]) == (exit_code, "", kind, exit_code)
        assert "a value" not in said


def test_many_options_stand_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(GROUPED) == {"protect", "design", "release", "audit"}
    for verb, command in GROUPED.items():
        names = [name for own in command.groups.values() for name in own.split()]
        hidden = {one.name for one in command.params if getattr(one, "hidden", False)}
        arguments = {one.name for one in command.params if isinstance(one, click.Argument)}
        assert len(names) == len(set(names)) > MANY
        assert set(names) == {one.name for one in command.params} - hidden - arguments - {"language"}
        code, out, _ = run(capsys, verb, "--help")
        assert code == 0 and "\nOptions:" not in out
        heads = [line[:-1] for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
        assert heads == list(command.groups)
        ungrouped = click.Command.format_options
        page = click.HelpFormatter(width=78)
        ungrouped(command, click.Context(command), page)
        options = {word for word in page.getvalue().split() if word.startswith("--")}
        assert options <= set(out.split())


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_help_fits_a_screen_of_80_columns(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(capsys, *path, "--help")
    assert code == 0
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_a_pipe_is_as_wide_as_it_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("measure", "people.csv", "--secret", "illness", "--background", "city")
    widest = {}
    for columns in ("", "70", "3", "x"):
        monkeypatch.setenv("COLUMNS", columns)
        out = run(capsys, *asked)[1]
        assert "…" not in out
        widest[columns] = max(map(len, out.splitlines()))
    assert widest["70"] <= 70 and widest["3"] <= 40 and 80 < widest[""] == widest["x"] <= 110


def test_a_number_has_three_digits() -> None:
    told: dict[float | str, str] = {
        1.23456: "1.23",
        0.000123456: "0.000123",
        48842.3: "48,800",
        1e-13: "1e-13",
        float("inf"): "infinite",
        "infinity": "infinite",
    }
    voice = Voice()
    assert {value: written(Number(value, "", ""), voice.language) for value in told} == told
    # A level promises no less than it is.
    assert written(voice.number(1.23123, unit="nats"), voice.language) == "1.24"


def test_shells_complete_verbs_options_and_files() -> None:
    def offered(arguments: list[str], incomplete: str) -> list[tuple[str, str]]:
        found = BashComplete(spoken(verbs), {}, "leakgauge", "_LEAKGAUGE_COMPLETE")
        return [(one.type, one.value) for one in found.get_completions(arguments, incomplete)]

    assert offered([], "pro") == [("plain", "protect")]
    assert ("plain", "--max-distortion") in offered(["protect"], "--max")
    assert offered(["protect"], "peo") == offered(["protect", "people.csv", "--policy"], "peo") == [("file", "peo")]
    assert offered(["protect", "people.csv", "--keep"], "s") == [("plain", "shares")]
