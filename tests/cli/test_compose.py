"""``leakgauge compose`` as a person runs it."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path

import pytest

from leakgauge.artefacts import Composed
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import read, text_of
from leakgauge.claims import CentralDP, parse_statement
from leakgauge.mechanisms.steps import Claimed, GaussianNoise, LaplaceNoise
from leakgauge.notions.composition import Neighbours, compose, profile
from leakgauge.notions.composition.calibration import PRECISION
from leakgauge.notions.formulas import approximate_of_gaussian
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from tests.cli.running import as_json, fields, run
from tests.notions.test_sequence_plan import WHOLE

STEPS = (
    GaussianNoise(1.1, count=1000, sampling_probability=0.01),
    LaplaceNoise(0.1, count=20),
    Claimed(CentralDP(0.05)),
)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    place = tmp_path / "plan.toml"
    place.write_text(WHOLE, encoding="utf-8")
    return place


def written(folder: Path, text: str) -> Path:
    place = folder / "other.toml"
    place.write_text(text, encoding="utf-8")
    return place


def test_a_plan_spends_what_its_steps_spend(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    found = fields(capsys, "compose", plan)
    assert found["schema"] == "leakgauge/composition/1"
    assert found["neighbours"] == "add-or-remove"
    whole = compose(STEPS, 1e-6, neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    (spent,) = found["spent"]
    assert spent["delta"] == 1e-6
    assert spent["epsilon"] == spent["bounds"][whole.method.value]
    assert spent["epsilon"] == {
        "value": whole.epsilon,
        "unit": "nats",
        "low": None,
        "high": None,
        "confidence": None,
        "origin": "declared",
    }
    assert {name: bound["value"] for name, bound in spent["bounds"].items()} == whole.bounds
    assert found["calibrated"] is None and found["curves"] is None


def test_each_step_is_told_alone_and_left_out(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    found = fields(capsys, "compose", plan)
    whole = found["spent"][0]["epsilon"]["value"]
    assert [one["count"] for one in found["steps"]] == [1000, 20, 1]
    assert found["steps"][2]["epsilon"]["value"] == pytest.approx(0.05, rel=1e-4)
    for one in found["steps"]:
        alone, others = one["epsilon"]["value"], one["epsilon_of_others"]["value"]
        # Leaving a step out never costs, and no step costs more than all; grids differ by a little.
        assert max(alone, others) <= whole * 1.001 <= (alone + others) * 1.01
    _, out, _ = run(capsys, "compose", plan)
    assert "gaussian:noise-multiplier=1.1" in out and "Together ε " in out and "privacy loss distribution" in out
    assert "Neighbours: one record is there or not." in out


def test_what_is_typed_is_the_plan_without_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    typed = fields(capsys, "compose", "laplace:epsilon=0.1", "dp:0.05", "--times", 5, "--sampled", 0.5, "--delta", 1e-5)
    text = 'delta = 1e-5\n[[step]]\nmechanism = "laplace:epsilon=0.1"\ncount = 5\nsampling-probability = 0.5\n'
    text += '[[step]]\nclaim = "dp:0.05"\ncount = 5\nsampling-probability = 0.5\n'
    assert typed == fields(capsys, "compose", written(tmp_path, text))
    _, out, _ = run(capsys, "compose", "dp:0.1", "dp:0.2", "--sampled", 0.5)
    assert "sampling makes a loss rarer, not smaller" in out


def test_options_take_the_place_of_the_plan(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    found = fields(capsys, "compose", plan, "--delta", 1e-5, "--delta", 1e-4, "--neighbours", "replace-one")
    assert found["neighbours"] == "replace-one"
    assert [one["delta"] for one in found["spent"]] == [1e-5, 1e-4]
    assert found["spent"][0]["epsilon"]["value"] > found["spent"][1]["epsilon"]["value"]


def test_pure_steps_need_no_delta(capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "compose", "laplace:epsilon=0.25", "dp:0.5", "--times", 2)
    assert found["spent"][0]["delta"] == 0
    assert found["spent"][0]["epsilon"]["value"] == 1.5
    _, out, _ = run(capsys, "compose", "laplace:epsilon=0.25", "dp:0.5")
    assert out.startswith("Together ε 0.75 (basic).")


@pytest.mark.parametrize("options", [(), ("--delta", 0)])
def test_without_a_delta_there_is_no_epsilon_of_gaussian_noise(
    capsys: pytest.CaptureFixture[str], options: tuple[object, ...]
) -> None:
    code, _, err = run(capsys, "compose", "gaussian:noise-multiplier=2", *options)
    assert code == 2
    assert err.startswith("leakgauge: At δ = 0 the steps have no ε")


def test_a_level_is_a_number_however_large(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compose", "dp:80")
    assert code == 0 and "Together ε 80 (basic)." in out and "unlimited" not in out


def test_claims_that_need_a_larger_delta_are_infinite(capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "compose", "dp:1,delta=1e-5", "--delta", 1e-6)
    assert found["spent"][0]["epsilon"]["value"] == "infinity"
    _, out, _ = run(capsys, "compose", "dp:1,delta=1e-5", "--delta", 1e-6)
    assert "Together ε infinite at δ 1e-06" in out and "need a larger one" in out


@pytest.mark.parametrize(
    ("step", "target"),
    [
        ("gaussian:noise-multiplier=?", "dp:1,delta=1e-6"),
        ("gaussian:noise-multiplier=?", "zcdp:0.1"),
        ("gaussian:noise-multiplier=?", "mutual-information:0.2bits"),
        ("laplace:epsilon=?", "dp:1"),
        ("zcdp:?", "dp:1,delta=1e-6"),
        ("dp:?,delta=1e-8", "dp:1,delta=1e-6"),
        ("gaussian:epsilon=?,delta=1e-7,sensitivity=2", "dp:1,delta=1e-6"),
    ],
)
def test_the_open_number_meets_the_target_and_hardly_more(
    capsys: pytest.CaptureFixture[str], step: str, target: str
) -> None:
    found = fields(capsys, "compose", step, "--times", 10, "--target", target)["calibrated"]
    wanted = parse_statement(target).level
    assert (found["target"], found["step"]) == (str(parse_statement(target)), 1)
    # Levels are at most quadratic in these parameters, claims of δ apart.
    assert wanted * (1 - 3 * PRECISION) <= found["reached"]["value"] <= wanted


def test_what_is_printed_meets_the_target_too(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("compose", "gaussian:noise-multiplier=?", "--times", 10, "--target", "dp:1,delta=1e-6")
    _, out, _ = run(capsys, *line)
    first, second, third, *_ = out.splitlines()
    assert first.startswith("The least noise that is proved to meet approximate-dp:1,delta=1e-06: noise-multiplier ")
    typed = float(first.split()[-4])
    exact = fields(capsys, *line)["calibrated"]["value"]["value"]
    assert exact <= typed < exact * 1.00001
    assert approximate_of_gaussian(math.sqrt(10) / typed, 1e-6) <= 1
    assert second.startswith("Where one record moves an answer by at most 1, about 95 of 100 answers are off by less")
    assert float(second.rstrip(".").split()[-1]) == pytest.approx(1.96 * typed, rel=0.01)
    assert third.startswith("Together ε 1 at δ 1e-06 (exact).")


def test_numbers_of_a_screen_follow_from_each_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, "compose", "laplace:epsilon=?", "dp:0.5", "--times", 3, "--target", "dp:2")
    # Three times 0.166, as was printed, is 0.498 and not 0.5.
    found = out.split(": epsilon ")[1].split()[0]
    assert 0.4999 < 3 * float(found) <= 0.5 and f"laplace:epsilon={found} │ 3    │ 0.5 " in out
    # A δ that looks smaller than it is would promise more than is proved.
    _, out, _ = run(capsys, "compose", "laplace:epsilon=0.1", "--delta", 1.2345649e-05)
    assert out.count("δ 1.2345649e-05") == 2
    # A sample that looks smaller than it is would explain a smaller ε.
    step = '[[step]]\nmechanism = "gaussian:noise-multiplier=9"\nsampling-probability = '
    text = f'neighbours = "add-or-remove"\ntarget = "dp:0.1,delta=1e-6"\n{step}0.123456\n{step}"?"\n'
    _, out, _ = run(capsys, "compose", written(tmp_path, text))
    found = out.split("sampling-probability ")[1].split()[0]
    assert out.count("│ 0.123456 │") == 1 and out.count(f"│ {found}") == 1


def test_the_most_runs_are_a_whole_number_of_which_one_more_is_too_many(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = 'target = "dp:1,delta=1e-6"\n[[step]]\nmechanism = "gaussian:noise-multiplier=50"\ncount = "?"\n'
    code, found = as_json(capsys, "compose", written(tmp_path, text))
    assert code == 0
    runs = found["steps"][0]["count"]
    assert runs == found["calibrated"]["value"]["value"]
    fits, exceeds = (approximate_of_gaussian(math.sqrt(count) / 50, 1e-6) for count in (runs, runs + 1))
    assert fits <= 1 < exceeds


def test_the_largest_sample_is_everybody_where_that_meets_the_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = 'target = "dp:1"\n[[step]]\nmechanism = "laplace:epsilon=0.5"\nsampling-probability = "?"\n'
    everybody = fields(capsys, "compose", written(tmp_path, text))["calibrated"]
    assert everybody["value"]["value"] == 1.0 and not everybody["at_limit"]
    some = written(tmp_path, text.replace("0.5", "3") + 'count = 1\n[[step]]\nclaim = "dp:0.2"\n')
    found = fields(capsys, "compose", some, "--neighbours", "add-or-remove")["calibrated"]["value"]["value"]
    # ln(1 + p(e³ − 1)) + 0.2 = 1.
    assert found == pytest.approx(math.expm1(0.8) / math.expm1(3), rel=2 * PRECISION)


def test_where_the_search_ends_the_answer_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("compose", "laplace:epsilon=?", "--target", "dp:200")
    found = fields(capsys, *line)["calibrated"]
    assert (found["value"]["value"], found["at_limit"]) == (100.0, True)
    assert "The search ended at this number; the target may allow more." in run(capsys, *line)[1]
    assert not fields(capsys, *line[:-1], "dp:20")["calibrated"]["at_limit"]


def test_batches_are_drawn_without_replacement(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = '[[step]]\nmechanism = "laplace:epsilon=1"\nbatch-size = 10\npopulation = 1000\n[[step]]\nclaim = "dp:1"\n'
    found = fields(capsys, "compose", written(tmp_path, text))
    assert found["steps"][0]["epsilon"]["value"] == pytest.approx(math.log1p(0.01 * math.expm1(1)))
    assert (found["steps"][0]["batch_size"], found["steps"][0]["population"]) == (10, 1000)
    _, out, _ = run(capsys, "compose", written(tmp_path, text))
    assert "10 of 1,000" in out
    code, _, err = run(capsys, "compose", written(tmp_path, text.replace("population = 1000\n", "")))
    assert code == 2 and "step 1: it has 'batch-size' without 'population'; give both." in err


def test_the_curves_are_those_of_the_profile(capsys: pytest.CaptureFixture[str], plan: Path, tmp_path: Path) -> None:
    picture, stored = tmp_path / "curve.svg", tmp_path / "composed.json"
    found = fields(capsys, "compose", plan, "--curve", picture, "-o", stored)
    whole = profile(STEPS, neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    curves = found["curves"]
    for at in (0, 50, 199):
        assert curves["deltas"][at] == pytest.approx(whole.delta_at(curves["epsilons"][at]), rel=1e-9)
    assert curves["powers"][50] == pytest.approx(whole.power_at(curves["false_positive_rates"][50]), rel=1e-9)
    assert [(one["false_positive_rate"], one["power"]["value"]) for one in found["tests"]] == [
        (rate, whole.power_at(rate)) for rate in (0.01, 0.05, 0.1)
    ]
    assert "Power of tests about one record" in picture.read_text(encoding="utf-8")
    assert read(Composed, stored).spent[0].epsilon.value == found["spent"][0]["epsilon"]["value"]
    assert json.loads(stored.read_text(encoding="utf-8")) == found


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "Missing argument 'PLAN|STEP...'."),
        (("missing.toml",), 2, "missing.toml cannot be read: "),
        (("gausian:noise-multiplier=1",), 2, "There is no mechanism or notion 'gausian'; did you mean"),
        (("dp:1e400",), 2, "dp has level='1e400'; give a finite number above 0"),
        ((tempfile.gettempdir(),), 2, "is a folder; name a file in it."),
        (("a.toml", "dp:1"), 2, "a.toml is a plan, and other arguments stand beside it; give one plan, or steps"),
        (("a.toml", "--times", "2"), 2, "--times is for steps that are typed; in a plan each step has its own count."),
        (("a.toml", "--sampled", "0.5"), 2, "--sampled is for steps that are typed; in a plan each step has its own"),
        (("dp:1", "--times", "0"), 2, "A count of 0 is not a whole number of at least 1"),
        (("dp:1", "--sampled", "1.5"), 2, "A sampling probability of 1.5 is not above 0 and at most 1"),
        (("dp:1", "--delta", "1"), 2, "A δ of 1.0 is not in [0, 1); give one that is."),
        (("dp:1", "--curve", "x.pdf"), 2, "x.pdf is not the name of a picture that can be drawn; end it in .svg."),
        (("dp:1", "--curve", "a.svg", "-o", "a.svg"), 2, "a.svg is named for both the picture and the JSON; name two"),
        (("dp:1", "--target", "dp:1"), 2, "The target dp:1 is given, but no number is left open to reach it"),
        (("dp:?",), 2, "'level' is left open, but nothing says what the sequence must satisfy; give a target such as"),
        (("dp:?", "--target", "dp:x"), 2, "'dp:x' has 'x' instead of a number"),
        (("dp:?", "--target", "dp:inf"), 2, "dp:inf is met without any noise; give a finite level."),
        (("dp:?", "zcdp:?", "--target", "dp:1"), 2, "2 numbers are left open (level, level); leave one of them open"),
        (
            ("dp:?", "--target", "gaussian-dp:1"),
            2,
            "'gaussian-dp:1' is not a target that noise is found for; give one of approximate",
        ),
        (("laplace:epsilon=?", "dp:2", "--target", "dp:1"), 1, "No epsilon meets dp:1: even at 1e-09 the sequence has"),
        (("gaussian:noise-multiplier=?", "--target", "dp:1"), 1, "have no finite level of that kind; give a target"),
    ],
)
def test_misuse_is_told_in_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    found, out, err = run(capsys, "compose", *arguments)
    assert (found, out) == (code, "")
    assert err.startswith("leakgauge: ") and sentence in err and err.count("\n") == 1


def test_no_input_is_written_over(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    code, _, err = run(capsys, "compose", plan, "-o", plan)
    assert code == 2 and "is an input" in err
    assert plan.read_text(encoding="utf-8") == WHOLE
    answer = Channel(["ill", "well"], ["yes", "no"], [[0.75, 0.25], [0.25, 0.75]])
    channel = plan.parent / "answer.json"
    channel.write_text(text_of(ChannelFile.of(NamedChannel(answer, ("a",), ("b",)))))
    using = written(plan.parent, '[[step]]\nmechanism = "answer.json"\n')
    for sequence in (using, channel):
        code, _, err = run(capsys, "compose", sequence, "-o", channel)
        assert code == 2 and "is an input" in err
    # A channel may be made from a private table, and so may what follows from it.
    assert fields(capsys, "compose", using)["spent"][0]["epsilon"]["origin"] == "table"


def test_a_target_of_another_notion_needs_no_delta(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("compose", "gaussian:noise-multiplier=?", "--times", 100, "--target", "zcdp:0.1")
    found = fields(capsys, *line)
    assert found["spent"] == [] and found["steps"][0]["epsilon"] is None
    # ρ = 100/(2σ²).
    assert found["calibrated"]["value"]["value"] == pytest.approx(math.sqrt(500), rel=2 * PRECISION)
    _, out, _ = run(capsys, *line)
    assert "With it the whole sequence has zcdp 0.1." in out
    at = fields(capsys, *line, "--delta", 1e-6)["spent"][0]
    assert at["epsilon"]["value"] < compose([Claimed(parse_statement("zcdp:0.1"))], 1e-6).epsilon
