"""``leakgauge design --least guess`` as a person runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

import leakgauge as lg
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.cli import main
from leakgauge.design import Knowledge, MaxDistortion, RateDistortion
from leakgauge.design.vulnerability import least_vulnerability
from leakgauge.distances import Absolute
from leakgauge.measures import vulnerability
from leakgauge.probability import Scenario, Seen
from tests.cli.running import fields, run

AGES = "".join(f"{20 + 10 * (row * row % 7 % 5)},{'AB'[row % 3 == 0]}\n" for row in range(60))
ASKED = ("design", "ages.csv", "--secret", "age", "--distortion", "absolute", "--least", "guess")


@pytest.fixture(autouse=True)
def ages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ages.csv").write_text(f"age,city\n{AGES}")


@pytest.mark.parametrize("known", [False, True])
def test_the_channel_is_that_of_python_and_goes_on(capsys: pytest.CaptureFixture[str], known: bool) -> None:
    background = ("--background", "city") if known else ()
    told = fields(capsys, *ASKED, *background, "--max-distortion", "5", "-o", "c.json")
    assert (told["schema"], told["knowledge"]) == ("leakgauge/guessed-design/1", "attacker" if known else "nobody")
    counts = lg.open_table("ages.csv").counts("age", "city")
    source = counts.joint() if known else counts.distribution("age")
    best = least_vulnerability(RateDistortion(source, Absolute(), MaxDistortion(5), Knowledge(told["knowledge"])))
    assert told["best_guess_after"]["value"] == pytest.approx(best.vulnerability, abs=1e-12)
    assert told["best_guess"]["value"] == pytest.approx(best.before, abs=1e-12)
    assert told["gap"]["value"] < 1e-9 and told["gap"]["unit"] == "probability"
    named = read_channel("c.json")
    assert named.inputs == named.outputs == ("age",) and named.prior_origin == "this table"
    seen = Seen.BOTH if known else Seen.RELEASE
    guessed = vulnerability.posterior(Scenario(source, named.channel), None, seen)
    assert guessed == pytest.approx(told["best_guess_after"]["value"], abs=1e-12)
    measured = fields(capsys, "measure", "ages.csv", "--secret", "age", *background, "--channel", "c.json")
    assert measured["mutual_information"]["value"] == pytest.approx(told["leakage"]["value"], abs=1e-12)
    if known:
        whole = measured["leakage_with_background"]["value"]
        assert told["leakage_with_background"]["value"] == pytest.approx(whole, abs=1e-12)
    else:
        assert measured["best_guess_after"]["value"] == pytest.approx(guessed, abs=1e-12)
    related = fields(capsys, "relate", "c.json")
    assert related["local_dp"]["value"] == pytest.approx(told["epsilon"]["value"])
    Path("plan.toml").write_text('[columns]\nage = "c.json"\n')
    assert main(["release", "ages.csv", "--plan", "plan.toml", "-o", "out.csv"]) == 0


def test_fewer_right_guesses_than_from_the_least_leaking_channel(capsys: pytest.CaptureFixture[str]) -> None:
    told = fields(capsys, *ASKED, "--max-distortion", "4")
    leaking = fields(capsys, *ASKED[:-2], "--max-distortion", "4", "-o", "bits.json")
    prior = lg.open_table("ages.csv").counts("age").distribution("age")
    bits = vulnerability.posterior(Scenario(prior, read_channel("bits.json").channel))
    assert told["best_guess_after"]["value"] < bits - 0.01
    assert leaking["leakage"]["value"] < told["leakage"]["value"] - 0.01


def test_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *ASKED, "--max-distortion", "5", "-o", "c.json")
    assert code == 0 and "Least guessed channel for age" in out and "Keep c.json private" in out
    assert "No equally useful channel is guessed correctly less often, except within the gap." in out
    assert "Hamming" not in out
    _, out, _ = run(capsys, *ASKED, "--max-distortion", "5", "--background", "city")
    assert "No equally useful channel that reads the secret alone is guessed correctly less often" in " ".join(
        out.split()
    )
    assert "Guesses are made with the background" in out
    within = fields(capsys, *ASKED, "--within", "5")
    assert within == fields(capsys, *ASKED, "--max-distortion", "5")
    assert main([*ASKED, "--max-distortion", "5", "-o", "c.svg"]) == 0
    assert Path("c.svg").read_text().startswith("<svg")


def test_with_hamming_distortion_the_least_leaking_channel_is_guessed_as_often(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("design", "ages.csv", "--secret", "age", "--max-distortion", "0.3")
    told = fields(capsys, *asked, "--least", "guess")
    assert told["best_guess_after"]["value"] == pytest.approx(0.7, abs=1e-9)
    leaking = fields(capsys, *asked, "-o", "bits.json")
    prior = lg.open_table("ages.csv").counts("age").distribution("age")
    bits = vulnerability.posterior(Scenario(prior, read_channel("bits.json").channel))
    assert bits == pytest.approx(0.7, abs=1e-6)
    assert leaking["leakage"]["value"] <= told["leakage"]["value"]
    _, out, _ = run(capsys, *asked, "--least", "guess")
    assert "the channel of --least bits is guessed correctly just as often" in " ".join(out.split())


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--slope", "1"], "--slope"),
        (["--max-leakage", "1"], "--max-leakage"),
        (["--curve", "3"], "--curve"),
        (["--gap", "1e-3"], "--gap"),
        (["--through", "city"], "--through"),
        (["--after", "ages.csv"], "--after"),
        (["--weights", "ages.csv"], "--weights"),
        (["--local-dp", "0"], "--local-dp"),
        (["--identifiability", "2"], "--identifiability"),
        (["--keep", "shares"], "--keep shares"),
        (["--keep-at-least", "0.5"], "--keep-at-least"),
        (["--never-changed", "20"], "--never-changed"),
        (["--background", "city", "--knowledge", "both"], "--knowledge both"),
        (["--background", "city", "--knowledge", "published"], "--knowledge published"),
    ],
)
@pytest.mark.parametrize("target", [[], ["--max-distortion", "5"]])
def test_what_it_is_not_combined_with(
    capsys: pytest.CaptureFixture[str], more: list[str], named: str, target: list[str]
) -> None:
    code, out, err = run(capsys, *ASKED, *target, *more, "-o", "c.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"--least guess is found for a largest distortion alone and cannot be combined with {named};" in err
    assert not Path("c.json").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "--least guess needs a largest distortion; give it with --max-distortion, or --within."),
        (["--max-distortion", "-1"], "The largest distortion cannot be -1"),
        (["--max-distortion", "5", "--within", "5"], "2 targets are given"),
        (["--max-distortion", "5", "--least", "bits"], "--least"),
    ],
)
def test_misuse_is_one_sentence(capsys: pytest.CaptureFixture[str], more: list[str], said: str) -> None:
    code, out, err = run(capsys, *ASKED, *more)
    assert (code, out, err.count("\n")) == (2, "", 1) and said in err, err
