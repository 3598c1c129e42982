"""``leakgauge audit``: records, mechanisms, channels and programs from the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import digest_of, encode, sentence_of
from leakgauge.cli import main
from leakgauge.jobs.assess import read_audit
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from tests.audit.seeded_programs import seeded_program
from tests.cli.running import as_json, run

LETTERS = "letters=flu|none|cold"
CHANNEL = encode(
    ChannelFile.of(NamedChannel(Channel(["a", "b"], ["a", "b"], [[0.75, 0.25], [0.25, 0.75]]), ("x",), ("y",)))
)


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A table of 3000 people and its release at ε = 1, with the record in out.json."""
    monkeypatch.chdir(tmp_path)
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(3000))
    Path("people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    Path("plan.toml").write_text(
        f'public = ["city"]\n[columns]\nillness = "randomized-response:epsilon=1,{LETTERS}"\n'
        'age = "laplace:epsilon=1,lower=0,upper=100"\n'
    )
    # Noise of a seed: a right release is accused once in a while, and a test must not be.
    seeded = ["--simulate", "1", "-o", "out.csv"]
    code, _, err = run(capsys, "release", "people.csv", "--plan", "plan.toml", "--record", "out.json", *seeded)
    assert code == 0, err
    return tmp_path


def test_a_release_that_keeps_its_claim(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(
        capsys, "audit", "out.json", "--original", "people.csv", "--background", "city", "-o", "audit.json"
    )
    assert code == 0
    assert (fields["schema"], fields["violated"], fields["rows"]) == ("leakgauge/audit/1", False, 3000)
    assert set(fields["columns"]) == {"illness", "age"}
    bound = fields["epsilon_lower_bound"]
    assert 0.4 < bound["value"] <= 1
    assert (bound["unit"], bound["high"]) == ("nats", "infinity")
    assert fields["digest"] == digest_of(fields)
    names = {str(one.attack).partition(",")[0] for one in read_audit(Path("audit.json")).attacks}
    assert {"attribute inference", "membership inference", "record linkage", "averaging"} <= names
    for one in fields["attacks"]:
        assert one["success"]["low"] <= one["success"]["value"] <= one["success"]["high"]
        assert one["independent"]["low"] <= 0 <= one["independent"]["high"], one["attack"]
    assert fields["anonymity"]["k"] == 1500
    assert json.loads(Path("audit.json").read_text()) == fields


def test_the_tables_for_a_person(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "audit", "out.json", "--original", "people.csv", "--secret", "illness")
    assert code == 0
    for words in (
        "What the released rows show",
        "local differential privacy, ε 1",
        "attribute inference",
        "form 2 groups",
        "Enhanced β",
        "That does not prove it.",
    ):
        assert words in out


def test_a_release_made_with_less_noise_than_its_record_says(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record is forged: its plan and claims say ε = 1, the rows were released at ε = 4."""
    Path("weak.toml").write_text(Path("plan.toml").read_text().replace("epsilon=1", "epsilon=4"))
    run(
        capsys,
        "release",
        "people.csv",
        "--plan",
        "weak.toml",
        "--record",
        "weak.json",
        "--simulate",
        "1",
        "-o",
        "weak.csv",
    )
    forged, weak = json.loads(Path("out.json").read_text()), json.loads(Path("weak.json").read_text())
    forged["output"] = weak["output"]
    forged["digest"] = digest_of(forged)
    Path("forged.json").write_text(json.dumps(forged))
    code, fields = as_json(capsys, "audit", "forged.json", "--original", "people.csv")
    assert code == 1
    assert fields["violated"]
    assert fields["columns"]["illness"]["violated"]
    assert fields["epsilon_lower_bound"]["value"] > 1
    assert any(one["beats_claim"] for one in fields["attacks"])


def test_an_edited_claim_is_caught_by_its_digest_or_by_computing_again(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = json.loads(Path("out.json").read_text())
    edited["claims"]["illness"]["levels"]["local-dp"]["value"] = 0.1
    Path("edited.json").write_text(json.dumps(edited))
    code, out, err = run(capsys, "audit", "edited.json", "--original", "people.csv")
    assert (code, out) == (1, "")
    assert "was changed" in err
    edited["digest"] = digest_of(edited)
    Path("edited.json").write_text(json.dumps(edited))
    code, fields = as_json(capsys, "audit", "edited.json", "--original", "people.csv")
    assert code == 1
    assert any("claims of illness" in str(sentence_of(one)) for one in fields["violations"])


def test_a_mechanism_is_shown_nearly_as_much_as_it_claims(capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(capsys, "audit", "laplace:epsilon=1,sensitivity=1", "--simulate", "1")
    assert code == 0
    assert 0.95 < fields["epsilon_lower_bound"]["value"] < 1
    assert fields["claim"]["value"] == 1
    assert (fields["violated"], fields["samples"], fields["attacks"]) == (False, 200_000, [])
    again = as_json(capsys, "audit", "laplace:epsilon=1,sensitivity=1", "--simulate", "1")[1]
    assert again == fields


@pytest.mark.parametrize(
    ("mechanism", "inputs"),
    [
        ("permute-and-flip:epsilon=2,sensitivity=1", ("0,0", "1,-1")),
        (f"unary-encoding:epsilon=1,{LETTERS}", ("flu", "cold")),
        ("gaussian:epsilon=1,delta=0.01,lower=0,upper=10", ("0", "10")),
        ("discrete-gaussian:rho=0.5,sensitivity=1", ("0", "1")),
    ],
)
def test_inputs_may_be_given(mechanism: str, inputs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    # A choice is run one by one.
    samples = "4000" if mechanism.startswith("permute-and-flip") else "40000"
    code, fields = as_json(capsys, "audit", mechanism, "--inputs", *inputs, "--samples", samples, "--simulate", "1")
    assert code == 0
    assert fields["lower_bound"]["value"] > 0
    assert (fields["epsilon_lower_bound"] is None) == mechanism.startswith("discrete-gaussian")


def test_a_false_claim_is_disproved_early(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "audit", "randomized-response:epsilon=2,letters=a|b", "--claim", "local-dp:1")
    assert code == 1
    assert "DISPROVED" in out
    assert "stopped early" in out
    assert err == "leakgauge: local-dp:1 is disproved.\n"


def test_a_channel_file_is_computed(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["design", "people.csv", "--secret", "illness", "--max-distortion", "0.3", "-o", "c.json"]) == 0
    capsys.readouterr()
    code, fields = as_json(capsys, "audit", "c.json", "--claim", "local-dp:0.1")
    assert code == 1
    assert fields["epsilon_lower_bound"]["confidence"] is None
    assert len(fields["inputs"]) == 2


@pytest.mark.parametrize("name", ["channel", "c.rec"])
def test_a_channel_file_may_have_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(json.dumps(CHANNEL))
    code, fields = as_json(capsys, "audit", name, "--claim", "local-dp:1")
    assert code == 1
    assert fields["lower_bound"]["value"] == pytest.approx(math.log(3))


def test_a_record_may_have_any_name(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.rec").write_bytes(Path("out.json").read_bytes())
    code, fields = as_json(capsys, "audit", "out.rec", "--original", "people.csv", "--secret", "illness")
    assert code == 0
    assert fields["rows"] == 3000


@pytest.mark.parametrize("samples", ["4", "1000"])
def test_large_levels_and_few_outputs_are_audited(samples: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(
        capsys, "audit", "laplace:epsilon=400,sensitivity=1", "--samples", samples, "--simulate", "1"
    )
    assert code == 0
    assert fields["samples"] == int(samples)


def test_a_program_is_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flipped = "{'yes': 'no', 'no': 'yes'}[line.strip()]"
    coins = seeded_program(tmp_path, f"print(line.strip() if random.random() < 0.75 else {flipped})")
    code, fields = as_json(
        capsys,
        "audit",
        "--program",
        coins,
        "--claim",
        f"local-dp:{math.log(3) + 1e-6}",
        "--inputs",
        "yes",
        "no",
        "--samples",
        "20000",
    )
    assert code == 0
    assert 1.0 < fields["epsilon_lower_bound"]["value"] < math.log(3)


def test_without_noise_epsilon_is_called_infinite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "audit", "--program", "cat", "--claim", "local-dp:1", "--inputs", "yes", "no")
    assert code == 1
    assert "without noise ε is infinite" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Name one thing to audit"),
        (["laplace:epsilon=1,sensitivity=1", "--program", "cat"], "Name one thing to audit"),
        (
            ["laplace:epsilon=1,sensitivity=1", "--original", "people.csv"],
            "--original does not apply to the audit of a mech",
        ),
        (["out.json"], "with --original"),
        (
            ["out.json", "--original", "people.csv", "--claim", "dp:1"],
            "--claim does not apply to the audit of a record",
        ),
        (["nothing.json"], "There is no file 'nothing.json'"),
        (["--program", "cat", "--claim", "local-dp:1"], "--inputs A B"),
        (["laplace:epsilon=1,sensitivity=1", "--inputs", "0", "x"], "'x' is not a number"),
        (["laplace:epsilon=1,sensitivity=1", "--inputs", "0", "9"], "9 apart"),
        (["laplace:epsilon=1,sensitivity=1", "--claim", "mutual-information:1bits"], "not a claim about two inputs"),
        (["laplace:epsilon=1,sensitivity=1", "--confidence", "2"], "confidence of 2"),
        (["laplace:epsilon=1,sensitivity=1", "--samples", "2"], "2 is not in the range"),
        (["laplace:epsilon=1,sensitivity=1", "--inputs", "0,5", "1"], "'0,5' has 2 numbers"),
        (["exponential:epsilon=1,sensitivity=1", "--inputs", "0,0", "1"], "same shape"),
        (
            ["--program", "cat", "--inputs", "a", "b", "--simulate", "1"],
            "--simulate does not apply to the audit of a program",
        ),
        (["channel.json", "--inputs", "a", "b"], "--inputs does not apply to the audit of a channel file"),
        (["channel.json", "--samples", "100"], "--samples does not apply to the audit of a channel file"),
        (["channel.json", "--seconds", "1"], "--seconds does not apply to the audit of a channel file"),
        (["channel.json", "--to-the-end"], "--to-the-end does not apply to the audit of a channel file"),
        (["channel.json", "--simulate", "1"], "--simulate does not apply to the audit of a channel file"),
        (["channel.json", "--original", "people.csv"], "--original does not apply to the audit of a channel file"),
        (["people.csv", "--original", "people.csv"], "cannot be read as JSON"),
        (["out.json", "--original", "people.csv", "--secret", "ilness"], "ilness"),
        (["out.json", "--original", "people.csv", "--background", "illness"], "illness"),
        (["out.json", "--original", "people.csv", "-o", "people.csv"], "people.csv"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: list[str], says: str, released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("channel.json").write_text(json.dumps(CHANNEL))
    code, out, err = run(capsys, "audit", *arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("leakgauge: ")
    assert says in err
    assert err.count("\n") == 1


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 40 people, and a count of those who are ill up to each of them."""
    monkeypatch.chdir(tmp_path)
    rows = (f"{at},{'yes' if at % 3 == 0 else 'no'},{'AB'[at % 2]}" for at in range(40))
    Path("people.csv").write_text("\n".join(["number,ill,city", *rows]) + "\n")
    Path("planned.csv").write_text("city=A\n" + "".join(f"number<{at},ill=yes\n" for at in range(1, 41)))
    return tmp_path


def test_planned_counts_that_give_a_column_away(planned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("audit", "people.csv", "--queries", "planned.csv", "--secret", "ill", "--runs", "4", "--simulate", "1")
    code, fields = as_json(capsys, *asked, "--epsilon", "20", "-o", "audit.json")
    assert code == 0 and json.loads(Path("audit.json").read_text()) == fields
    assert fields["schema"] == "leakgauge/query-audit/1"
    assert (fields["queries"], fields["unused"], fields["kinds"], fields["exact_runs"]) == (41, 1, 40, 4)
    assert fields["attack"]["success"]["value"] == 1.0 and fields["epsilon"]["value"] == pytest.approx(820)
    code, out, _ = run(capsys, *asked, "--epsilon", "20")
    assert code == 0 and "These answers reveal the secret of every row." in out
    code, out, _ = run(capsys, *asked, "--epsilon", "0.01", "--delta", "1e-5")
    assert code == 0 and "Nothing shows that this attack does better than guessing." in out
    assert "gaussian:" in out and "δ" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["people.csv", "--queries", "planned.csv", "--secret", "ill"], "give the budget of each with --epsilon"),
        (["people.csv", "--queries", "planned.csv", "--epsilon", "1"], "0 secrets are named"),
        (["people.csv", "--queries", "planned.csv", "--secret", "ill", "--epsilon", "1", "--unit", "city"], "--unit"),
        (["laplace:epsilon=1,sensitivity=1", "--runs", "3"], "--runs does not apply to the audit of a mechanism"),
        (["--queries", "planned.csv", "--secret", "ill"], "or a table with --queries and --secret"),
        (["people.csv", "--queries", "planned.csv", "--secret", "il", "--epsilon", "1"], "did you mean 'ill'"),
        (["people.csv", "--secret", "ill", "--epsilon", "1"], "name its planned queries with --queries"),
        (["people.csv", "--secret", "ill"], "name its planned queries with --queries"),
        (["people.csv", "--queries", "no.csv", "--secret", "ill", "--epsilon", "1"], "There is no file 'no.csv'"),
        (["people.csv", "--queries", ".", "--secret", "ill", "--epsilon", "1"], "'.' is a folder"),
    ],
)
def test_planned_counts_that_cannot_be_audited(
    planned: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    code, _, err = run(capsys, "audit", *arguments)
    assert code == 2 and said in " ".join(err.split())
