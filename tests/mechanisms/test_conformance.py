"""What every mechanism of the catalogue keeps to; one that is added is held to it by its line in the catalogue."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import write
from leakgauge.claims import ApproximateDP, CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import CATALOGUE, Mechanism, parse_mechanism, spelled
from leakgauge.mechanisms.mechanism import MOST_PAIRS
from leakgauge.notions import approximate_dp_at
from leakgauge.notions.composition import compose
from leakgauge.notions.ratios import local_dp
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated

LETTERS = ("a", "b", "c", "d")
VALUES: dict[str, str] = {
    "epsilon": "0.8",
    "delta": "1e-5",
    "rho": "0.3",
    "letters": "a|b|c|d",
    "sensitivity": "1",
    "lower": "0",
    "upper": "8",
    "sampling_probability": "0.25",
    "clamp": "yes",
    "south": "40.7",
    "north": "40.73",
    "west": "-74.02",
    "east": "-74",
    "rows": "3",
    "columns": "2",
    "level": "1",
    "count": "2",
    "threshold": "2",
    "monotonic": "yes",
}
"""Values of the parameters that the catalogue's factories declare."""
WITHOUT_CHANNEL = {"permute-and-flip", "report-noisy-max", "above-threshold", "sparse-vector"}
"""They answer queries only."""


def spellings(file: Path) -> Iterator[str]:
    """Every mechanism of the catalogue, numeric ones for a column, clamped or not, and for a query."""
    for name, factory in CATALOGUE.items():
        declared = inspect.signature(factory).parameters
        needed = [key for key, one in declared.items() if one.default is one.empty]
        values = {**VALUES, "file": str(file)}
        forms = [["lower", "upper"], ["lower", "upper", "clamp"], ["sensitivity"]] if "lower" in declared else [[]]
        forms += [["monotonic"]] if "monotonic" in declared else []
        for more in forms:
            yield f"{name}:" + ",".join(f"{key}={values[key]}" for key in (*needed, *more))


@pytest.fixture(scope="module")
def mechanisms(tmp_path_factory: pytest.TempPathFactory) -> list[Mechanism]:
    file = tmp_path_factory.mktemp("channel") / "channel.json"
    channel = Channel(LETTERS, LETTERS, np.full((4, 4), 0.1) + 0.6 * np.eye(4))
    write(file, ChannelFile.of(NamedChannel(channel, ("x",), ("x",))))
    return [parse_mechanism(text) for text in spellings(file)]


def with_law(mechanisms: list[Mechanism]) -> list[Mechanism]:
    return [mechanism for mechanism in mechanisms if mechanism.law is not None]


def test_the_budget_comes_first_and_the_rest_by_name() -> None:
    for name, factory in CATALOGUE.items():
        kinds = [parameter.kind for parameter in inspect.signature(factory).parameters.values()]
        budgets = [kind for kind in kinds if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        assert 1 <= len(budgets) <= 2, name
        assert kinds[len(budgets) :] == [inspect.Parameter.KEYWORD_ONLY] * (len(kinds) - len(budgets)), name


def test_its_spelling_reads_back(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        again = parse_mechanism(spelled(mechanism), letters=LETTERS)
        assert (again.name, again.parameters, again.claims) == (
            mechanism.name,
            mechanism.parameters,
            mechanism.claims,
        )
        assert mechanism.name in CATALOGUE


def test_it_says_what_it_is_for(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        can = mechanism.capabilities
        assert bool(can.columns) is not can.answers
        assert (mechanism.law is None) <= can.answers
        assert can.finite == (mechanism.channel() is not None)
        facets = (mechanism.noise, mechanism.sets, mechanism.letters)
        assert mechanism.law is None or any(facet is not None for facet in facets)
        assert mechanism.noise in (None, mechanism) and mechanism.sets in (None, mechanism)


def test_its_step_spends_no_less_than_its_law_and_no_more_than_it_claims(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        claim = mechanism.claims[0]
        if isinstance(claim, ApproximateDP):
            assert compose([mechanism.step()], claim.delta).epsilon <= claim.epsilon * (1 + 1e-6)
        elif isinstance(claim, LocalDP | CentralDP):
            assert compose([mechanism.step()], 0).epsilon <= claim.level * (1 + 1e-12)
        else:
            assert isinstance(claim, ZeroConcentratedDP)
            assert mechanism.step().rho() <= claim.rho * (1 + 1e-12)
        channel = mechanism.channel()
        if channel is not None:
            true = approximate_dp_at(channel, 0.01).value
            assert compose([mechanism.step()], 0.01).epsilon >= true * (1 - 1e-9) - 1e-12


def test_its_channel_keeps_the_claim_and_agrees_with_the_law(mechanisms: list[Mechanism]) -> None:
    for mechanism in with_law(mechanisms):
        channel, law = mechanism.channel(), mechanism.law
        if channel is None or mechanism.sets is not None:
            continue
        assert law is not None
        claim = mechanism.claims[0]
        if isinstance(claim, LocalDP):
            assert local_dp(channel).value <= claim.level * (1 + 1e-12)
        places, outputs = np.arange(len(channel.inputs)), np.arange(len(channel.outputs))
        if mechanism.noise is not None:
            # Noise codes numbers by their steps.
            places, outputs = (mechanism.noise.on_grid(np.array(one)) for one in (channel.inputs, channel.outputs))
        scores = law.scores(places, outputs)
        with np.errstate(divide="ignore"):
            logs = np.log(channel.matrix)
        # The tails of wide noise that its law scores by are those of a bell curve.
        close = 1e-9 if mechanism.noise is None else 1e-3
        np.testing.assert_allclose(scores - scores[0, 0], logs - logs[0, 0], atol=close)


def test_sets_agree_with_their_channel(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        sets, channel = mechanism.sets, mechanism.channel()
        if sets is None:
            continue
        assert channel is not None
        assert local_dp(channel).value <= mechanism.claims[0].level * (1 + 1e-9)
        members = np.array(
            [[text in str(output).split("|") for text in sets.letter_texts] for output in channel.outputs]
        )
        scores = sets.law.scores(np.arange(len(sets.letters)), members)
        with np.errstate(divide="ignore"):
            logs = np.log(channel.matrix)
        np.testing.assert_allclose(scores - scores[0, 0], logs - logs[0, 0], atol=1e-9)


def test_noise_agrees_with_its_probabilities(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        if mechanism.noise is None:
            continue
        law = mechanism.noise.added
        # Beyond so many scales of the heavier tail lies less than 10⁻¹².
        far = math.ceil(28 * law.scale) + 1
        steps = np.arange(-far, far + 1)
        chances = law.probability(steps)
        assert abs(chances.sum() - 1) < 1e-11
        near = steps[np.abs(steps) <= law.scale]
        np.testing.assert_allclose(np.diff(law.below(near.astype(float))), chances[far + near[1:]], rtol=2e-3)
        scores = law.scores(np.array([0, 3]), near)
        np.testing.assert_allclose(
            scores[0] - scores[0, 0], np.log(chances[far + near] / chances[far + near[0]]), atol=1e-7
        )
        np.testing.assert_allclose(law.log_ratio(0, 3)(near.astype(float)), scores[0] - scores[1], atol=1e-9)
        variance = float(chances @ steps.astype(float) ** 2)
        assert law.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-6)
        inside = np.abs(steps) <= law.reach(0.9)
        assert chances[inside].sum() >= 0.9
        assert (law.epsilon(1) is None) is not (law.rho(1) is None)


def test_draws_follow_the_law(mechanisms: list[Mechanism]) -> None:
    """The frequencies of events that the log-likelihood ratio orders, within six standard errors of the law's own."""
    count, randomness = 40_000, Simulated(simulation_seed=15)
    for mechanism in with_law(mechanisms):
        first, second = mechanism.neighbours()[0]
        ratio = mechanism.log_ratio(first, second)
        assert ratio is not None
        here, there = (ratio(mechanism.repeated(value, count, randomness)) for value in (first, second))
        level = mechanism.claims[0].level if isinstance(mechanism.claims[0], LocalDP | CentralDP) else math.inf
        assert max(np.abs(here).max(), np.abs(there).max()) <= level * (1 + 1e-9) + 1e-9
        if isinstance(mechanism.claims[0], LocalDP) and level == math.inf:
            # What only one of the two can give has no finite ratio; nothing else is drawn for the other.
            assert here.max() > 500 and there.max() < 500
            continue
        # E_P[f] = E_Q[e^ratio f] for every event; over the upper half of the ratios the right side has little noise.
        half = float(np.median(here))
        left, weighed = float(np.mean(here >= half)), np.where(there >= half, np.exp(np.minimum(there, 50.0)), 0.0)
        slack = 6 * (0.5 / math.sqrt(count) + float(weighed.std()) / math.sqrt(count))
        assert abs(left - float(weighed.mean())) <= slack, spelled(mechanism)


def test_it_names_neighbours_it_takes(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        pairs = mechanism.neighbours()
        assert 1 <= len(pairs) <= MOST_PAIRS
        for first, second in pairs:
            if mechanism.reach is not None:
                assert np.abs(np.subtract(first, second)).max() <= mechanism.reach * (1 + 1e-12)
                assert not mechanism.moves_one_way or len({*np.sign(np.subtract(first, second))} - {0}) == 1
            if mechanism.law is not None:
                assert isinstance(mechanism.code(first), int) and isinstance(mechanism.code(second), int)
            else:
                mechanism.run(first, Simulated(simulation_seed=0))
            if mechanism.draws_at_once:
                assert len(mechanism.repeated(first, 3, Simulated(simulation_seed=0))) == 3


def test_it_reads_its_inputs_from_text(mechanisms: list[Mechanism]) -> None:
    for mechanism in mechanisms:
        letter = None if mechanism.letters is None else mechanism.letters[1]
        text = str(letter) if letter is not None else "3" if mechanism.noise is not None else "3,1,2"
        assert mechanism.read_input(text) in (letter, 3.0, [3.0, 1.0, 2.0])
        if mechanism.letters is None:
            with pytest.raises(OptionError, match="is not a number"):
                mechanism.read_input("secret")


def test_it_becomes_a_channel_or_says_why_not(mechanisms: list[Mechanism]) -> None:
    def distances() -> Floats:
        return np.abs(np.arange(4.0)[:, None] - np.arange(4.0))

    for mechanism in mechanisms:
        inputs = mechanism.letters or (0, 1, 2, 3)
        bounded = mechanism.noise is None or mechanism.noise.span.lowest is not None
        if mechanism.name in WITHOUT_CHANNEL or not bounded:
            with pytest.raises(OptionError):
                mechanism.channel_over(inputs, inputs, distances)
            continue
        channel = mechanism.channel_over(inputs, inputs, distances)
        assert set(inputs) <= set(channel.inputs)
        assert np.array_equal(channel.matrix, channel.dyadic().matrix)
        claim = mechanism.claims[0]
        if isinstance(claim, LocalDP | CentralDP):
            assert local_dp(channel).value <= claim.level * (1 + 1e-9)
