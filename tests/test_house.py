"""Promises of the house itself: the public surface, the drawn tree, quick help, one source of randomness."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import leakgauge
from leakgauge import errors
from leakgauge.artefacts.dossier import FILES, REPORT

SOURCE = Path(leakgauge.__file__).parent
REFERENCE = SOURCE.parents[1] / "docs" / "reference" / "surface.md"
SURFACE = {
    module: re.findall(r"`(\w+)`", names)
    for module, names in re.findall(r"^\| `([\w.]+)` \| [^|]* \| (.*) \|$", REFERENCE.read_text(), re.MULTILINE)
}
"""The names of each module, as the reference has them."""


@pytest.mark.parametrize("room", SURFACE)
def test_what_a_room_exports_is_what_it_says(room: str) -> None:
    module = importlib.import_module(room)
    assert list(module.__all__) == SURFACE[room]
    in_order = sorted(module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert in_order == list(module.__all__), "constants, classes, functions"
    for name in module.__all__:
        assert getattr(module, name) is not None
    public = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and name not in ("annotations", "TYPE_CHECKING")
    }
    assert public - {"import_module"} <= set(module.__all__) | {"np"}


def test_every_room_is_written_down() -> None:
    """Those that a person imports; jobs, faces and stored things are reached through the others."""
    rooms = {f"leakgauge.{name}" for name in leakgauge.__all__ if (SOURCE / name / "__init__.py").is_file()}
    assert rooms | {"leakgauge"} <= SURFACE.keys()
    catalogues = {
        "leakgauge",
        "leakgauge.measures",
        "leakgauge.mechanisms",
        "leakgauge.notions",
        "leakgauge.assessment",
    }
    assert all(len(names) <= 15 for room, names in SURFACE.items() if room not in catalogues)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        leakgauge.nothing  # noqa: B018


def test_the_exception_tree_is_drawn_as_it_is() -> None:
    drawn = re.findall(r"[├└│─ ]*\b([A-Z]\w+Error)\b", errors.__doc__ or "")
    defined = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert set(drawn) - {"ValueError"} == defined
    assert errors.InputError("x").exit_code == 2
    assert errors.EngineError("x").exit_code == 3
    assert issubclass(errors.InputError, ValueError)


def test_errors_suggest_what_was_meant() -> None:
    assert str(errors.did_you_mean("ocupation", ["age", "occupation"])) == "did you mean 'occupation'?"
    assert str(errors.did_you_mean("AGE", ["age", "city"])) == "did you mean 'age'?"
    assert str(errors.did_you_mean("zzz", ["age", "city"])) == "known are 'age', 'city'."


def cpu_seconds(*arguments: str) -> float:
    program = "import resource,runpy,sys; sys.argv=['leakgauge',*sys.argv[1:]]\n"
    program += "try: runpy.run_module('leakgauge', run_name='__main__')\nexcept SystemExit: pass\n"
    program += "u=resource.getrusage(resource.RUSAGE_SELF); print('CPU', u.ru_utime+u.ru_stime)"
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.rsplit("CPU", 1)[1])


def test_help_answers_within_a_third_of_a_second_of_cpu() -> None:
    assert min(cpu_seconds("--help") for _ in range(3)) < 0.3


def test_help_loads_nothing_heavy() -> None:
    check = (
        "import sys, leakgauge.cli; print([m for m in ('numpy','scipy','duckdb','pyarrow','rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_measures_and_tables_load_their_heavy_parts_when_asked() -> None:
    check = "import sys, leakgauge.measures, leakgauge.tables; "
    check += "print([m for m in ('scipy','duckdb','pyarrow') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_randomness_has_one_room() -> None:
    sources = [path for path in SOURCE.rglob("*.py") if "randomness" not in path.parts]
    assert len(sources) > 20
    for path in sources:
        text = path.read_text(encoding="utf-8")
        # To parse every file takes seconds.
        for node in ast.walk(ast.parse(text)) if re.search("random|secrets", text) else ():
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                assert not {"random", "secrets"} & set(names), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in {("np", "random"), ("os", "urandom")}, path


def test_jobs_compute_nothing() -> None:
    """They combine the rooms below; what needs arrays belongs to one of these."""
    sources = sorted((SOURCE / "jobs").rglob("*.py"))
    assert len(sources) > 20
    imports = re.compile(r"^\s*(?:import|from) (?:numpy|scipy)\b", re.MULTILINE)
    assert [path.name for path in sources if imports.search(path.read_text(encoding="utf-8"))] == []


def test_nothing_is_written_at_import(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [sys.executable, "-c", "import leakgauge; leakgauge.measures; leakgauge.tables"],
        cwd=tmp_path,
        env=environment,
        check=True,
    )
    assert list(tmp_path.iterdir()) == []


@cache
def _trees() -> dict[Path, ast.Module]:
    """Every source, parsed once, which takes seconds."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def _texts(tree: ast.Module) -> Iterator[str]:
    """The texts of a source but for its docstrings."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def _templates(room: str) -> set[str]:
    """What a room says to people."""
    speaking = {"say", "message", "note", "alarm", "grid"}
    calls = (
        node
        for path, tree in _trees().items()
        if path.relative_to(SOURCE).parts[0] == room
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).rpartition(".")[2] in speaking
    )
    return {str(one.args[0].value) for one in calls if isinstance(one.args[0], ast.Constant)}


def test_results_are_named_in_one_place() -> None:
    names = {one.name for one in FILES} | {REPORT}
    assert len(names) > 20
    naming = {path.relative_to(SOURCE) for path, tree in _trees().items() if not names.isdisjoint(_texts(tree))}
    assert naming == {Path("artefacts", "dossier.py")}


def test_the_recommendation_is_worded_once() -> None:
    worded = [(path.name, one) for path, tree in _trees().items() for one in _texts(tree) if "Recommendation: " in one]
    assert {name for name, _ in worded} == {"scores.py"}
    assert sorted(one for _, one in worded) == [
        "Recommendation: do not release.",
        "Recommendation: release if you {conditions}.",
        "Recommendation: release.",
    ]
    others = (path for path in SOURCE.rglob("*") if path.suffix in (".js", ".html", ".typ"))
    assert not [path.name for path in others if "Recommendation: " in path.read_text(encoding="utf-8")]


def test_faces_word_no_finding() -> None:
    """They lay out what is told of a finding, a name beside its value at most, and round and build nothing."""
    for path, tree in _trees().items():
        if path.relative_to(SOURCE).parts[0] not in ("cli", "web"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("decimal", "leakgauge.rounding"), path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("Grid", "Paragraph", "Points", "Picture"), path
                if re.fullmatch(r"voice\.(say|note|alarm|grid)", called):
                    assert ast.unparse(node.args[0]) == repr("{name}: {value}"), path
    # Heads and names may be alike, sentences are not.
    shared = (_templates("cli") | _templates("web")) & _templates("telling")
    assert not {one for one in shared if one.endswith(".")}


KERNELS = ("probability", "distances", "randomness", "measures", "mechanisms", "notions", "design")
"""Rooms of formulas, whose symbols are their parameters."""
MOST_PARAMETERS = 7
LONG_SIGNATURES = {"assessment": 2, "audit": 8, "case": 1, "jobs": 1, "release": 3}
"""How many functions of a room take more; of every other room none does."""


def test_few_functions_take_many_parameters() -> None:
    """What belongs together is one frozen type, which checks itself."""
    found = Counter[str]()
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                found[path.relative_to(SOURCE).parts[0]] += len({*taken} - {"self", "cls"}) > MOST_PARAMETERS
    outside = {room: count for room, count in found.items() if count and room not in KERNELS}
    assert {room: count for room, count in outside.items() if count > LONG_SIGNATURES.get(room, 0)} == {}
    assert sum(LONG_SIGNATURES.values()) < 20


MOST_PLAIN = 40
MOST_MEMBERS = 12
LARGE_CLASSES = {
    *("Dialect", "Folder", "GridNoise", "Ledger", "Mechanism", "NoisyNumber", "Table", "Voice"),
}
"""Those that are left with more."""


def test_results_are_types() -> None:
    """Dictionaries of anything are for what is written and read: the codec, and the specifications of charts."""
    charts = SOURCE / "telling" / "figures"
    sources = [path for path in SOURCE.rglob("*.py") if path.name != "codec.py" and charts not in path.parents]
    assert sum(path.read_text(encoding="utf-8").count("dict[str, Any]") for path in sources) < MOST_PLAIN


def test_few_classes_have_many_members() -> None:
    """What can be a function of a type is a function.

    Public members are the names without a leading underscore that a class body defines: methods, properties, class
    methods, and the fields of an ordinary class. What it inherits is not counted; nor are the fields of a record (a
    frozen dataclass or structure, a typed dictionary, an enumeration), which may be as many as what it records.
    """
    large = set()
    for tree in _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and len(_members(node)) > MOST_MEMBERS:
                large.add(node.name)
    assert large == LARGE_CLASSES


def _members(node: ast.ClassDef) -> set[str]:
    """The public members of a class, without the fields of a record."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {one.name for one in node.body if isinstance(one, functions)}
    if not _is_record(node):
        for one in node.body:
            targets = (
                one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
            )
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def _is_record(node: ast.ClassDef) -> bool:
    said = [
        *map(ast.unparse, node.decorator_list),
        *(ast.unparse(one.value) for one in node.keywords if one.arg == "frozen"),
    ]
    bases = " ".join(map(ast.unparse, node.bases))
    frozen = any("frozen=True" in one or one == "True" for one in said)
    return frozen or re.search(r"Enum|TypedDict|Options", bases) is not None
