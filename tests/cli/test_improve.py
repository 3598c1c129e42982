"""``leakgauge improve`` from the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import leakgauge as lg
from leakgauge.artefacts.codec import sentence_of
from leakgauge.errors import OptionError
from leakgauge.jobs.improve import FEWEST_ROWS, MOST_ROWS, noisy_table
from leakgauge.release.ledger import open_ledger
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from tests.cli.running import as_json, run

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of 2000 people."""
    monkeypatch.chdir(tmp_path)
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(2000))
    Path("people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    return tmp_path


IMPROVE = ("improve", "people.csv", "--secret", "illness")


def test_the_most_useful_setting_that_protects_enough(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(capsys, *IMPROVE, "--min-protection", "60", "--min-usefulness", "10")
    assert code == 0
    chosen = fields["chosen"]
    assert chosen["scores"]["protection"]["value"] >= 60 and chosen["scores"]["usefulness"]["value"] >= 10
    rows = [one for one in fields["trials"] if one["meets"] and sentence_of(one["form"]) == Sentence("column")]
    best = max(one["scores"]["usefulness"]["value"] for one in rows)
    assert chosen["scores"]["usefulness"]["value"] >= best - 0.5
    assert "no privacy budget covers that choice" in str(sentence_of(fields["learned_from"]))
    assert fields["asked"]["min_protection"] == 60


def test_the_stages_say_what_each_reached(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = (*IMPROVE, "--min-protection", "90", "--min-usefulness", "80")
    _, fields = as_json(capsys, *asked)
    stages, trials = fields["stages"], fields["trials"]
    assert [one["stage"] for one in stages] == ["parameters", "mechanism", "form of the data"]
    for stage in stages:
        own = [one for one in trials if one["stage"] == stage["stage"]]
        assert (stage["tried"], stage["meeting"]) == (len(own), sum(one["meets"] for one in own))
        assert stage["best"] in own and stage["best"]["meets"] == (stage["meeting"] > 0)
    assert sum(stage["tried"] for stage in stages) == len(trials)
    # Rows of either kind are worth too little at such a protection; counts are not.
    assert [stage["meeting"] > 0 for stage in stages] == [False, False, True]
    assert {name: fields["chosen"][name] for name in stages[2]["best"]} == stages[2]["best"]
    best = max((one for one in own if one["meets"]), key=lambda one: one["scores"]["usefulness"]["value"])
    assert best["scores"]["usefulness"]["value"] <= stages[2]["best"]["scores"]["usefulness"]["value"] + 0.5
    assert "Stages of the search, the cheapest change first" in run(capsys, *asked)[1]


def test_the_screen_has_a_command_that_releases_it(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *IMPROVE, "--public", "city", "--min-protection", "60")
    assert (code, err) == (0, "")
    assert "Chosen: " in out and "protection 60" in out
    (line,) = [line.strip() for line in out.splitlines() if line.startswith("  leakgauge ")]
    words = shlex.split(line)
    assert words[:6] == ["leakgauge", "protect", "people.csv", "--secret", "illness", "--public"]
    code, fields = as_json(capsys, *words[1:-1], "released", "--simulate", "1")
    assert code == 0, fields
    assert fields["headline"]["scores"]["protection"]["value"] >= 59.9


@pytest.mark.parametrize(
    "how",
    [
        ("--secret", "illness", "--public", "city"),
        # The search weighs numbers within their bins, the job the bins that leave.
        ("--secret", "age", "--public", "city"),
        # The search counts what the job learns, because most combinations are of few rows.
        ("--secret", "illness", "--public", "age"),
    ],
    ids=str,
)
def test_the_command_yields_what_is_promised(
    how: tuple[str, ...], people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = np.random.default_rng(3)
    rows = draw.integers((2, 4, 50), size=(600, 3)).tolist()
    lines = (f"{'AB'[city]},{('flu', 'none', 'none', 'cold')[ill]},{20 + age}" for city, ill, age in rows)
    Path("people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    asked = ("improve", "people.csv", *how, "--min-protection", "60")
    code, out, _ = run(capsys, *asked)
    (line,) = [line.strip() for line in out.splitlines() if line.startswith("  leakgauge ")]
    _, fields = as_json(capsys, *asked)
    promised = fields["promised"]
    found, job = as_json(capsys, *shlex.split(line)[1:-1], "released", "--simulate", "1")
    assert found == code
    yields = job["headline"]["scores"]
    for score in ("protection", "usefulness", "surest"):
        low, high = (promised[score][end] or promised[score]["value"] for end in ("low", "high"))
        assert low - 1e-6 <= yields[score]["value"] <= high + 1e-6, score
    unfavourable = promised["protection"]["low"] or promised["protection"]["value"]
    # However many digits are shown of it.
    assert f"[{int(unfavourable)}" in out or f"protection {int(unfavourable)}" in out


def test_bins_and_counts_have_commands_of_their_own(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = [f"{50 + at % 47 + at / 2000}" for at in range(2000)]
    Path("weights.csv").write_text("\n".join(["weight,x", *(f"{one},1" for one in weights)]) + "\n")
    _, out, _ = run(capsys, "improve", "weights.csv", "--secret", "weight", "--min-protection", "60")
    assert "bins)" in out and "--bins weight=edges:" in out
    _, out, _ = run(capsys, *IMPROVE, "--min-protection", "80", "--min-usefulness", "80")
    assert "leakgauge query people.csv histogram --column illness " in out
    assert "Only noisy counts meet the limits" in out


def test_limits_that_cannot_be_kept_are_named(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tabled = ("--public", "city", "--min-protection", "90", "--min-usefulness", "80")
    code, out, err = run(capsys, *IMPROVE, *tabled)
    assert code == 1
    assert "No setting that was tried meets the limits.\nThe closest one: " in out
    assert "but 80 is required" in out
    asked = "a protection of 90, nobody surer by more than 45, a usefulness of 80"
    assert f"No setting that was tried for 'illness' meets {asked}" in err


def test_numbers_are_tried_with_bounds_and_in_bins(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bounds = ("--min-protection", "60", "--lower", "0", "--upper", "100")
    _, fields = as_json(capsys, "improve", "people.csv", "--secret", "age", *bounds)
    assert str(sentence_of(fields["trials"][0]["mechanism"])).startswith("laplace:")
    assert {str(sentence_of(one["form"])) for one in fields["trials"]} >= {"column", "column in 8 bins"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "give --min-protection, --min-usefulness or both"),
        (("--min-protection", "200"), "min_protection is 200.0; give a number from 0 to 100"),
        (("--min-protection", "100", "--min-usefulness", "20"), "contradict each other"),
        (("--min-protection", "60", "--public", "town"), "no column 'town'"),
        (("--min-protection", "60", "--public", "illness"), "is the secret, but is also published or known"),
        (("--min-protection", "60", "--start", "none.json"), "none.json"),
        (("--target", "good"), "--target was removed; use --min-protection 60 instead."),
        (("--min-privacy", "40"), "--min-privacy was removed; use --min-protection instead."),
        (("--min-utility", "40"), "--min-utility was removed; use --min-usefulness instead."),
    ],
)
def test_what_cannot_be_searched_gets_one_sentence(
    options: tuple[str, ...], says: str, people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *IMPROVE, *options)
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1, err


def test_an_accounted_search_pays_and_reads_nothing_else(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "open", "l.db", "--dataset", "people", "--epsilon", "1")[0] == 0
    paid = (*IMPROVE, "--min-protection", "60", "--accounted", "0.8", "--ledger", "l.db", "--dataset", "people")
    code, fields = as_json(capsys, *paid)
    assert code == 0
    assert "noisy histogram" in str(sentence_of(fields["learned_from"]))
    code, _, err = run(capsys, *paid)
    assert code == 1
    assert "has ε = 0.2 left; no budget was used" in err
    code, _, err = run(capsys, *IMPROVE, "--min-protection", "60", "--accounted", "0.8")
    assert code == 2
    assert "name the ledger" in err


@pytest.mark.parametrize(
    ("secret", "options", "says"),
    [
        ("illness", ["--min-usefulness", "200"], "min_usefulness is 200.0"),
        ("illness", ["--public", "city"], "reads only the secret"),
        ("illness", ["--lower", "1", "--upper", "2"], "does not handle numbers"),
        ("age", [], "whose exact values an accounted search would read"),
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
    code, _, err = run(capsys, "improve", "more.csv", "--secret", secret, "--min-protection", "60", *options, *paid)
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
    _, fields = as_json(capsys, "improve", "gaps.csv", "--secret", "x", "--min-protection", "60", *paid)
    assert len(fields["trials"]) > 20


def test_the_ledger_is_asked_before_a_row_is_read(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("same.csv").write_text("\n".join(["x,y", *(f"n{at},1" for at in range(600))]) + "\n")
    assert run(capsys, "ledger", "open", "poor.db", "--dataset", "same", "--epsilon", "1")[0] == 0
    for epsilon, code, says in (("5", 1, "no budget was used"), ("0.5", 2, "has 600 different values")):
        paid = ("--accounted", epsilon, "--ledger", "poor.db", "--dataset", "same")
        found, _, err = run(capsys, "improve", "same.csv", "--secret", "x", "--min-protection", "60", *paid)
        # The number of values would be refused as well; that it is not named shows that nobody looked.
        assert (found, "different values" in err) == (code, code == 2)
        assert says in err


def test_designed_channels_keep_the_shares_by_default(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, fields = as_json(capsys, *IMPROVE, "--min-protection", "60")
    tried = [str(sentence_of(one["mechanism"])) for one in fields["trials"]]
    assert any(one.startswith("least leaking that keeps the shares, ") for one in tried)
    # Of a channel of private counts that keeps nothing recipients could compute nothing.
    code, _, err = run(capsys, *IMPROVE, "--min-protection", "60", "--keep", "nothing")
    assert code == 2 and "recipients can compute nothing" in err
    assert run(capsys, *IMPROVE, "--min-protection", "60", "--keep", "associations")[0] == 2
    with pytest.raises(OptionError, match="neither nothing nor shares"):
        lg.improve("people.csv", secret="illness", min_protection=60.0, keep="everything")
