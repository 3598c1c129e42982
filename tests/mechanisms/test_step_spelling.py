"""Steps of a sequence as people write them."""

from __future__ import annotations

import math

import pytest

from leakgauge.claims import CentralDP, RenyiDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import CATALOGUE, parse_mechanism
from leakgauge.mechanisms.step_spelling import parse_step, typical_error
from leakgauge.mechanisms.steps import (
    Claimed,
    ClaimedCurve,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    GaussianNoise,
    LaplaceNoise,
    Step,
)

MAP = "south=0,north=1,west=0,east=1,rows=2,columns=2"
WRITTEN = {
    "laplace": "epsilon=1,sensitivity=2",
    "gaussian": "epsilon=1,delta=1e-6,sensitivity=2",
    "geometric": "epsilon=1,sensitivity=2",
    "discrete-gaussian": "rho=0.5,sensitivity=2",
    "exponential": "epsilon=1",
    "permute-and-flip": "epsilon=1",
    "randomized-response": "epsilon=1,letters=yes|no",
    "sampled-randomized-response": "epsilon=1,sampling_probability=0.5,letters=yes|no",
    "keep-or-redraw": "epsilon=1,letters=yes|no",
    "unary-encoding": "epsilon=1,letters=yes|no",
    "subset-selection": "epsilon=1,letters=yes|no",
    "planar-laplace": f"epsilon=1,{MAP}",
    "report-noisy-max": "epsilon=1,noise=gumbel",
    "above-threshold": "epsilon=1,threshold=3",
    "sparse-vector": "epsilon=1,threshold=3,count=2",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_mechanism_of_the_catalogue_takes_its_own_step(name: str) -> None:
    text = f"{name}:{WRITTEN[name]}"
    assert repr(parse_step(text)) == repr(parse_mechanism(text).step())


def test_every_mechanism_with_an_epsilon_or_rho_is_written_above() -> None:
    # What is left promises no level that composes, or is a file.
    assert set(CATALOGUE) - set(WRITTEN) == {"coarser-cells", "dummies", "channel"}


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("gaussian:noise-multiplier=1.1", GaussianNoise(1.1)),
        ("discrete-gaussian:noise-multiplier=2", DiscreteGaussianNoise(2.0)),
        ("laplace:epsilon=0.5", LaplaceNoise(0.5)),
        ("geometric:epsilon=0.5", DiscreteLaplaceNoise(0.5)),
        ("dp:0.05", Claimed(CentralDP(0.05))),
        ("renyi-dp:0.1,order=8", Claimed(RenyiDP(0.1, 8.0))),
        ("renyi-curve:8=0.5,2=0.1", ClaimedCurve("renyi-curve:8=0.5,2=0.1", ((2.0, 0.1), (8.0, 0.5)))),
    ],
)
def test_noise_and_claims_by_their_number_alone(text: str, step: Step) -> None:
    assert parse_step(text) == step
    assert parse_step(text, count=3, sampling_probability=0.5).count == 3
    assert parse_step(text, count=3, sampling_probability=0.5).sampling_probability == 0.5


@pytest.mark.parametrize("multiplier", [0.1, 3.0, 7.3, 49.0])
def test_the_epsilon_of_laplace_noise_is_not_below_that_of_its_scale(multiplier: float) -> None:
    epsilon = parse_step(f"laplace:noise-multiplier={multiplier}").pure_epsilon()
    assert 1 / multiplier < epsilon < (1 + 1e-15) / multiplier


def test_the_error_is_that_of_about_95_of_100_answers() -> None:
    gaussian, laplace = typical_error("gaussian:noise-multiplier=2"), typical_error("laplace:epsilon=0.5")
    assert gaussian is not None and math.erf(gaussian / 2 / math.sqrt(2)) == pytest.approx(0.95, abs=1e-4)
    assert laplace is not None and -math.expm1(-laplace * 0.5) == pytest.approx(0.95)
    assert laplace == typical_error("laplace:noise-multiplier=2")
    assert typical_error("laplace:epsilon=0.5,sensitivity=3") is None
    assert typical_error("dp:1") is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gausian:noise-multiplier=1", "There is no mechanism or notion 'gausian'; did you mean 'gaussian' or"),
        ("gaussian", "gaussian has no parameters; write e.g. gaussian:noise-multiplier=1.1."),
        ("gaussian:noise-multiplier=0", "gaussian has noise-multiplier='0'; give a finite number above 0"),
        ("gaussian:noise-multiplier=inf", "gaussian has noise-multiplier='inf'; give a finite number above 0"),
        ("laplace:epsilon=x", "laplace has epsilon='x'; give a finite number above 0"),
        ("gaussian:noise-multiplier=1,sensitivity=2", "which fixes its cost, and sensitivity too; leave one"),
        ("gaussian:noise-multiplier=1,noise-multiplier=2", "gaussian is given noise-multiplier twice; give it once."),
        ("exponential:noise-multiplier=1", "exponential has no noise-multiplier; it is known for 'gaussian',"),
        ("laplace:epsilon=1,sensitivty=1", "laplace has no parameter 'sensitivty'; did you mean 'sensitivity'?"),
        ("renyi-dp:1,order=1", "An order of 1.0 cannot be composed; give a finite one above 1."),
        ("renyi-curve:1=0.1", "An order of 1.0 cannot be composed; give finite ones above 1."),
        ("renyi-curve:2=0.1,2=0.2", "gives the order 2.0 twice; give it once."),
        ("renyi-curve:two", "has 'two' instead of order=ε; write e.g. renyi-curve:2=0.1,8=0.5."),
        ("mutual-information:0.2bits", "does not compose; claim one of dp, local-dp,"),
    ],
)
def test_what_is_not_a_step_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as refused:
        parse_step(text)
    assert sentence in str(refused.value)
