"""``leakgauge ledger`` as a person runs it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leakgauge.cli import main
from leakgauge.measures import entropy, mutual_information
from leakgauge.mechanisms import randomized_response
from leakgauge.mechanisms.steps import DiscreteGaussianNoise, LaplaceNoise
from leakgauge.probability import Distribution, Scenario
from leakgauge.release.ledger import ApproximateLimit, Ledger, open_ledger
from leakgauge.release.ledger import ledger as ledgers
from leakgauge.release.ledger import period as periods
from leakgauge.release.ledger.cost import Cost
from tests.cli.running import fields, run


@pytest.fixture
def budget(tmp_path: Path) -> Path:
    return tmp_path / "budget.ledger"


def spend(budget: Path, dataset: str, *steps: LaplaceNoise | DiscreteGaussianNoise, reference: str) -> None:
    with open_ledger(budget) as ledger:
        ledger.spend(dataset, Cost(steps), f"table of {reference}", reference)


def test_open_spend_show_check(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    opened = fields(capsys, "ledger", "open", budget, "--dataset", "survey", "--epsilon", "1", "--delta", "1e-6")
    assert opened["schema"] == "leakgauge/ledger/1"
    assert opened["accounts"][0]["limit"]["epsilon"]["value"] == 1.0
    assert opened["accounts"][0]["unit"] == "one row"
    assert opened["accounts"][0]["neighbours"] == "replace-one"
    spend(budget, "survey", LaplaceNoise(0.25), reference="ages")
    spend(budget, "survey", LaplaceNoise(0.25), LaplaceNoise(0.25), reference="cities")
    with open_ledger(budget) as ledger:
        entry = ledger.entry("ages")
        assert entry is not None
        ledger.complete(entry, "sha256:00")
    shown = fields(capsys, "ledger", "show", budget)["accounts"][0]
    assert shown["spent"]["epsilon"] == {
        "value": 0.75,
        "unit": "nats",
        "low": None,
        "high": None,
        "confidence": None,
        "origin": "accounted",
    }
    assert shown["left"]["epsilon"]["value"] == 0.25
    assert [one["purpose"] for one in shown["entries"]] == ["table of ages", "table of cities"]
    assert shown["entries"][0]["completed"]["digest"] == "sha256:00"
    assert shown["entries"][1]["completed"] is None
    assert shown["composition"]["epsilon"]["value"] <= 0.75
    code, out, _ = run(capsys, "ledger", "show", budget, "--dataset", "survey")
    assert code == 0
    assert "survey: limit ε = 1 at δ = 1e-06, protects one row" in out
    assert "left: ε 0.25 or ρ 0.00" in out
    assert "if the sequence had been fixed in advance" in out
    checked = fields(capsys, "ledger", "check", budget, "--head", opened["head"])
    assert checked["entries"] == 4
    code, out, _ = run(capsys, "ledger", "check", budget)
    assert f"4 entries are unchanged; head {checked['head']}" in " ".join(out.split())


def test_a_sum_and_its_only_entry_are_one_number(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    """Both rounded up: a level is never told smaller than it is."""
    fields(capsys, "ledger", "open", budget, "--dataset", "survey", "--unlimited")
    spend(budget, "survey", LaplaceNoise(2.33118), reference="ages")
    code, out, _ = run(capsys, "ledger", "show", budget, "--dataset", "survey")
    assert code == 0 and "used: ε 2.34, ρ" in out and "2.33" not in out
    assert "if the sequence had been fixed in advance: ε 2.34 " in out
    (row,) = (line for line in out.splitlines() if "table of ages" in line)
    assert [cell.strip() for cell in row.split("│")][4] == "2.34"


def test_no_number_shown_contradicts_the_limit(
    capsys: pytest.CaptureFixture[str], budget: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields(capsys, "ledger", "open", budget, "--dataset", "survey", "--epsilon", "0.5", "--delta", "1e-6")
    # It fits only because it is alone: no sum of ε or ρ is within the limit.
    spend(budget, "survey", DiscreteGaussianNoise(8.1), reference="ages")
    account = fields(capsys, "ledger", "show", budget)["accounts"][0]
    assert account["entries"][0]["admitted_by"] == "alone"
    assert account["spent"]["epsilon_at_delta"]["value"] == 0.5
    assert account["composition"]["epsilon"]["value"] <= 0.5
    # Of other sequences the bounds for those fixed in advance are the weaker ones.
    with open_ledger(budget) as ledger:
        weak = replace(ledger.composition("survey"), epsilon=0.531)
    monkeypatch.setattr(Ledger, "composition", lambda *_: weak)
    assert fields(capsys, "ledger", "show", budget)["accounts"][0]["composition"] is None
    code, out, _ = run(capsys, "ledger", "show", budget)
    assert code == 0 and "together ε 0.5 at δ 1e-06" in out and "0.531" not in out


def test_an_empty_account_and_an_unlimited_one(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    fields(capsys, "ledger", "open", budget, "--dataset", "a", "--rho", "0.1", "--unit", "one person")
    fields(capsys, "ledger", "open", budget, "--dataset", "b", "--unlimited", "--neighbours", "add-or-remove")
    spend(budget, "b", DiscreteGaussianNoise(2.0), reference="visits")
    one, other = fields(capsys, "ledger", "show", budget)["accounts"]
    assert (one["unit"], one["composition"], one["entries"]) == ("one person", None, [])
    assert one["left"]["epsilon"] is None and one["left"]["rho"]["value"] == one["limit"]["rho"]["value"]
    assert other["spent"]["epsilon"]["value"] == "infinity"
    assert other["left"] == {"epsilon": None, "rho": None}
    assert other["neighbours"] == "add-or-remove"
    code, out, _ = run(capsys, "ledger", "show", budget)
    assert code == 0
    assert "b: limit unlimited, protects one row" in out
    assert "used: ε infinite, ρ 0.125" in out


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--epsilon", "1", "--rho", "1"],
        ["--epsilon", "1", "--unlimited"],
        ["--rho", "1", "--delta", "0.1"],
        ["--delta", "0.1", "--unlimited"],
        ["--epsilon", "inf"],
        ["--epsilon", "0"],
        ["--epsilon", "1", "--delta", "1"],
        ["--rho", "nan"],
        ["--epsilon", "1", "--unit", ""],
    ],
)
def test_no_account_without_one_clear_limit(
    capsys: pytest.CaptureFixture[str], budget: Path, options: list[str]
) -> None:
    code, out, err = run(capsys, "ledger", "open", budget, "--dataset", "survey", *options)
    assert (code, out) == (2, "")
    assert err.startswith("leakgauge: ") and err.count("\n") == 1


def test_bad_options_make_no_ledger(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    run(capsys, "ledger", "open", budget, "--dataset", "survey", "--epsilon", "inf")
    assert not budget.exists()


def test_refusals(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    assert run(capsys, "ledger", "show", budget)[::2] == (
        2,
        f"leakgauge: There is no ledger {budget}; check the path, or make one with `leakgauge ledger open`.\n",
    )
    run(capsys, "ledger", "open", budget, "--dataset", "survey", "--epsilon", "1")
    assert run(capsys, "ledger", "open", budget, "--dataset", "survey", "--epsilon", "9")[0] == 2
    for verb in ("show", "check"):
        for end in ("", "-wal", "-shm"):
            assert run(capsys, "ledger", verb, budget, "-o", f"{budget}{end}")[0] == 2
    assert run(capsys, "ledger", "check", budget, "--head", "0")[0] == 1
    connection = sqlite3.connect(budget)
    connection.execute("DROP TRIGGER entries_update")
    connection.execute("UPDATE entries SET body = replace(body, '1.0', '9.0')")
    connection.commit()
    connection.close()
    for verb in ("check", "show"):
        code, _, err = run(capsys, "ledger", verb, budget)
        assert code == 1
        assert "Entry 1 of the ledger was changed after it was written" in err and err.count("\n") == 1


def test_a_damaged_ledger_is_told_in_one_sentence(budget: Path) -> None:
    """In a process of its own, where what the collector of garbage says can be seen."""
    with open_ledger(budget, create=True) as ledger:
        for name in ("a", "b", "c"):
            ledger.open_account(name, ApproximateLimit(1.0))
    connection = sqlite3.connect(budget)
    connection.execute("DROP TRIGGER entries_update")
    connection.execute("UPDATE entries SET body = 'x' WHERE sequence = 1")
    connection.commit()
    connection.close()
    command = [sys.executable, "-c", "from leakgauge.cli import run; run()", "ledger", "show", str(budget)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    told = "leakgauge: Entry 1 of the ledger was changed after it was written; run `leakgauge ledger check`.\n"
    assert done.stderr == told


def test_a_link_to_nowhere_becomes_a_ledger(capsys: pytest.CaptureFixture[str], budget: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.ledger"
    link.symlink_to(budget)
    assert run(capsys, "ledger", "open", link, "--dataset", "survey", "--epsilon", "1")[0] == 0
    assert fields(capsys, "ledger", "check", budget)["entries"] == 1


def test_bits_told_of_each_column_add_up(
    capsys: pytest.CaptureFixture[str], budget: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("illness,age\n" + "flu,30\n" * 30 + "none,40\n" * 50 + "cold,50\n" * 20)
    Path("plan.toml").write_text(
        '[columns]\nillness = "randomized-response:epsilon=2,letters=flu|none|cold"\n'
        'age = "laplace:epsilon=1,lower=0,upper=100"\n'
    )
    assert main(["ledger", "open", str(budget), "--dataset", "people", "--unlimited"]) == 0
    spend(budget, "people", LaplaceNoise(0.25), reference="a query")
    capsys.readouterr()
    assert fields(capsys, "ledger", "show", budget)["accounts"][0]["told"] == []
    prior = Distribution(["flu", "none", "cold"], [0.3, 0.5, 0.2])
    alone = mutual_information(Scenario(prior, randomized_response(2.0, letters=prior.outcomes).channel()))
    for releases in range(1, 5):
        out = f"out{releases}.csv"
        assert main(["release", "people.csv", "--plan", "plan.toml", "-o", out, "--ledger", str(budget)]) == 0
        capsys.readouterr()
        account = fields(capsys, "ledger", "show", budget)["accounts"][0]
        told = {one["column"]: one for one in account["told"]}
        assert told["illness"]["bits"]["value"] == pytest.approx(min(releases * alone, entropy(prior)), abs=1e-9)
        assert told["illness"]["entropy"]["value"] == pytest.approx(entropy(prior), abs=1e-12)
        assert told["illness"]["bits"]["origin"] == "table", "it follows from private counts"
        assert told["age"] == {
            "column": "age", "releases": releases, "uncounted": releases, "bits": None, "entropy": None,
                "unchanged": None,
        }  # fmt: skip
        assert account["without_bits"] == 1
    assert main(["ledger", "show", str(budget)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "keep the ledger private" in said and "still add their ε" in said and "earlier versions): 1." in said
    assert main(["ledger", "check", str(budget)]) == 0


def test_a_refused_account_leaves_no_ledger(budget: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "open", budget, "--dataset", " ", "--unlimited")[0] == 2
    assert list(budget.parent.iterdir()) == []


def test_a_limit_that_renews(
    capsys: pytest.CaptureFixture[str], budget: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for room in (ledgers, periods):
        monkeypatch.setattr(room, "now", lambda: datetime(2026, 11, 19, tzinfo=UTC))
    asked = ("--dataset", "people", "--epsilon", "1", "--period", "year")
    code, out, _ = run(capsys, "ledger", "open", budget, *asked)
    said = " ".join(out.split())
    assert code == 0 and "people: limit ε = 1 each year, protects one row" in said
    assert "period: 2026-01-01 to 2026-12-31 (UTC); the limit renews on 2027-01-01; renewed so far: 0" in said
    assert "does not bound what is spent over all time" in said
    spend(budget, "people", LaplaceNoise(0.75), reference="ages")
    for room in (ledgers, periods):
        monkeypatch.setattr(room, "now", lambda: datetime(2028, 3, 1, tzinfo=UTC))
    spend(budget, "people", LaplaceNoise(0.25), reference="cities")
    account = fields(capsys, "ledger", "show", budget)["accounts"][0]
    assert (account["spent"]["epsilon"]["value"], account["left"]["epsilon"]["value"]) == (0.25, 0.75)
    assert account["composition"]["epsilon"]["value"] == 1.0
    period = account["period"]
    assert (period["length"], period["first"], period["renews"], period["renewed"]) == (
        *("year", "2028-01-01", "2029-01-01"),
        2,
    )
    assert period["spent"]["epsilon"]["value"] == 1.0 and period["allowed"]["epsilon"]["value"] == 3.0
    said = " ".join(run(capsys, "ledger", "show", budget)[1].split())
    assert "the limit renews on 2029-01-01; renewed so far: 2" in said
    assert "spent in this period: ε 0.25" in said and "left in this period: ε 0.75" in said
    assert "spent in all periods together: ε 1, ρ" in said and "their limits allow ε = 3" in said
    assert "does not bound what is spent over all time" in said
    people = tmp_path / "people.csv"
    people.write_text("age\n" + "30\n" * 50)
    mean = ("query", people, "mean", "--column", "age", "--lower", "0", "--upper", "99", "--ledger", budget)
    answered = fields(capsys, *mean, "--epsilon", "0.5")["budget"]
    assert answered["left"]["epsilon"]["value"] == 0.25 and answered["renews"] == "2029-01-01"
    said = " ".join(run(capsys, *mean, "--epsilon", "0.05")[1].split())
    assert "ε 0.2 left in this period, until the limit renews on 2029-01-01." in said
    code, _, err = run(capsys, *mean, "--epsilon", "0.5")
    assert code == 1 and "in this period, past the limit ε = 1 each year" in err and "renews on 2029-01-01" in err
    assert run(capsys, "ledger", "check", budget)[0] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--epsilon", "1", "--period", "yaer"], "did you mean 'year'?"),
        (["--epsilon", "1", "--period", "month", "--from", "2026-01-31"], "start them on a day from 1 to 28"),
        (["--epsilon", "1", "--from", "2026-01-01"], "no --period is given"),
        (["--unlimited", "--period", "year"], "has no limit that could renew"),
    ],
)
def test_a_period_that_cannot_be_makes_no_ledger(
    capsys: pytest.CaptureFixture[str], budget: Path, options: list[str], said: str
) -> None:
    code, out, err = run(capsys, "ledger", "open", budget, "--dataset", "survey", *options)
    assert (code, out, budget.exists()) == (2, "", False)
    assert said in err and err.count("\n") == 1


def test_an_account_keeps_its_period(capsys: pytest.CaptureFixture[str], budget: Path) -> None:
    asked = ("ledger", "open", budget, "--dataset", "survey", "--epsilon", "1", "--period")
    assert run(capsys, *asked, "year")[0] == 0
    code, _, err = run(capsys, *asked, "month")
    assert code == 2 and err.count("\n") == 1
    assert "whose limit holds each year (" in err and "; a limit each month (" in err and "would overlap it" in err
