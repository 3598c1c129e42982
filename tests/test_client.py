"""A project that uses Leakgauge is checked against its types, as its own mypy or pyright does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import leakgauge as lg
from leakgauge.artefacts.request import RequestOptions, option_names

CLIENT = Path(__file__).parents[1] / "examples" / "typed_client"


WRONG = """
lg.MaxDistortion("a fifth")  # type: ignore[arg-type]
lg.measures.mutual_information(lg.Channel.identity("ab"))  # type: ignore[arg-type]
lg.design.solve(1).no_such_member  # type: ignore[arg-type,attr-defined]
lg.protect("table.csv", "out", sercet="x", max_distortion=0.2)  # type: ignore[call-arg]
lg.protect("table.csv", "out", secret="x", max_distortion="a fifth")  # type: ignore[arg-type]
lg.protect("table.csv", "out", secret="x", max_distortion={"x": 0.2}, public={"y": None}, policy=Path("policy.toml"))
"""


@pytest.mark.parametrize(
    "checker", [["mypy"], ["basedpyright", "--pythonpath", sys.executable]], ids=lambda one: one[0]
)
def test_a_client_is_held_to_our_types(checker: list[str], tmp_path: Path) -> None:
    place = tmp_path / "client"
    shutil.copytree(CLIENT, place)
    # Under --strict a line that is not wrong must not be ignored: each of these is found, and nothing else is.
    (place / "gate.py").write_text(
        (CLIENT / "gate.py").read_text().replace("import sys\n", "import sys\nfrom pathlib import Path\n") + WRONG
    )
    command = [sys.executable, "-m", *checker]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_runs(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x\na\nb\na\nc\n")
    command = [sys.executable, str(CLIENT / "gate.py"), str(table), "x", "1.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "x: 0.578 bits\n"), done.stderr
    assert subprocess.run([*command[:-1], "0.1"], capture_output=True, check=False).returncode == 1


def test_the_keywords_are_the_fields_of_a_request() -> None:
    # Options of earlier parts stand first in a class made of several.
    assert {*get_type_hints(RequestOptions)} == {*option_names()}


@pytest.mark.parametrize(
    ("misspelt", "meant"), [("sercet", "'secret'"), ("max_distorsion", "'max_distortion'"), ("overwrit", "'overwrite'")]
)
def test_a_misspelt_keyword_names_the_nearest(misspelt: str, meant: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {misspelt: "x"}
    with pytest.raises(lg.errors.OptionError, match=f"There is no option '{misspelt}'; did you mean {meant}"):
        lg.protect("table.csv", tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()
