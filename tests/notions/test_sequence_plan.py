"""Plans of sequences: read, refused, and with an open number."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.claims import ApproximateDP, CentralDP
from leakgauge.errors import FileError, InputError, OptionError
from leakgauge.mechanisms.steps import Claimed, GaussianNoise, LaplaceNoise
from leakgauge.notions.composition import Neighbours, compose
from leakgauge.notions.composition.open_numbers import OPENABLE
from leakgauge.notions.composition.plan import PlannedStep, SequencePlan, read_sequence
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel

WHOLE = """
delta = 1e-6
neighbours = "add-or-remove"

[[step]]
mechanism = "gaussian"
noise-multiplier = 1.1
count = 1000
sampling-probability = 0.01

[[step]]
mechanism = "laplace:epsilon=0.1"
count = 20

[[step]]
claim = "dp:0.05"
"""


def plan_of(folder: Path, text: str) -> Path:
    place = folder / "plan.toml"
    place.write_text(text, encoding="utf-8")
    return place


def test_a_plan_says_the_steps_of_python(tmp_path: Path) -> None:
    plan = read_sequence(plan_of(tmp_path, WHOLE))
    assert plan.sequence() == (
        GaussianNoise(1.1, count=1000, sampling_probability=0.01),
        LaplaceNoise(0.1, count=20),
        Claimed(CentralDP(0.05)),
    )
    assert (plan.deltas, plan.neighbours, plan.target) == ((1e-6,), Neighbours.ADD_OR_REMOVE_ONE, None)
    assert plan.open_number is None


def test_a_plan_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    plain = read_sequence(plan_of(tmp_path, WHOLE))
    assert read_sequence(plan_of(tmp_path, "\ufeff" + WHOLE)) == plain


def test_parameters_may_stand_in_the_text_or_beside_it(tmp_path: Path) -> None:
    texts = (
        'mechanism = "randomized-response:epsilon=1,letters=yes|no"',
        'mechanism = "randomized-response"\nepsilon = 1\nletters = ["yes", "no"]',
        'mechanism = "randomized-response:letters=yes|no"\nepsilon = 1',
    )
    plans = [read_sequence(plan_of(tmp_path, f"[[step]]\n{text}\n")) for text in texts]
    assert len({compose(plan.sequence(), 0.0).epsilon for plan in plans}) == 1


@pytest.mark.parametrize("how", ["mechanism = 'answer, one.json'", "mechanism = 'channel'\nfile = 'answer, one.json'"])
def test_a_channel_file_is_found_beside_the_plan(tmp_path: Path, how: str) -> None:
    answer = Channel(["ill", "well"], ["yes", "no"], [[0.75, 0.25], [0.25, 0.75]])
    (tmp_path / "answer, one.json").write_text(text_of(ChannelFile.of(NamedChannel(answer, ("a",), ("b",)))))
    plan = read_sequence(plan_of(tmp_path, f"[[step]]\n{how}\ncount = 2\n"))
    assert compose(plan.sequence(), 0.0).epsilon == pytest.approx(2 * 1.0986122886681098)
    assert plan.files == (tmp_path / "answer, one.json",)


def test_what_is_typed_takes_the_place_of_what_the_file_says(tmp_path: Path) -> None:
    plan = read_sequence(plan_of(tmp_path, WHOLE), deltas=(1e-5,), neighbours=Neighbours.REPLACE_ONE)
    assert (plan.deltas, plan.neighbours) == ((1e-5,), Neighbours.REPLACE_ONE)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (PlannedStep("gaussian:noise-multiplier=?"), "noise-multiplier"),
        (PlannedStep("laplace:epsilon=?,sensitivity=2"), "epsilon"),
        (PlannedStep("laplace:sensitivity=2, epsilon=?"), "epsilon"),
        (PlannedStep("discrete-gaussian:rho=?,sensitivity=1"), "rho"),
        (PlannedStep("dp:?,delta=1e-9"), "level"),
        (PlannedStep("dp:1", count=None), "count"),
        (PlannedStep("dp:1", sampling_probability=None), "sampling-probability"),
    ],
)
def test_each_number_that_may_be_open_is_put_in_its_place(step: PlannedStep, name: str) -> None:
    target = ApproximateDP(1.0, 1e-6)
    plan = SequencePlan((PlannedStep("dp:1"), step), neighbours=Neighbours.ADD_OR_REMOVE_ONE, target=target)
    assert plan.open_number == (1, name)
    assert name in OPENABLE
    values = (1.0, 2.0) if name == "count" else (0.5, 1.0)
    less, more = (compose(plan.sequence(value), 1e-6, neighbours=plan.neighbours).epsilon for value in values)
    assert less > more if OPENABLE[name].larger_is_private else less < more


def test_a_count_is_rounded_down() -> None:
    assert PlannedStep("dp:1", count=None).step(7.99).count == 7


def test_letters_that_look_open_are_not() -> None:
    assert PlannedStep("randomized-response:epsilon=1,letters=yes|?").open_numbers == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There are no steps; give at least one."),
        ("detla = 1\n" + WHOLE, "there is no key 'detla'; did you mean 'delta'?"),
        ("delta = true\n[[step]]\nclaim = 'dp:1'", "delta is True, not a number"),
        ("neighbours = 'replace'\n[[step]]\nclaim = 'dp:1'", "neighbours is 'replace'; did you mean 'replace-one'?"),
        ("target = 1\n[[step]]\nclaim = 'dp:?'", "target is 1, not a notion; write"),
        ("step = 1", "'step' is not a list of tables; write [[step]] before each step."),
        ("[step]\nclaim = 'dp:1'", "'step' is not a list of tables; write [[step]] before each step."),
        ("[[step]]\ncount = 2", "step 1: it needs one mechanism or one claim;"),
        ("[[step]]\nclaim = 'dp:1'\nmechanism = 'gaussian'", "step 1: it needs one mechanism or one claim;"),
        ("[[step]]\nclaim = 1", "step 1: it needs one mechanism or one claim;"),
        ("[[step]]\nmechanism = 'dp:1'", "step 1: 'dp:1' is a claim, not a mechanism; write claim"),
        ("[[step]]\nclaim = 'dpp:1'", "step 1: There is no notion 'dpp'; did you mean 'dp'?"),
        ("[[step]]\nclaim = 'dp:1'\ncuont = 2", "step 1: there is no key 'cuont'; did you mean 'count'?"),
        (
            "[[step]]\nmechanism = 'gaussian'\nnoise_multiplier = 2",
            "step 1: there is no key 'noise_multiplier'; did you mean 'noise-multiplier'?",
        ),
        (
            "[[step]]\nmechanism = 'laplace:epsilon=1'\nepsilon = 2",
            "step 1: laplace is given epsilon twice; give it once.",
        ),
        ("[[step]]\nclaim = 'dp:1'\n[[step]]\nclaim = 'dp:1'\ncount = 0", "step 2: A count of 0 is not a whole number"),
        ("[[step]]\nclaim = 'dp:1'\ncount = true", "step 1: A count of True is not a whole number"),
        ("[[step]]\nclaim = 'dp:1'\nsampling-probability = 0", "A sampling probability of 0 is not above 0"),
        ("[[step]]\nclaim = 'dp:1'\nsampling-probability = 1.5", "A sampling probability of 1.5 is not above 0"),
        ("[[step]]\nclaim = 'renyi-dp:1,order=1'", "step 1: An order of 1.0 cannot be composed"),
        (
            "[[step]]\nmechanism = 'gaussian:noise-multiplier=?'\ncount = '?'",
            "2 numbers are left open (noise-multiplier, count); leave one of them open",
        ),
        ("[[step]]\nclaim = 'dp:?'", "'level' is left open, but nothing says what the sequence must satisfy; give"),
        ("target = 'dp:1'\n[[step]]\nclaim = 'dp:1'", "The target dp:1 is given, but no number is left open to reach"),
        (
            "target = 'dp:1'\n[[step]]\nmechanism = 'laplace:epsilon=1,sensitivity=?'",
            "step 1: 'sensitivity' cannot be left open; a number that can is one of 'noise-multiplier',",
        ),
        (
            "[[step]]\nclaim = 'dp:1'\nbatch-size = '?'\npopulation = 100",
            "step 1: 'batch-size' cannot be left open; a number that can is one of 'noise-multiplier',",
        ),
        ("[[step]]\nmechanism = '高斯'\nnoise-multiplier = 1", "step 1: There is no mechanism '高斯'; known are"),
        (
            "[[step]]\nmechanism = 'gaussian'\nnoise-multiplier = 2020-01-01",
            "step 1: gaussian has noise-multiplier='2020-01-01'; give a finite number above 0",
        ),
        (
            "[[step]]\nmechanism = 'gaussian'\nnoise-multiplier = [1]",
            "step 1: gaussian has noise-multiplier='[1]'; give a finite number above 0",
        ),
        ("delta = []\n[[step]]\nclaim = 'dp:1'", "delta is [], not a number; write e.g. delta = 1e-6."),
    ],
)
def test_what_is_not_a_plan_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_sequence(plan_of(tmp_path, text))
    assert str(refused.value).startswith(f"The plan {tmp_path / 'plan.toml'}: ")
    assert sentence in str(refused.value)


@pytest.mark.parametrize("text", ["a = = 1", "schema = 'leakgauge/plan/1'", "[[step]]\nmechanism = 'nothing.json'"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=str(tmp_path)):
        read_sequence(plan_of(tmp_path, text))
    with pytest.raises(InputError, match="missing"):
        read_sequence(tmp_path / "missing.toml")
