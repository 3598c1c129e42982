"""``leakgauge release`` and ``leakgauge verify`` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.cli import main
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.release.ledger import Ledger, open_ledger
from tests.cli.running import fields, run

TABLE = "name,age,illness,city\nAnn,31,flu,Oslo\nBob,44,none,Bergen\nCid,58,flu,Oslo\nDee,19,cold,Oslo\n"
PLAN = """public = ["city"]
[columns]
age = "laplace:epsilon=1,lower=0,upper=120"
illness = "randomized-response:epsilon=1,letters=flu|none|cold"
"""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE)
    Path("plan.toml").write_text(PLAN)
    assert main(["ledger", "open", "budget", "--dataset", "people", "--epsilon", "3"]) == 0
    capsys.readouterr()
    return tmp_path


def test_release_spend_verify(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    record = fields(capsys, "release", "people.csv", "--plan", "plan.toml", "--ledger", "budget", "-o", "out.csv")
    assert record["schema"] == "leakgauge/release/2" and record["rows"] == 4
    assert record["claims"]["age"]["levels"]["local-dp"]["value"] == 1.0
    assert record == json.loads(Path("out.csv.json").read_text())
    assert record["budget"]["ledger"]["dataset"] == "people"
    checked = fields(capsys, "verify", "out.csv.json", "--ledger", "budget")
    assert checked["holds"] and checked["digest"] == record["digest"]
    assert Path("out.csv").read_text().splitlines()[0] == '"age","illness","city"'
    Path("out.csv").write_text("age,illness,city\n1,flu,Oslo\n")
    code, out, err = run(capsys, "verify", "out.csv.json")
    assert code == 1 and "FAILED" in out and "digest" in err


def test_a_release_killed_before_its_ledger_notes_it_is_completed(
    capsys: pytest.CaptureFixture[str], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command notes it, draws and spends nothing; a third time, or by another plan, the file is there."""
    command = ("release", "people.csv", "--plan", "plan.toml", "--ledger", "budget", "-o", "out.csv")

    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "complete", killed)
        assert run(capsys, *command)[0] == 130
    assert run(capsys, "verify", "out.csv.json", "--ledger", "budget")[0] == 1
    written = {name: Path(name).read_bytes() for name in ("out.csv", "out.csv.json", "out.csv.public.json")}
    Path("other.toml").write_text(PLAN.replace("epsilon=1,lower", "epsilon=0.5,lower"))
    code, _, err = run(capsys, *command[:3], "other.toml", *command[4:])
    assert code == 2 and "out.csv exists" in err
    code, _, err = run(capsys, *command)
    assert code == 0 and "this release was made before" in err
    assert written == {name: Path(name).read_bytes() for name in written}
    with open_ledger("budget") as ledger:
        assert ledger.spent("people").epsilon == 2.0 and len(ledger.entries()) == 3
    assert run(capsys, "verify", "out.csv.json", "--ledger", "budget")[0] == 0
    code, _, err = run(capsys, *command)
    assert code == 2 and "out.csv exists" in err


def test_the_second_release_does_not_fit(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    arguments = ["release", "people.csv", "--plan", "plan.toml", "--ledger", "budget"]
    assert run(capsys, *arguments, "-o", "a.parquet", "--record", "a.json")[0] == 0
    code, out, err = run(capsys, *arguments, "-o", "b.parquet")
    assert code == 1 and "limit" in err and "Traceback" not in err
    assert not Path("b.parquet").exists() and not Path("b.parquet.json").exists()
    code, out, err = run(capsys, *arguments, "--dry-run")
    assert code == 1 and "would refuse" in out and "Nothing was released or written" in out
    with open_ledger("budget") as ledger:
        assert ledger.spent("people").epsilon == 2.0


def test_a_dry_run_says_the_cost_and_does_nothing(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    before = sorted(path.name for path in house.iterdir())
    told = fields(capsys, "release", "people.csv", "--plan", "plan.toml", "--ledger", "budget", "--dry-run")
    assert told["budget"]["epsilon"]["value"] == 2.0 and told["budget"]["allowed"] is True
    assert sorted(path.name for path in house.iterdir()) == before


def test_without_a_ledger_it_says_so(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    code, out, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "out.csv")
    assert code == 0 and "nothing counts this release" in err and "not entered in a ledger" in out


def test_a_simulation_is_marked_on_the_screen(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    code, out, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "s.csv", "--simulate", "7")
    assert code == 0 and "NOT PRIVATE" in out and "Spent" not in out
    code, out, err = run(capsys, "verify", "s.csv.json")
    assert code == 0 and "NOT PRIVATE" in out
    code, out, err = run(
        capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "t.csv", "--simulate", "7", "--ledger", "budget"
    )
    assert code == 2 and "simulation" in err


def test_priors_by_every_origin(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    Path("prior.csv").write_text("label,value\nflu,0.5\nnone,0.3\ncold,0.2\n")
    for at, (how, origin) in enumerate(
        [("prior.csv", "public"), ("this-table", "this table"), ("noisy-histogram:0.5", "noisy histogram")]
    ):
        code, out, _ = run(
            capsys,
            "release",
            "people.csv",
            "--plan",
            "plan.toml",
            "-o",
            f"{at}.csv",
            "--prior",
            f"illness={how}",
            "--json",
        )
        record = json.loads(out)
        assert record["claims"]["illness"]["prior"] == origin
        assert "mutual-information" in record["claims"]["illness"]["levels"]
    for wrong in ("illness", "age=prior.csv", "illness=noisy-histogram:0", "illness=none.csv"):
        code, _, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "w.csv", "--prior", wrong)
        assert code == 2 and err.count("\n") == 1, wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["release", "people.csv", "--plan", "none.toml", "-o", "o.csv"], "cannot be read"),
        (["release", "people.csv", "--plan", "plan.toml"], "-o OUT"),
        (["release", "people.csv", "--plan", "plan.toml", "-o", "people.csv"], "is an input"),
        (["release", "people.csv", "--plan", "plan.toml", "-o", "o.csv", "--ledger", "none"], "ledger open"),
        (
            ["release", "people.csv", "--plan", "plan.toml", "-o", "o.csv", "--ledger", "budget", "--dataset", "x"],
            "'x'",
        ),
        (["release", "people.csv", "--plan", "plan.toml", "-o", "o.txt"], "'.txt'"),
        (["release", "people.csv", "--plan", "plan.toml", "-o", "no/such/o.csv"], "does not exist"),
        (["release", "none.csv", "--plan", "plan.toml", "-o", "o.csv"], "none.csv"),
        (["verify", "none.json"], "There is no file 'none.json'"),
        (["verify", "people.csv"], "cannot be read as JSON"),
    ],
)
def test_misuse_is_one_sentence(
    capsys: pytest.CaptureFixture[str], house: Path, arguments: list[str], said: str
) -> None:
    before = sorted(path.name for path in house.iterdir())
    code, _, err = run(capsys, *arguments)
    lines = [line for line in err.splitlines() if "nothing counts" not in line]
    assert code == 2 and len(lines) == 1 and said in lines[0], err
    assert sorted(path.name for path in house.iterdir()) == before


def test_bad_plans_name_the_file(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    for text in ("[columns", "columns = 3", "[columns]\nage = 3\n", "colums = {}\n", '[columns]\nage = "laplace"\n'):
        Path("plan.toml").write_text(text)
        code, _, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "o.csv")
        assert code == 2, text
        assert "Traceback" not in err and not Path("o.csv").exists()


@pytest.mark.parametrize("place", ["budget", "budget-wal", "channel.json", "prior.csv"])
def test_nothing_that_is_read_or_counted_is_overwritten(
    capsys: pytest.CaptureFixture[str], house: Path, place: str
) -> None:
    channel = Channel(["flu", "none", "cold"], ["flu", "none", "cold"], np.full((3, 3), 1 / 3))
    Path("channel.json").write_text(text_of(ChannelFile.of(NamedChannel(channel, ("illness",), ("illness",)))))
    Path("plan.toml").write_text('[columns]\nillness = "channel.json"\n')
    Path("prior.csv").write_text("label,value\nflu,0.5\nnone,0.3\ncold,0.2\n")
    before = {path.name: path.read_bytes() for path in house.iterdir()}
    arguments = [
        "people.csv",
        "--plan",
        "plan.toml",
        "--ledger",
        "budget",
        "--prior",
        "illness=prior.csv",
        "-o",
        "o.csv",
    ]
    code, _, err = run(capsys, "release", *arguments, "--record", place, "--overwrite")
    assert code == 2 and "name another file" in err
    assert {path.name: path.read_bytes() for path in house.iterdir()} == before


def test_a_negative_seed(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    code, _, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "o.csv", "--simulate", "-1")
    assert code == 2 and "below 0" in err


def test_what_is_not_protected_is_said_on_the_screen(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    Path("plan.toml").write_text('[columns]\nname = "randomized-response:epsilon=0.1,letters=this-table"\n')
    for more in (["--dry-run"], ["-o", "o.csv"]):
        code, out, _ = run(capsys, "release", "people.csv", "--plan", "plan.toml", "--ledger", "budget", *more)
        assert code == 0 and "which values occur is not protected" in out
