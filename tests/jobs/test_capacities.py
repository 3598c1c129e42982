"""The capacities that ``relate`` stores and prints: closed forms, the functions they come from, and their brackets."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from leakgauge.artefacts import Relation, codec
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.artefacts.relation import Capacities
from leakgauge.design import capacity
from leakgauge.errors import EngineError
from leakgauge.jobs import capacities as job
from leakgauge.jobs.capacities import capacities_of
from leakgauge.jobs.relate import relate
from leakgauge.measures import capacities, mutual_information, vulnerability
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.files import NamedChannel
from tests.cli.running import fields, run


def of(channel: Channel, groups: tuple[tuple[int, ...], ...] | None = None) -> Capacities:
    found = capacities_of(channel, groups)
    assert found is not None
    return found


def response(values: int, kept: float) -> Channel:
    """Randomized response: a value is released with probability ``kept``, each other one equally often."""
    matrix = np.full((values, values), (1 - kept) / (values - 1))
    np.fill_diagonal(matrix, kept)
    return Channel(range(values), range(values), matrix)


def drawn(generator: np.random.Generator, inputs: int, outputs: int) -> Channel:
    return Channel(range(inputs), range(outputs), generator.dirichlet(np.full(outputs, 0.5), inputs))


@pytest.mark.parametrize(("values", "kept"), [(2, 0.65), (2, 0.9), (5, 0.7), (16, 0.3), (20, 0.7)])
def test_randomized_response_has_closed_forms(values: int, kept: float) -> None:
    found, other = of(response(values, kept)), (1 - kept) / (values - 1)
    shannon = math.log2(values) + kept * math.log2(kept) + (1 - kept) * math.log2(other)
    assert found.shannon.value == pytest.approx(shannon, abs=1e-8)
    low, high = found.shannon.ends
    assert low - 1e-12 <= shannon <= high
    assert found.multiplicative.value == pytest.approx(values * kept, rel=1e-12)
    assert found.min_capacity.value == pytest.approx(math.log2(values * kept), rel=1e-12)
    assert found.additive.value == pytest.approx(kept - 1 / values, rel=1e-9)
    assert found.additive.ends[1] == pytest.approx(kept - 1 / values, abs=4e-6)
    assert found.additive_over_vulnerabilities.value == pytest.approx(1 - values * other, rel=1e-12)
    assert found.bayes_security.value == pytest.approx(1 - (kept - other), rel=1e-12)
    assert found.risk.value == pytest.approx(1 / (1 - kept + other), rel=1e-12)


def test_a_channel_that_tells_all_and_one_that_tells_nothing() -> None:
    everything = of(Channel.identity("abcd"))
    assert everything.shannon.value == pytest.approx(2, abs=1e-8)
    assert (everything.multiplicative.value, everything.min_capacity.value) == (4, 2)
    assert (everything.additive.value, everything.additive_over_vulnerabilities.value) == (0.75, 1)
    assert (everything.risk.value, everything.bayes_security.value) == (math.inf, 0)
    nothing = of(Channel("abc", "xy", [[0.3, 0.7]] * 3))
    assert nothing.shannon.value == 0 and nothing.shannon.ends[1] < 1e-12
    assert (nothing.multiplicative.value, nothing.min_capacity.value) == (1, 0)
    assert (nothing.additive.value, nothing.additive_over_vulnerabilities.value) == (0, 0)
    assert (nothing.risk.value, nothing.bayes_security.value) == (1, 1)


def test_no_prior_exceeds_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(60)
    for case in range(40):
        # Every other case without a search, as in a large channel.
        monkeypatch.setattr(job, "SEARCHED_CELLS", 900 if case % 2 else 0)
        monkeypatch.setattr(job, "MOST_OUTPUTS", 4000 if case % 2 else 0)
        channel = drawn(generator, *generator.integers(2, 20, 2).tolist())
        found = of(channel)
        exact = capacities.additive(channel)
        assert found.additive.ends[0] <= exact.high + 1e-12
        assert found.additive.ends[1] >= exact.value - 1e-12
        for _ in range(20):
            prior = Distribution(channel.inputs, generator.dirichlet(np.full(len(channel.inputs), 0.3)))
            scenario = Scenario(prior, channel)
            assert mutual_information(scenario) <= found.shannon.ends[1]
            assert vulnerability.leakage(scenario) <= found.multiplicative.value * (1 + 1e-12)
            assert vulnerability.additive_leakage(scenario) <= found.additive.ends[1] + 1e-12


def test_known_columns_leave_the_most_over_their_values() -> None:
    channel = drawn(np.random.default_rng(61), 6, 4)
    groups = ((0, 2, 4), (1, 3, 5))
    parts = [of(channel.restrict(group)) for group in groups]
    found = of(channel, groups)
    for name in Capacities.__struct_fields__:
        most = (min if name == "bayes_security" else max)(getattr(part, name).value for part in parts)
        assert getattr(found, name).value == most


def test_a_proof_that_is_not_found_leaves_a_wider_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise EngineError("not found")

    channel = drawn(np.random.default_rng(62), 5, 4)
    exact = of(channel)
    monkeypatch.setattr(capacities, "additive", fails)
    (low, high), value = of(channel).additive.ends, exact.additive.value
    assert low - 1e-12 <= value < high - 0.01
    wide = capacities.shannon(channel, gap=10.0)
    assert wide.value <= exact.shannon.value < wide.high - 0.01
    assert wide.high <= exact.min_capacity.value + 1e-12


def test_only_values_that_occur_count_where_the_others_are_left_out() -> None:
    channel = Channel("abc", "xy", [[0.6, 0.4], [0.4, 0.6], [1, 0]])
    prior = Distribution("abc", [0.5, 0.5, 0])
    assert relate(channel, prior).capacities == of(channel)
    restricted = relate(channel, prior, restricted=True).capacities
    assert restricted == of(channel.restrict("ab")) != of(channel)


def test_large_channels_have_none_and_say_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    channel = Channel(range(job.MOST_INPUTS + 1), "xy", [[0.5, 0.5]] * (job.MOST_INPUTS + 1))
    assert relate(channel).capacities is None
    path = written(tmp_path / "large.json", channel)
    _, out, _ = run(capsys, "relate", path)
    assert "the most that can be learnt over all priors was left out" in " ".join(out.split())
    assert relate("local-dp:1").capacities is None
    _, out, _ = run(capsys, "relate", "local-dp:1")
    assert "left out" not in out


def written(path: Path, channel: Channel, columns: tuple[str, ...] = ("d",)) -> Path:
    path.write_text(text_of(ChannelFile.of(NamedChannel(channel, columns, columns))), encoding="utf-8")
    return path


def test_what_is_printed_and_stored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    channel = response(5, 0.7)
    path = written(tmp_path / "channel.json", channel)
    found = fields(capsys, "relate", path)["capacities"]
    told = capacity(channel)
    assert found["shannon"]["value"] == pytest.approx(told.bits, abs=1e-12)
    assert (found["shannon"]["low"], found["shannon"]["unit"]) == (found["shannon"]["value"], "bits")
    assert told.bits <= found["shannon"]["high"] <= told.bits + 2e-9
    assert found["multiplicative"]["value"] == pytest.approx(capacities.multiplicative(channel).value)
    assert (found["additive"]["value"], found["additive"]["high"]) == (capacities.additive(channel).value, None)
    assert found["risk"]["value"] == pytest.approx(capacities.risk(channel).value)
    _, out, _ = run(capsys, "relate", path)
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if "capacity" in line]
    assert [row[1:] for row in cells] == [
        ["0.841 bits", "Shannon capacity"],
        ["3.5 (1.81 bits)", "multiplicative capacity, min-capacity"],
        ["0.5", "additive capacity"],
        ["0.625", "additive capacity over all gains"],
        ["2.67", "Bayes-risk capacity; Bayes security 0.375"],
    ]


def test_a_bracket_is_printed_where_it_is_wide(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    channel = drawn(np.random.default_rng(63), 31, 31)
    path = written(tmp_path / "channel.json", channel)
    low, high = of(channel).additive.ends
    assert high > low + 0.1
    _, out, _ = run(capsys, "relate", path)
    # Away from each other, so that the bracket printed holds the one computed.
    assert f"{math.floor(low * 1000) / 1000:g} to {math.ceil(high * 1000) / 1000:g}" in out


def test_of_data_sets_it_is_about_the_data_set(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pair = response(2, 0.7).power(2)
    path = written(tmp_path / "pair.json", pair, ("a", "b"))
    found = fields(capsys, "relate", path, "--records", "2")["capacities"]
    assert found["shannon"]["value"] == pytest.approx(2 * capacity(response(2, 0.7)).bits, abs=1e-8)
    assert found["multiplicative"]["value"] == pytest.approx(1.4**2)
    _, out, _ = run(capsys, "relate", path, "--records", "2")
    assert "can learn about a data set" in out


def test_relations_written_before_are_read() -> None:
    stored = json.loads(text_of(relate(response(2, 0.7))))
    assert codec.decode(Relation, stored, "the file").capacities == of(response(2, 0.7))
    del stored["capacities"]
    assert codec.decode(Relation, stored, "the file").capacities is None
