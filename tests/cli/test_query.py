"""``leakgauge query`` as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from leakgauge.cli import main
from leakgauge.release.queries import Answer, Count

SECRET = "S3CRETVALUE"
ROWS = """person,city,age,note
1,A,34,S3CRETVALUE
2,B,51,S3CRETVALUE
1,A,29,S3CRETVALUE
3,B,67,S3CRETVALUE
4,A,45,S3CRETVALUE
4,[S3CRETVALUE],38,S3CRETVALUE
5,B,,S3CRETVALUE
2,A,72,S3CRETVALUE
"""
NO_LEDGER = "No --ledger is given: nothing counts this answer against a budget.\n"
AGE = ("--column", "age", "--lower", 0, "--upper", 100, "--missing-value", 50)
KINDS: dict[str, tuple[object, ...]] = {
    "count": ("--where", "city=A"),
    "sum": AGE,
    "mean": AGE,
    "histogram": ("--column", "city", "--labels", "A|B|(missing)"),
    "quantile": AGE,
    "top": ("--column", "city", "--labels", "A|B|[C]", "--k", 2),
}
BY = ("--where", "age >= 30", "--where", "city in A|B", "--by", "city", "--groups", "A|B|(missing)")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture
def ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "budget.ledger"
    assert main(["ledger", "open", str(path), "--dataset", "people", "--epsilon", "1"]) == 0
    capsys.readouterr()
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["query", *map(str, arguments)])
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err
    return code, shown.out, shown.err


def fields(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) in [(0, ""), (0, NO_LEDGER)]
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question(capsys: pytest.CaptureFixture[str], people: Path, ledger: Path, kind: str) -> None:
    found = fields(capsys, people, kind, *KINDS[kind], "--epsilon", 0.5, "--ledger", ledger)
    assert found["schema"] == "leakgauge/answer/1"
    assert found["table"] == str(people)
    assert found["claims"]["dp"]["value"] == 0.5
    assert found["protection"] == {
        "unit": "one row",
        "column": None,
        "rows_per_unit": 1,
        "neighbours": "replace-one",
    }
    assert (found["simulated"], found["dry_run"]) == (False, False)
    assert found["budget"]["spent"]["epsilon"]["value"] == found["budget"]["cost"]["epsilon"]["value"] == 0.5
    assert found["budget"]["left"]["epsilon"]["value"] == 0.5
    names = ("label", "value", "unit", "low", "high", "confidence", "origin")
    assert {tuple(one) for one in found["answers"]} == {names}
    one = found["answers"][0]
    if kind in ("quantile", "top"):
        assert (one["low"], one["high"]) == (None, None)
        assert found["rank_error"]["unit"] == "rows" and found["rank_error"]["confidence"] == 0.95
    else:
        assert one["low"] <= one["value"] <= one["high"] and one["confidence"] == 0.95
        assert found["rank_error"] is None
    labels = {"histogram": ["A", "B", "(missing)", "(other)"], "top": ["1", "2"]}
    assert [one["label"] for one in found["answers"]] == labels.get(kind, [None])


@pytest.mark.parametrize("kind", KINDS)
def test_tables_for_a_person(capsys: pytest.CaptureFixture[str], people: Path, kind: str) -> None:
    code, out, err = run(capsys, people, kind, *KINDS[kind], "--epsilon", 50)
    assert (code, err) == (0, NO_LEDGER)
    assert "Guarantee: dp:50" in out
    assert "Budget" not in out and "simulation" not in out
    expected = {"count": "': 4 ", "histogram": "│ (other)   │ 1 ", "top": "│ 1     │ A"}
    assert expected.get(kind, "of age") in out


@pytest.mark.parametrize("kind", KINDS)
def test_a_simulation_is_marked_everywhere(
    capsys: pytest.CaptureFixture[str], people: Path, kind: str, tmp_path: Path
) -> None:
    asked = (people, kind, *KINDS[kind], "--epsilon", 0.5, "--simulate", 3)
    code, out, err = run(capsys, *asked, "-o", tmp_path / "answer.json")
    assert (code, err) == (0, "")
    assert out.startswith("simulation: not private, not a release\n")
    assert "\nGuarantee" not in out
    written = json.loads((tmp_path / "answer.json").read_text())
    assert (written["simulated"], written["note"]) == (True, "simulation: not private, not a release")
    assert written["budget"] is None
    assert fields(capsys, *asked) == written, "the same seed, the same answer"


def test_an_answer_to_standard_output(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = (people, "count", "--where", "city=A", "--epsilon", 1, "--simulate", 1)
    _, printed, _ = run(capsys, *asked, "--json")
    assert run(capsys, *asked, "-o", "-") == run(capsys, *asked, "--json", "-o", "-") == (0, printed, "")
    assert [one.name for one in tmp_path.iterdir()] == ["people.csv"]


def test_a_dry_run(capsys: pytest.CaptureFixture[str], people: Path, ledger: Path) -> None:
    asked = (people, "mean", *AGE, "--ledger", ledger, "--dry-run")
    found = fields(capsys, *asked, "--epsilon", 0.25)
    assert found["answers"] == [] and found["dry_run"] is True
    assert found["budget"]["cost"]["epsilon"]["value"] == 0.25
    assert found["budget"]["left"]["epsilon"]["value"] == 0.75
    assert found["budget"]["allowed"] is True
    code, out, _ = run(capsys, *asked, "--epsilon", 0.25)
    assert code == 0 and "It would cost ε 0.25" in out and "afterwards ε 0.75 left; before it ε 1 left" in out
    code, out, err = run(capsys, *asked, "--epsilon", 2)
    assert code == 1 and "It does not fit the budget; before it ε 1 left." in out and "past the limit" in err
    found = fields(capsys, people, "mean", *AGE, "--dry-run", "--epsilon", 0.25)
    assert {name for name, one in found["budget"].items() if one is not None} == {"cost"}


def test_a_budget_that_is_used_up(capsys: pytest.CaptureFixture[str], people: Path, ledger: Path) -> None:
    for _ in range(2):
        assert run(capsys, people, "count", "--where", "city=A", "--epsilon", 0.5, "--ledger", ledger)[0] == 0
    code, out, err = run(capsys, people, "count", "--where", "city=A", "--epsilon", 0.5, "--ledger", ledger)
    assert (code, out) == (1, "")
    assert err.startswith("leakgauge: The release would raise") and err.count("\n") == 1


def test_a_unit_of_several_rows(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "units.ledger")
    options = ["--unit", "one value of 'person'", "--neighbours", "add-or-remove"]
    assert main(["ledger", "open", place, "--dataset", "ours", "--epsilon", "200", *options]) == 0
    capsys.readouterr()
    asked = (people, "count", "--epsilon", 100, "--unit", "person", "--ledger", place, "--dataset", "ours")
    assert run(capsys, *asked)[0] == 2, "other neighbours than the account's"
    found = fields(capsys, *asked, "--neighbours", "add-or-remove")
    # At ε = 100 noise other than 0 is drawn less than once in 10^43 times.
    assert found["answers"][0]["value"] == 5
    assert found["protection"]["unit"] == "one value of 'person'"
    more = fields(capsys, *asked, "--neighbours", "add-or-remove", "--rows-per-unit", 2)
    assert more["answers"][0]["value"] == 8


def test_gaussian_noise_and_labels_of_a_file(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("A\nB\n\n", encoding="utf-8")
    asked = (people, "histogram", "--column", "city", "--labels-file", labels, "--epsilon", 1, "--delta", 1e-6)
    found = fields(capsys, *asked)
    assert list(found["claims"]) == ["approximate-dp", "zcdp"]
    assert found["claims"]["approximate-dp"]["delta"] == 1e-6
    assert [one["label"] for one in found["answers"]] == ["A", "B", "(other)"]
    edges = fields(capsys, people, "histogram", "--column", "age", "--edges", "40,60", "--epsilon", 1)
    assert [one["label"] for one in edges["answers"]] == ["(-∞, 40)", "[40, 60)", "[60, ∞)", "(missing)"]


@pytest.mark.parametrize("kind", ["sum", "mean", "quantile"])
def test_bounds_that_values_are_clamped_to_are_said(
    capsys: pytest.CaptureFixture[str], people: Path, kind: str
) -> None:
    """Half of the ages are above 45, so that their sum is far from the answer."""
    asked = (people, kind, "--column", "age", "--lower", 0.5, "--upper", 45, "--epsilon", 5)
    for how in (("--simulate", 1), ("--dry-run",)):
        _, out, _ = run(capsys, *asked, *how)
        assert "Values below 0.5 count as 0.5, those above 45 as 45: the answer is about the clamped values" in (
            " ".join(out.split())
        )
        clamped = fields(capsys, *asked, *how)["clamped"]
        assert clamped["fields"] == {"lower": 0.5, "upper": 45.0}
    assert fields(capsys, people, "count", "--where", "city=A", "--epsilon", 5, "--dry-run")["clamped"] is None


def test_groups_under_conditions(capsys: pytest.CaptureFixture[str], people: Path, ledger: Path) -> None:
    """Two conditions, one of them a list, and groups: all said in the label, one spend."""
    asked = (people, "mean", "--column", "age", "--lower", 0, "--upper", 100, *BY, "--epsilon", 0.5)
    found = fields(capsys, *asked, "--ledger", ledger)
    groups = ["A", "B", "(missing)", "(other)"]
    assert [one["label"] for one in found["answers"]] == found["groups"] == groups
    assert found["budget"]["cost"]["epsilon"]["value"] == found["budget"]["spent"]["epsilon"]["value"] == 0.5
    (spend,) = spends(capsys, ledger)
    assert spend["purpose"] == "mean of age (over non-missing values) by city under a condition on age, city"
    assert fields(capsys, *asked, "--dry-run")["groups"] == groups
    code, out, _ = run(capsys, *asked, "--dry-run")
    assert code == 0 and "Groups: A, B, (missing), (other)." in out
    told = "".join(out.split())
    label = "'city' over rows where 'age' is at least 30 and 'city' is one of 'A', 'B'; protects one row"
    assert "".join(label.split()) in told


def test_counts_between_edges_of_numbers(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    edges = ("--by", "age", "--group-edges", "40,60")
    found = fields(capsys, people, "count", *edges, "--where", "city!=(missing)", "--epsilon", 100)
    # At ε = 50 noise other than 0 is drawn less than once in 10^21 times.
    assert [one["value"] for one in found["answers"]] == [3, 2, 2, 1]
    groups = tmp_path / "groups.txt"
    groups.write_text("A|B\nA\n", encoding="utf-8")
    asked = (people, "count", "--by", "city", "--groups-file", groups, "--epsilon", 100)
    assert [one["label"] for one in fields(capsys, *asked)["answers"]] == ["A|B", "A", "(other)"]


BAD: list[tuple[tuple[object, ...], str]] = [
    (("count", "--epsilon", 1), "public"),
    (("count", "--where", "city=A", "--epsilon", 0), "ε of 0"),
    (("count", "--where", "city=A", "--epsilon", 1, "--delta", 1), "δ of 1"),
    (("count", "--where", "city", "--epsilon", 1), "--where 'city'"),
    (("count", "--where", "town=A", "--epsilon", 1), "no column 'town'"),
    (("count", "--where", "city=A"), "--epsilon"),
    (("count", "--where", "city=A", "--epsilon", 1, "--rows-per-unit", 2), "without a unit"),
    (("count", "--where", "city=A", "--epsilon", 1, "--unit", "person", "--rows-per-unit", 0), "rows of 0"),
    (("count", "--where", "city=A", "--epsilon", 1, "--dry-run", "--simulate", 1), "exclude"),
    (("count", "--where", "city=A", "--epsilon", 1, "--ledger", "nowhere.ledger"), "nowhere.ledger"),
    (("count", "--where", "city=A", "--epsilon", 1, "--ledger", ""), "empty"),
    (("count", "--where", "city=A", "--epsilon", 1, "--simulate", 1, "--ledger", "nowhere.ledger"), "leave the ledger"),
    (("count", "--where", "city=A", "--epsilon", 1, "--simulate", -1), "seed of -1"),
    (("sum", "--column", "age", "--epsilon", 1), "Bounds are missing"),
    (("sum", "--column", "age", "--lower", 5, "--upper", 1, "--epsilon", 1), "reversed"),
    (("count", "--where", "city=A", "--where", "town=A", "--epsilon", 1), "no column 'town'"),
    (("count", "--where", "age<x", "--epsilon", 1), "compares column 'age' with 'x'"),
    (("count", "--where", "city<A", "--epsilon", 1), "holds text, which has no order"),
    (("count", "--where", "city==A", "--epsilon", 1), "--where 'city==A'"),
    (("count", "--by", "city", "--epsilon", 1), "--by 'city' lacks its groups"),
    (("count", "--groups", "A|B", "--epsilon", 1), "name it with --by"),
    (("count", "--by", "city", "--groups", "A|A", "--epsilon", 1), "repeat"),
    (("count", "--by", "city", "--groups", "A", "--group-edges", "1", "--epsilon", 1), "labels or edges"),
    (("count", "--by", "city", "--groups", "A", "--groups-file", "x", "--epsilon", 1), "--groups and --groups-file"),
    (("count", "--by", "city", "--group-edges", "1", "--epsilon", 1), "holds text"),
    (("count", "--by", "age", "--group-edges", "1,x", "--epsilon", 1), "--group-edges '1,x'"),
    (("count", "--by", "town", "--groups", "A", "--epsilon", 1), "no column 'town'"),
    (("mean", "--column", "note", "--lower", 0, "--upper", 1, "--epsilon", 1), "holds text"),
    (("quantile", "--column", "age", "--lower", 0, "--upper", 1, "--at", 1, "--epsilon", 1), "quantile at 1"),
    (("quantile", "--column", "age", "--lower", 0, "--upper", 1, "--grid", 1, "--epsilon", 1), "grid of 1"),
    (("histogram", "--column", "city", "--epsilon", 1), "labels or edges"),
    (("histogram", "--column", "city", "--labels", "A|A", "--epsilon", 1), "repeat"),
    (("histogram", "--column", "age", "--edges", "1,x", "--epsilon", 1), "--edges '1,x'"),
    (("histogram", "--column", "city", "--labels", "A", "--labels-file", "x", "--epsilon", 1), "both given"),
    (("histogram", "--column", "city", "--labels-file", "nowhere.txt", "--epsilon", 1), "nowhere.txt"),
    (("histogram", "--column", "note", "--edges", "1", "--epsilon", 1), "holds text"),
    (("top", "--column", "city", "--epsilon", 1), "labels to choose from"),
    (("top", "--column", "city", "--labels", "A|B", "--k", 3, "--epsilon", 1), "k of 3"),
    (("median", "--epsilon", 1), "median"),
]


@pytest.mark.parametrize(("arguments", "told"), BAD, ids=lambda one: " ".join(map(str, one)))
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], people: Path, arguments: tuple[object, ...], told: str
) -> None:
    code, out, err = run(capsys, people, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("leakgauge: ") and err.count("\n") == 1
    assert told in err


def test_an_answer_never_takes_the_place_of_an_input(
    capsys: pytest.CaptureFixture[str], people: Path, ledger: Path
) -> None:
    beside = [ledger.with_name(ledger.name + end) for end in ("-wal", "-shm")]
    for place in (people, ledger, *beside):
        asked = (people, "count", "--where", "city=A", "--epsilon", 0.1, "--ledger", ledger, "-o", place)
        code, out, err = run(capsys, *asked)
        assert (code, out) == (2, "") and "name another file" in err
    assert people.read_text(encoding="utf-8") == ROWS
    assert spends(capsys, ledger) == []


def spends(capsys: pytest.CaptureFixture[str], ledger: Path) -> list[dict[str, Any]]:
    assert main(["ledger", "show", str(ledger), "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["accounts"][0]["entries"]
    return found


ASKED = ("count", "--where", "city=A", "--epsilon", 0.5, "--ledger")


def test_a_file_that_cannot_be_written_costs_nothing(
    capsys: pytest.CaptureFixture[str], people: Path, ledger: Path
) -> None:
    code, out, err = run(capsys, people, *ASKED, ledger, "-o", "/proc/answer.json")
    assert (code, out) == (3, "") and "/proc/answer.json could not be written" in err
    assert spends(capsys, ledger) == []


def test_an_answer_that_was_paid_for_is_shown(
    capsys: pytest.CaptureFixture[str], people: Path, ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder goes away between the spend and the file."""
    folder = tmp_path / "answers"
    folder.mkdir()
    drawn = Count.answer

    def removed(*given: Any) -> Answer:
        rmtree(folder)
        return drawn(*given)

    monkeypatch.setattr(Count, "answer", removed)
    code, out, err = run(capsys, people, *ASKED, ledger, "-o", folder / "answer.json")
    assert code == 3 and "Intervals hold" in out and "Budget: ε 0.5" in out
    assert "could not be written" in err and len(spends(capsys, ledger)) == 1


@pytest.mark.parametrize("after_spend", [True, False])
def test_an_interruption_says_what_stays_spent(
    capsys: pytest.CaptureFixture[str], people: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch, after_spend: bool
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Count, "answer" if after_spend else "exact", interrupted)
    code, out, err = run(capsys, people, *ASKED, ledger)
    assert (code, out) == (130, "")
    told = "leakgauge: ε 0.5, ρ 0.123 stay spent in the ledger, as entry 2.\n"
    assert (told in err) == after_spend and "leakgauge: interrupted" in err
    assert len(spends(capsys, ledger)) == after_spend


def test_the_account_is_found_by_the_name_of_the_file(
    capsys: pytest.CaptureFixture[str], people: Path, ledger: Path
) -> None:
    assert main(["ledger", "open", str(ledger), "--dataset", "people.v2", "--epsilon", "1"]) == 0
    capsys.readouterr()
    newer = people.rename(people.with_name("people.v2.csv"))
    assert fields(capsys, newer, *ASKED, ledger)["budget"]["left"]["epsilon"]["value"] == 0.5
    assert spends(capsys, ledger) == [], "the first account is that of another file"


def test_no_warning_tells_about_a_value(tmp_path: Path) -> None:
    """In a process of its own, where warnings are not errors."""
    path = tmp_path / "wages.csv"
    path.write_text("wage\n1e308\n-1e308\nnan\n4.5\n", encoding="utf-8")
    bounds = ["--column", "wage", "--lower", "0", "--upper", "10", "--missing-value", "5", "--epsilon", "1"]
    asked = [["query", str(path), kind, *bounds] for kind in ("sum", "mean", "quantile")]
    program = f"from leakgauge.cli import main; assert [main(one) for one in {asked!r}] == [0, 0, 0]"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, NO_LEDGER * 3)
