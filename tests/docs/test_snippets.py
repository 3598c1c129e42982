"""Every snippet of the documentation runs, and prints what it shows.

``python`` blocks of one page run in order in one namespace (``>>>`` blocks as doctests); in ``console`` blocks
each ``$ leakgauge …`` line runs, and the lines below it must be what it prints, ``…`` standing for anything. The first
line of the first page runs as a process of its own, as a reader would run it; the others run in this process. ``sql``
blocks run in a PostgreSQL server of our own, which stands for the one that a page names.
"""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import xml.dom.minidom
from functools import partial
from pathlib import Path

import pytest

from leakgauge import errors, measures
from leakgauge.claims import NOTIONS
from leakgauge.cli import main
from tests import sparks
from tests.postgres import PASSWORD

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


DATABASE = "postgresql://steward@db.example.org/hospital"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "use-spark.md":
        sparks.require_spark()
        # A session that the page starts itself leaves a handler of its own behind.
        request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT)))
    names: dict[str, object] = {}
    lines = Lines(capsys, as_process=page.parent == ROOT)
    text = page.read_text(encoding="utf-8")
    server = request.getfixturevalue("server") if DATABASE in text else ""
    for kind, body in BLOCK.findall(text.replace(DATABASE, server.replace(f":{PASSWORD}", ""))):
        if kind == "python":
            run_python(body, names, page)
        elif kind == "console":
            run_console(body, lines)
        elif kind == "sql":
            run_sql(body, server)
        elif kind == "csv":
            name, content = body.split("\n", 1)
            Path(name.removeprefix("# ")).write_text(content, encoding="utf-8")
    assert_links_lead_somewhere(page)


def run_sql(body: str, server: str) -> None:
    import psycopg

    with psycopg.connect(server) as connection:
        connection.execute(body.encode())


def run_python(body: str, names: dict[str, object], page: Path) -> None:
    if ">>>" not in body:
        exec(compile(body, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    complaints: list[str] = []
    runner.run(test, out=complaints.append, clear_globs=False)
    names.update(test.globs)
    assert not complaints, "".join(complaints)


class Lines:
    """Runs the command lines of one page; the first one as a process where that is wanted."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *, as_process: bool) -> None:
        self._capsys = capsys
        self._as_process = as_process

    def run(self, arguments: list[str]) -> tuple[int, str]:
        """The exit code and all that was printed."""
        if not self._as_process:
            self._capsys.readouterr()
            code = main(arguments)
            shown = self._capsys.readouterr()
            return code, shown.out + shown.err
        self._as_process = False
        done = subprocess.run(
            [sys.executable, "-m", "leakgauge", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "error", "PYTHONUTF8": "1"},
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


def run_console(body: str, lines: Lines) -> None:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        program, *arguments = shlex.split(line)
        if program == "make":
            continue
        if program == "openssl":
            subprocess.run([program, *arguments], capture_output=True, check=True)
            continue
        assert program == "leakgauge", line
        code, shown = lines.run(arguments)
        failed = "leakgauge: " in expected or expected.startswith('{"error": ')
        assert code in ((1, 2) if failed else (0,)), shown
        if expected.strip():
            assert shows(expected, shown), shown


def shows(expected: str, shown: str) -> bool:
    """Whether what is shown is what is expected, up to spaces and with anything in place of each ``…``."""
    parts = r"\s+".join(re.escape(word) for word in expected.split()).split("…")
    # Whatever follows the first place where a part stands, so that a mismatch is not looked for in every way.
    parts = [part[:-1] if part.endswith(r"\s+") else part for part in parts]
    between = "".join(f"(?>.*?{part})" for part in parts[1:-1])
    pattern = parts[0] + (f"{between}.*?{parts[-1]}" if parts[1:] else "")
    return re.fullmatch(rf"\s*{pattern}\s*", shown, re.DOTALL) is not None


def assert_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}, which is not there"


def test_the_picture_of_the_graph_shows_the_data() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "pictures" / "notions.py"))["draw"]()
    assert (ROOT / "docs" / "pictures" / "notions.svg").read_text(encoding="utf-8") == drawn
    xml.dom.minidom.parseString(drawn)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda example: example.name)
def test_examples_run(example: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", str(example)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_reference_names_every_notion_measure_and_error() -> None:
    notions = (ROOT / "docs" / "reference" / "notions.md").read_text(encoding="utf-8")
    for name, notion in NOTIONS.items():
        assert f"`{name}`" in notions
        assert f"`{notion.__name__}`" in notions
    listed = (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")
    for name in measures.__all__:
        assert name in listed or name in ("MEASURES", "Basic", "Ranking", "Unit", "ZeroLeakageTest"), name
    tree = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    for name in vars(errors):
        assert not name.endswith("Error") or f"`{name}`" in tree
