"""The names of a job's files stand in one table, and its results are never dictionaries inside the process."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import leakgauge
from leakgauge.artefacts.dossier import FILES, Dossier

SOURCE = Path(leakgauge.__file__).parent
NAMES = {file.name for file in FILES}


def literals(module: Path) -> set[str]:
    """The texts of a module that are names of files of results."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return {one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and one.value in NAMES}


def test_names_of_files_stand_in_one_module() -> None:
    found = {str(one.relative_to(SOURCE)) for one in SOURCE.rglob("*.py") if literals(one)}
    assert found == {"artefacts/dossier.py"}


def test_the_report_encodes_and_decodes_no_result() -> None:
    for module in (SOURCE / "report").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        # A folder is read where it is read, and nowhere else.
        if module.name != "reading.py":
            assert "codec.encode" not in text and "codec.decode" not in text, module
            assert not re.search(r"artefacts\.codec import .*\b(encode|decode)\b", text), module


def test_every_result_has_a_field_and_a_name_of_its_own() -> None:
    assert len(NAMES) == len(FILES) == len({file.field for file in FILES})
    assert Dossier().files() == {}
