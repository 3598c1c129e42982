"""``leakgauge improve`` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import leakgauge as lg
from leakgauge.artefacts.codec import sentence_of
from leakgauge.errors import OptionError
from leakgauge.jobs.improve import FEWEST_ROWS, MOST_ROWS, noisy_table
from leakgauge.release.ledger import open_ledger
from leakgauge.tables import open_table
from tests.cli.running import as_json, run


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of 2000 people."""
    monkeypatch.chdir(tmp_path)
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(2000))
    Path("people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    return tmp_path


IMPROVE = ("improve", "people.csv", "--secret", "illness")


def test_a_target_that_can_be_met_is_met_at_the_least_cost(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(capsys, *IMPROVE, "--target", "medium", "--min-utility", "30")
    assert code == 0
    chosen = fields["chosen"]
    assert chosen["stage"] == "parameters"
    assert chosen["grade"] in ("medium", "good", "very-good")
    assert min(chosen["score"], chosen["privacy"]) >= 40
    assert (chosen["bins"], chosen["channel"], fields["failed"]) == (None, None, [])
    assert chosen["utility"] >= 30
    assert len(chosen["leaves"]) == 28
    assert len(fields["trials"]) <= 60
    assert "not protected" in fields["learned_from"]
    balance = [min(one["privacy"], one["utility"]) for one in fields["trials"] if one["meets"]]
    assert min(chosen["privacy"], chosen["utility"]) == max(balance)


def test_a_target_that_cannot_be_met_names_what_blocks_it(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *IMPROVE, "--target", "99.5")
    assert code == 1
    assert "histogram" in out
    assert "No setting reaches a score of 99.5" in err
    assert "where 99.5 is asked" in err
    assert "points" in err


def test_numbers_are_tried_with_bounds_and_in_bins(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, fields = as_json(
        capsys, "improve", "people.csv", "--secret", "age", "--target", "99", "--lower", "0", "--upper", "100"
    )
    assert fields["trials"][0]["mechanism"].startswith("laplace:")
    assert {str(sentence_of(one["form"])) for one in fields["trials"]} >= {"column", "column in 8 bins"}


def test_an_accounted_search_pays_and_reads_nothing_else(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "open", "l.db", "--dataset", "people", "--epsilon", "1")[0] == 0
    paid = (*IMPROVE, "--target", "medium", "--accounted", "0.8", "--ledger", "l.db", "--dataset", "people")
    code, fields = as_json(capsys, *paid)
    assert code == 0
    assert "noisy histogram" in str(sentence_of(fields["learned_from"]))
    code, _, err = run(capsys, *paid)
    assert code == 1
    assert "has ε = 0.2 left; nothing was spent" in err
    code, _, err = run(capsys, *IMPROVE, "--target", "medium", "--accounted", "0.8")
    assert code == 2
    assert "name the ledger" in err


@pytest.mark.parametrize(
    ("secret", "options", "says"),
    [
        ("illness", ["--min-utility", "200"], "A score of 200.0 has no grade"),
        ("illness", ["--lower", "1"], "without the other"),
        ("illness", ["--lower", "1", "--upper", "2"], "takes no numbers"),
        ("age", [], "whose values an accounted search would read as they are"),
        ("name", [], "has 2000 different values"),
        ("same", [], "has 1 different values"),
        ("nobody", [], "nobody"),
    ],
)
def test_an_accounted_search_that_cannot_be_made_costs_nothing(
    secret: str, options: list[str], says: str, people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path("people.csv").read_text().splitlines()
    more = [f"{line},n{at},x" for at, line in enumerate(lines[1:])]
    Path("more.csv").write_text("\n".join([lines[0] + ",name,same", *more]) + "\n")
    assert run(capsys, "ledger", "open", "kept.db", "--dataset", "more", "--epsilon", "1")[0] == 0
    paid = ("--accounted", "0.5", "--ledger", "kept.db", "--dataset", "more")
    code, _, err = run(capsys, "improve", "more.csv", "--secret", secret, "--target", "medium", *options, *paid)
    assert code == 2
    assert says in err
    with open_ledger("kept.db") as ledger:
        assert ledger.spent("more").epsilon == 0


def test_an_accounted_search_keeps_missing_values_and_its_size(
    people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("a", "b", "?")[at % 3] for at in range(600)]
    Path("gaps.csv").write_text("\n".join(["x,y", *(f"{row},1" for row in rows)]) + "\n")
    assert run(capsys, "ledger", "open", "gaps.db", "--dataset", "gaps", "--epsilon", "5")[0] == 0
    with open_table("gaps.csv", missing=["?"]) as table, open_ledger("gaps.db") as ledger:
        noisy = noisy_table(table, "x", 0.5, ledger, "gaps")
        assert set(noisy.counts("x").labels("x")) == {"a", "b", None}
        assert noisy.rows + 3 >= FEWEST_ROWS
        # Noise of a million rows and more.
        assert noisy_table(table, "x", 1e-6, ledger, "gaps").rows <= MOST_ROWS + 3
    paid = ("--missing", "?", "--accounted", "1", "--ledger", "gaps.db", "--dataset", "gaps")
    _, fields = as_json(capsys, "improve", "gaps.csv", "--secret", "x", "--target", "99", *paid)
    assert len(fields["trials"]) > 20


def test_the_ledger_is_asked_before_a_row_is_read(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("same.csv").write_text("\n".join(["x,y", *(f"n{at},1" for at in range(100))]) + "\n")
    assert run(capsys, "ledger", "open", "poor.db", "--dataset", "same", "--epsilon", "1")[0] == 0
    for epsilon, code, says in (("5", 1, "nothing was spent"), ("0.5", 2, "has 100 different values")):
        paid = ("--accounted", epsilon, "--ledger", "poor.db", "--dataset", "same")
        found, _, err = run(capsys, "improve", "same.csv", "--secret", "x", "--target", "medium", *paid)
        # The number of values would be refused as well; that it is not named shows that nobody looked.
        assert (found, "different values" in err) == (code, code == 2)
        assert says in err


def test_designed_channels_keep_the_shares_by_default(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for keep, name in (((), "least leaking that keeps the shares"), (("--keep", "nothing"), "designed channel")):
        _, fields = as_json(capsys, *IMPROVE, "--target", "99", "--trials", "16", *keep)
        named = [str(sentence_of(one["mechanism"])) for one in fields["trials"]][14:]
        assert len(named) == 2 and all(one.startswith(name) for one in named)
    assert run(capsys, *IMPROVE, "--target", "99", "--keep", "associations")[0] == 2
    with pytest.raises(OptionError, match="neither nothing nor shares"):
        lg.improve("people.csv", secret="illness", target=99, keep="everything")
