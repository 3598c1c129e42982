"""Every public function of probability, measures and notions refuses a wrong type in one sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import leakgauge as lg
from leakgauge import claims, measures, mechanisms, notions, probability
from leakgauge.arguments import checked
from leakgauge.audit import reconstruct
from leakgauge.errors import ColumnError, InputError, OptionError
from leakgauge.jobs.location.compare import compare_places
from leakgauge.jobs.location.design import design_places
from leakgauge.jobs.location.protect import protect_places
from leakgauge.jobs.location.survey import survey_places
from leakgauge.jobs.location.track import track_places
from leakgauge.measures import anonymity, capacities, divergences, guessing, renyi, vulnerability
from leakgauge.mechanisms import steps
from leakgauge.notions import composition
from leakgauge.notions.relation import relate_channel, relate_statement, relate_statements
from leakgauge.probability import Channel, Counts, Distribution, Joint, Scenario

PRIOR = Distribution("ab", [0.6, 0.4])
CHANNEL = Channel("ab", "uv", [[0.7, 0.3], [0.3, 0.7]])
JOINT = Joint("ab", "uv", [[0.3, 0.1], [0.2, 0.4]])
SCENARIO = Scenario(JOINT, CHANNEL)
COUNTS = Counts({"secret": "ab", "release": "uv"}, [[30, 10], [20, 40]])
DP = claims.CentralDP(1.0)
STEPS = [steps.RandomizedResponse(1.0)]
X, Y = np.linspace(0, 1, 30), np.linspace(0, 1, 30)[::-1] ** 2


def noise_of(multiplier: float) -> list[steps.Step]:
    return [steps.GaussianNoise(multiplier)]


WRONG = [None, "text", np.ones(2), object(), 1.5, [1, "a"]]
"""What people pass by mistake."""

CALLS: dict[Callable[..., object], dict[str, Any]] = {
    Distribution: {"outcomes": "ab", "probabilities": [0.5, 0.5]},
    Distribution.from_mapping: {"probabilities": {"a": 1.0}},
    Distribution.uniform: {"outcomes": "ab"},
    PRIOR.restrict: {"outcomes": "a"},
    PRIOR.power: {"records": 2},
    Channel: {"rows": "ab", "columns": "uv", "matrix": [[0.5, 0.5], [1, 0]]},
    Channel.from_cells: {"rows": "a", "columns": "u", "row_codes": [0], "column_codes": [0], "values": [1.0]},
    Channel.identity: {"labels": "ab"},
    Channel.constant: {"inputs": "ab", "output": PRIOR},
    CHANNEL.output: {"source": PRIOR},
    CHANNEL.then: {"next_channel": Channel.identity("uv")},
    CHANNEL.restrict: {"inputs": "a"},
    CHANNEL.power: {"records": 2},
    CHANNEL.row: {"label": "a"},
    Joint: {"rows": "ab", "columns": "uv", "matrix": [[0.3, 0.1], [0.2, 0.4]]},
    Joint.of: {"source": PRIOR, "channel": CHANNEL},
    JOINT.row_given_column: {"label": "u"},
    Counts: {"axes": {"secret": "ab"}, "array": [1, 2]},
    Counts.from_cells: {"axes": {"secret": "ab"}, "codes": [[0]], "counts": [1]},
    COUNTS.labels: {"name": "secret"},
    COUNTS.merge: {"groups": {"all": ("secret", "release")}},
    COUNTS.over: {"name": "secret", "labels": "abc"},
    COUNTS.joint: {"rows": ("secret",), "columns": ("release",)},
    Scenario: {"source": PRIOR, "channel": CHANNEL, "background": None, "weights": [1, 2]},
    Scenario.from_counts: {"counts": COUNTS, "secret": ["secret"], "release": ["release"], "background": []},
    SCENARIO.view: {"seen": probability.Seen.RELEASE},
    SCENARIO.posterior: {"release": "u", "background": "v"},
    probability.Estimate: {"value": 1.0, "low": 0.0, "high": 2.0, "confidence": 0.95, "n": 3, "reliable": True},
    measures.entropy: {"source": PRIOR, "unit": measures.Unit.BITS},
    measures.basic: {"scenario": SCENARIO, "seen_by": probability.Seen.RELEASE, "unit": measures.Unit.BITS},
    **{
        getattr(measures, name): {"scenario": SCENARIO, "unit": measures.Unit.BITS}
        for name in (
            *("background_floor", "conditional_entropy", "conditional_entropy_with_background"),
            *("conditional_mutual_information", "leakage_by_output", "leakage_with_background", "mutual_information"),
        )
    },
    measures.estimate: {
        "measure": measures.mutual_information,
        "counts": COUNTS,
        "secret": ["secret"],
        "release": ["release"],
        "estimator": measures.Estimator.PLUG_IN,
        "confidence": 0.9,
        "simulation_seed": 1,
    },
    measures.differential_entropy: {"x": X, "neighbours": 3, "confidence": 0.9, "limit": 20, "simulation_seed": 0},
    measures.mutual_information_of_numbers: {
        "x": X,
        "y": Y,
        "neighbours": 3,
        "confidence": 0.9,
        "limit": 20,
        "simulation_seed": 0,
    },
    measures.conditional_information_of_numbers: {"x": X, "y": Y, "z": Y**2 - X, "neighbours": 3, "limit": 20},
    capacities.shannon: {"channel": CHANNEL},
    capacities.multiplicative: {"channel": CHANNEL, "gain": None, "nodes": 10},
    capacities.additive: {"channel": CHANNEL, "gain": None, "nodes": 10},
    capacities.additive_bounds: {"channel": CHANNEL},
    capacities.risk: {"channel": CHANNEL},
    capacities.additive_over_gains: {"scenario": SCENARIO, "seen": probability.Seen.RELEASE},
    capacities.additive_over_vulnerabilities: {"channel": CHANNEL},
    measures.is_perfect: {"scenario": SCENARIO},
    measures.rank: {"mechanisms": {"one": SCENARIO}},
    measures.rank_attacks: {"attacks": {"one": SCENARIO}},
    measures.zero_leakage_test: {"counts": COUNTS, "secret": ["secret"], "release": ["release"]},
    renyi.prior: {"source": PRIOR, "order": 2.0},
    renyi.posterior: {"scenario": SCENARIO, "order": 2.0},
    renyi.leakage: {"scenario": SCENARIO, "order": 2.0},
    renyi.sibson_leakage: {"channel": CHANNEL, "prior": PRIOR, "order": 2.0},
    renyi.maximal_leakage: {"channel": CHANNEL},
    vulnerability.Gain: {"actions": "xy", "secrets": "ab", "matrix": [[1, 0], [0, 1]]},
    vulnerability.prior: {"source": PRIOR, "gain": None},
    vulnerability.posterior: {"scenario": SCENARIO, "gain": None},
    vulnerability.leakage: {"scenario": SCENARIO, "gain": None},
    vulnerability.additive_leakage: {"scenario": SCENARIO, "gain": None},
    guessing.prior: {"source": PRIOR},
    guessing.posterior: {"scenario": SCENARIO},
    guessing.leakage: {"scenario": SCENARIO},
    anonymity.normalised_entropy: {"source": PRIOR},
    anonymity.prior: {"source": PRIOR},
    anonymity.posterior: {"scenario": SCENARIO},
    anonymity.leakage: {"scenario": SCENARIO},
    divergences.total_variation: {"p": PRIOR, "q": PRIOR},
    divergences.hockey_stick: {"p": PRIOR, "q": PRIOR, "epsilon": 1.0},
    divergences.kullback_leibler: {"p": PRIOR, "q": PRIOR},
    divergences.renyi: {"p": PRIOR, "q": PRIOR, "order": 2.0},
    divergences.jensen_shannon: {"p": PRIOR, "q": PRIOR},
    notions.levels: {"channel": CHANNEL, "prior": PRIOR, "records": 1, "order": 2.0, "delta": 1e-6, "ordered": True},
    relate_channel: {"channel": CHANNEL, "prior": PRIOR, "records": 1, "wanted": None, "restricted": False},
    relate_statement: {"statement": DP, "prior": PRIOR, "wanted": None, "restricted": False},
    relate_statements: {"statements": [DP], "wanted": None},
    notions.implied: {"statement": DP, "to": claims.LocalDP, "circumstances": None},
    notions.everything_implied: {"statement": DP, "circumstances": None},
    notions.Circumstances: {"skew": 0.5, "records": 1, "independent": True, "delta": 1e-6, "order": 2.0, "values": 2},
    notions.Circumstances().with_prior: {"prior": PRIOR},
    notions.Circumstances().with_domain: {"inputs": "ab"},
    notions.approximate_dp: {"channel": CHANNEL, "epsilon": 1.0, "structure": None},
    notions.approximate_dp_at: {"channel": CHANNEL, "delta": 0.1, "structure": None},
    notions.gaussian_dp: {"channel": CHANNEL, "structure": None},
    notions.renyi_dp: {"channel": CHANNEL, "order": 2.0, "structure": None},
    notions.total_variation: {"channel": CHANNEL, "structure": None},
    notions.zero_concentrated_dp: {"channel": CHANNEL, "structure": None},
    notions.mutual_information_dp: {"channel": CHANNEL, "structure": None},
    notions.metric_privacy: {"channel": CHANNEL, "distance": np.ones((2, 2))},
    notions.moment_skewness: {"prior": PRIOR},
    notions.prior_skew: {"prior": PRIOR, "structure": None},
    notions.refined_by: {"channel": CHANNEL, "other": CHANNEL},
    notions.privacy_curve: {"channel": CHANNEL, "epsilons": [0.0, 1.0], "structure": None},
    composition.compose: {"steps": STEPS, "delta": 1e-6, "neighbours": composition.Neighbours.REPLACE_ONE},
    composition.compose_exactly: {"channels": [CHANNEL]},
    composition.amplified_by_sampling: {"statement": DP, "sampling_probability": 0.5},
    composition.amplified_by_shuffling: {"statement": claims.LocalDP(1.0), "people": 100, "delta": 1e-6},
    composition.amplified_without_replacement: {"statement": DP, "size": 1, "population": 10},
    composition.calibrate: {"sequence": noise_of, "target": claims.ApproximateDP(1.0, 1e-6), "between": (1.0, 100.0)},
    composition.profile: {"steps": STEPS, "neighbours": composition.Neighbours.REPLACE_ONE},
    composition.group_privacy: {"statement": DP, "size": 2},
    composition.in_parallel: {"statements": [DP], "parts": composition.Parts.FIXED},
    mechanisms.exponential: {"epsilon": 1.0, "sensitivity": 1.0},
    mechanisms.permute_and_flip: {"epsilon": 1.0, "sensitivity": 1.0},
    mechanisms.report_noisy_max: {"epsilon": 1.0, "noise": "laplace", "monotonic": True, "grid": 0.25},
    mechanisms.above_threshold: {"epsilon": 1.0, "threshold": 3.0, "sensitivity": 1.0, "monotonic": True, "grid": 0.25},
    mechanisms.sparse_vector: {"epsilon": 1.0, "threshold": 3.0, "count": 2, "monotonic": True, "grid": 0.25},
    reconstruct: {"queries": [[1, 0], [1, 1]], "answers": [1, 2], "share": 0.4, "scale": 1.0},
    steps.Claimed: {"statement": DP, "count": 1},
    steps.ClaimedCurve: {"name": "curve", "points": ((2.0, 0.5),)},
    steps.DiscreteGaussianNoise: {"noise_multiplier": 2.0, "sensitivity": 1},
    steps.DiscreteLaplaceNoise: {"epsilon": 1.0, "sensitivity": 1},
    steps.ExponentialChoice: {"epsilon": 1.0},
    steps.GaussianNoise: {"noise_multiplier": 1.0},
    steps.KnownChannel: {"channel": CHANNEL},
    steps.LaplaceNoise: {"epsilon": 1.0},
    steps.PermuteAndFlip: {"epsilon": 1.0},
    steps.RandomizedResponse: {"epsilon": 1.0},
}
"""Each public function with arguments that it takes."""

RESULTS = {
    "Basic", "Calibration", "Composition", "Counterexample", "Edge", "Implication", "Level", "Profile", "Ranking",
    "Relation", "Step", "View", "Witness", "ZeroLeakageTest", "Interval", "Label", "Hashable",
}  # fmt: skip
"""Types that our own functions make."""


def public(module: ModuleType) -> Iterator[Callable[..., object]]:
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            functions = [one for key, one in vars(value).items() if not key.startswith("_") and inspect.isfunction(one)]
            yield from (one for one in functions if one.__module__ == value.__name__)
        elif callable(value) and not (isinstance(value, type) and issubclass(value, Enum)):
            yield value


def named(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def test_every_public_function_is_tried() -> None:
    everything = {one for room in (probability, measures, notions, composition) for one in public(room)}
    assert {named(one) for one in everything - CALLS.keys() if one.__name__ not in RESULTS} == set()


@pytest.mark.parametrize("function", CALLS, ids=named)
def test_a_wrong_type_is_refused_in_one_sentence(function: Callable[..., object]) -> None:
    given = CALLS[function]
    if given:
        function(**given)
    sentences = []
    for name in given:
        for wrong in WRONG:
            # Whatever else is raised fails the test: an AttributeError is what a person must not see.
            try:
                function(**{**given, name: wrong})
            except InputError as error:
                sentences.append(str(error))
    assert not any("\n" in sentence for sentence in sentences)


def test_the_sentence_names_argument_and_types() -> None:
    with pytest.raises(OptionError) as caught:
        notions.levels(CHANNEL, "uniform")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "The argument 'prior' of levels() is of type 'str'; it must be of type 'Distribution | None'."
    )
    with pytest.raises(OptionError, match=r"'others' of Channel.product\(\) is of type 'str'"):
        CHANNEL.product(CHANNEL, "text")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"'to' of implied\(\) is of type 'type'; it must be of type 'type\[Stat"):
        notions.implied(DP, int)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'records' of Circumstances"):
        notions.Circumstances(records="three")  # type: ignore[arg-type]


def test_a_pair_has_two_items() -> None:
    target = claims.ApproximateDP(1.0, 1e-6)
    for wrong in ((1.0,), (1.0, 2.0, 3.0), (1.0, "a")):
        with pytest.raises(OptionError, match=r"'between' of calibrate\(\).*'tuple\[float, float\]'"):
            composition.calibrate(noise_of, target, between=wrong)  # type: ignore[arg-type]
        with pytest.raises(OptionError, match=r"'points' of ClaimedCurve\(\)"):
            steps.ClaimedCurve("curve", (wrong,))  # type: ignore[arg-type]


def test_what_is_not_a_number_or_not_there_is_refused() -> None:
    for given in ("text", ["a"], None):
        curve = steps.ClaimedCurve("curve", function=lambda orders, given=given: given)  # type: ignore[misc]
        with pytest.raises(OptionError, match="does not give one number"):
            composition.compose([curve], 1e-6)
    with pytest.raises(ColumnError, match="0 rows are too few"):
        measures.conditional_information_of_numbers([], [], [])
    with pytest.raises(ColumnError, match="0 rows are too few"):
        measures.differential_entropy([])


def test_numbers_of_every_library_are_numbers_and_truth_values_are_not() -> None:
    @checked
    def doubled(number: float, times: int = 1) -> float:
        return number * 2 * times

    assert doubled(np.float32(1.5)) == doubled(1.5, np.int64(1)) == 3  # type: ignore[arg-type]
    for wrong in (True, 1j, "1"):
        with pytest.raises(OptionError):
            doubled(wrong)  # type: ignore[arg-type]


def test_a_keyword_that_there_is_not_is_refused_where_it_was_given() -> None:
    """Every function that takes the options of a ``TypedDict``: before, ``open_table()`` had an unexpected one."""
    taking: tuple[Callable[..., object], ...] = (
        *(lg.assess, lg.compare, lg.estimate, lg.improve, lg.protect, lg.survey),
        *(compare_places, design_places, protect_places, survey_places, track_places),
    )
    for function in taking:
        with pytest.raises(OptionError, match=r"^There is no option 'encodin'; did you mean 'encoding'\?$"):
            function(encodin="utf-8")
    with pytest.raises(OptionError, match=r"^There is no option 'min_protecion'; did you mean 'min_protection'\?$"):
        lg.improve("people.csv", secret="sex", min_protecion=3)  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"^There is no option 'secret'; did you mean 'secrets'\?$"):
        lg.survey("people.csv", secret="sex")  # type: ignore[call-arg]
