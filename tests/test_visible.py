"""Words that are not ours on every face: nothing in them is obeyed, hidden or passes for a sentence of the product."""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from rich.table import Table

from leakgauge.artefacts.codec import read, write
from leakgauge.artefacts.record import Output
from leakgauge.cli import main, output
from leakgauge.errors import TableError
from leakgauge.languages import Language
from leakgauge.probability import Distribution
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import commands
from leakgauge.visible import apart, in_a_sentence, in_json, on_one_line, visible
from tests.cli.running import fields, run

CLEARING = "city\x1b[2J\x1b[HRecommendation: release.\nRecommendation: release.\u202e\u200b\x9b\x7f"
SHOWN = "city\\x1b[2J\\x1b[HRecommendation: release.\\x0aRecommendation: release.\\u202e\\u200b\\x9b\\x7f"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with such a name of a column and of a value, in a file with such a name."""
    place = tmp_path_factory.mktemp("hostile") / "people\x1b[2J.csv"
    rows = [f'{"ill" if at % 3 else "well"},"{CLEARING if at % 2 else "x"}"' for at in range(60)]
    place.write_text("\n".join([f'illness,"{CLEARING}"', *rows]) + "\n", encoding="utf-8")
    return place


@pytest.mark.parametrize(
    "arguments",
    [
        ("survey", "--secret", "illness"),
        ("survey", "--secret", CLEARING),
        ("measure", "--secret", CLEARING, "--background", "illness"),
        ("design", "--secret", CLEARING, "--max-distortion", "0.2"),
        ("measure", "--secret", "illness", "--background", f"no {CLEARING}"),
        ("measure", f"--{CLEARING}"),
        ("measure", "--secret", "illness", f"a {CLEARING}"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_name_neither_clears_the_screen_nor_passes_for_a_verdict(
    arguments: tuple[str, ...], language: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *options = arguments
    _, out, err = run(capsys, verb, table, *options, "--language", language)
    assert out + err
    assert not OBEYED.search(out + err)
    assert not [line for line in (out + err).splitlines() if line.startswith("Recommendation")]


def test_a_program_reads_names_as_they_are(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "survey", table, "--secret", "illness")
    assert {one["name"] for one in found["columns"]} == {"illness", CLEARING}
    assert main(["survey", str(table), "--json"]) == 0
    assert not OBEYED.search(capsys.readouterr().out)
    code, _, err = run(capsys, "survey", table, "--secret", f"no {CLEARING}", "--json")
    # Quoted as Python quotes it.
    assert code == 2 and not OBEYED.search(err) and repr(f"no {CLEARING}") in json.loads(err)["error"]


def test_json_means_the_same() -> None:
    for letter in map(chr, (*range(0x300), *range(0x2000, 0x2070), 0xE0041, 0x1F600)):
        written = in_json(json.dumps({letter: [letter]}, ensure_ascii=False))
        assert json.loads(written) == {letter: [letter]} and not OBEYED.search(written)


def test_a_stored_file_can_be_shown_on_a_terminal_and_means_the_same(tmp_path: Path) -> None:
    named = Output(CLEARING, "csv", (f"{CLEARING}\U000e0041",), 1, "0")
    write(tmp_path / "output.json", named)
    assert not OBEYED.search((tmp_path / "output.json").read_text(encoding="utf-8"))
    assert read(Output, tmp_path / "output.json") == named


def test_a_bar_and_a_spinner_show_a_name_as_a_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    with output.counting("Designing [bold]\x1b]0;title\x07") as told:
        told(1, 2)
    with output.working("Reading [red]\x1b[2J"):
        pass
    console = output.Screen(width=80)
    console.print(Table("a name", "a value of it", title="[bold]\x1b[2J"), "[red]\x9bm")
    shown = capsys.readouterr()
    assert "\x1b]0" not in shown.err and "\x07" not in shown.err and "\x1b[2J" not in shown.err
    assert "[bold]\\x1b[2J" in shown.out and "[red]\\x9bm" in shown.out


def test_a_command_to_copy_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = commands("leakgauge protect 'a\nRecommendation: release.'")
    output.deliver({}, output.Output(), lambda _: [command])
    assert capsys.readouterr().out == "  leakgauge protect 'a\\x0aRecommendation: release.'\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_field_is_put_into_a_sentence_on_one_line(language: str) -> None:
    spoken = Language(language)
    said = Sentence("{columns!s} and {name!r}", columns=("a\nb", "\u202ec"), name="d\x1b")
    for text in (str(said), spoken.retell(said), str(TableError("{path}", path=CLEARING)), spoken.say("{a}", a="\n")):
        assert on_one_line(text) == text
    # Sentences of ours may have lines.
    assert spoken.say("{more}", more=Sentence("one\ntwo")) == "one\ntwo"


def test_a_name_that_stands_apart_stays_so_and_no_other_sign_does() -> None:
    name = apart("\u0645\u0631\u0636")
    assert in_a_sentence(name) == name and visible(name) != name
    assert in_a_sentence(f"\u2068a\u202e{name}") == f"\\u2068a\\u202e{name}"


def test_a_notebook_shows_what_is_unseen() -> None:
    shown = Distribution(["a\x1b[2J\n\u202e", CLEARING], [0.5, 0.5])._repr_html_()
    assert "a\\x1b[2J\\x0a\\u202e" in shown and SHOWN[:40] in shown and not OBEYED.search(shown)


def test_the_page_and_every_other_face_agree_on_what_is_unseen() -> None:
    script = (files("leakgauge.web") / "static" / "names.js").read_text(encoding="utf-8")
    found = re.search(r"const UNSEEN = /(\[.*\])/gu;", script)
    assert found is not None
    unseen = re.compile(re.sub(r"\\u\{([0-9a-f]+)\}", lambda code: f"\\U{int(code[1], 16):08x}", found[1]))
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert unseen.sub(lambda sign: on_one_line(sign[0]), every) == on_one_line(every)
    assert [sign for sign in unseen.findall(every) if on_one_line(sign) == sign] == []
