"""The best guess against the exact Bayes vulnerability, and what is learnt against both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.audit import attack
from leakgauge.audit.attacks.attribute_inference import attribute_inference
from leakgauge.audit.attacks.learned_inference import learned_inference
from leakgauge.measures import vulnerability
from leakgauge.mechanisms import geometric, subset_selection, unary_encoding
from leakgauge.probability import Channel, Interval, Scenario, Seen
from leakgauge.probability.files import NamedChannel
from leakgauge.tables import open_table
from tests.audit.attacks.cases import RESPONSE, again, case_of, people, released
from tests.grids import nightly

ADULT = ("marital_status", "occupation")


@pytest.mark.parametrize("how", ["response 0.5", "response 2", "designed"])
def test_adult_with_background_is_the_exact_vulnerability(data: Path, tmp_path: Path, how: str) -> None:
    table = lg.open_table(str(data / "adult_train.parquet"))
    joint = table.counts(*ADULT).joint()
    if how == "designed":
        problem = lg.design.RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(0.2), lg.Knowledge.ATTACKER)
        channel = lg.design.solve(problem).channel
    else:
        channel = lg.mechanisms.randomized_response(float(how.split()[1]), letters=joint.rows).channel()
    made = released(table, {"marital_status": channel}, tmp_path)
    best, learnt, *_ = attack(made, table, background=["occupation"], targets=100)
    scenario = Scenario(joint, channel)
    assert vulnerability.posterior(scenario, seen=Seen.BOTH) in best.success
    assert best.baseline.value == pytest.approx(vulnerability.posterior(Scenario(joint), seen=Seen.BACKGROUND))
    assert best.raw.value == pytest.approx(1 - best.baseline.value)
    assert 0 in best.independent and 0 in learnt.independent
    right = best.success.value * table.rows
    assert right == pytest.approx(round(right)), "every row is a target"
    assert best.knows == ("occupation",) and best.target == ("marital_status",)
    assert abs(learnt.success.value - best.success.value) < 0.02
    assert not best.beats_claim and not learnt.beats_claim
    assert best.ceiling is not None and best.success.ends[1] < best.ceiling.value


def test_letter_sets_and_noise_are_the_exact_vulnerability(tmp_path: Path) -> None:
    table = people(10_000)
    illness = open_table(table).counts("illness").distribution()
    for mechanism in (unary_encoding(2.0, letters=illness.outcomes), subset_selection(1.5, letters=illness.outcomes)):
        (found,) = attribute_inference(case_of(table, {"illness": mechanism}, tmp_path))
        assert vulnerability.posterior(Scenario(illness, mechanism.channel())) in found.success
    numbers = np.array([int(str(label)[-1]) for label in illness.outcomes])
    noise = geometric(4.0, lower=0, upper=4)
    chances = noise.added.probability(np.arange(-200, 200)[None, :] - numbers[:, None])
    exact = float((illness.probabilities[:, None] * chances).max(axis=0).sum())
    letters = np.array([int(text[-1]) for text in table.column("illness").to_pylist()])
    (found,) = attribute_inference(case_of(pa.table({"number": letters}), {"number": noise}, tmp_path))
    assert exact in found.success
    assert found.advantage.ends[0] > 0


def test_the_interval_holds_the_exact_value_as_often_as_it_says(tmp_path: Path) -> None:
    table = people(1000)
    drawn = case_of(table, {"illness": RESPONSE.format(epsilon=1)}, tmp_path, background=["city"])
    joint = open_table(table).counts("illness", "city").joint()
    channel = lg.mechanisms.randomized_response(1.0, letters=joint.rows).channel()
    exact = vulnerability.posterior(Scenario(joint, channel), seen=Seen.BOTH)
    found = [attribute_inference(again(drawn, seed))[0] for seed in range(80)]
    # 4 misses are expected at most; 11 happen by chance once in ten thousand times.
    assert sum(exact not in one.success for one in found) <= 10
    assert not any(one.beats_claim for one in found)
    assert all(0 in one.independent for one in found)


def test_a_channel_of_several_columns_and_one_of_intervals(tmp_path: Path) -> None:
    table = people(8000)
    counts = open_table(table).counts("illness", "sex")
    joint = counts.joint()
    pairs = [(x, z) for x in joint.rows for z in joint.columns]
    flip = np.array([[0.9 if (at % 5 < 2) == (z == "f") else 0.2] for at, (_, z) in enumerate(pairs)])
    channel = Channel(pairs, ["yes", "no"], np.hstack([flip, 1 - flip]))
    named = NamedChannel(channel, ("illness", "sex"), ("answer",))
    (found,) = attribute_inference(case_of(table, {"illness": named}, tmp_path, background=["sex"]))
    assert found.target == ("illness",)
    assert vulnerability.posterior(Scenario(joint, channel), seen=Seen.BOTH) in found.success
    intervals = [Interval(None, 1600), Interval(1600, 2100), Interval(2100, None)]
    (found,) = attribute_inference(case_of(table, {"salary": Channel(intervals, intervals, np.eye(3))}, tmp_path))
    # Tenths of the salary by thirds: about three in ten are right.
    assert 0.25 < found.success.value < 0.4 and found.baseline.value == pytest.approx(0.1, abs=0.01)
    assert found.ceiling is None


def test_learning_from_an_independent_release_gains_nothing(tmp_path: Path) -> None:
    columns = {
        "illness": RESPONSE.format(epsilon=2),
        "salary": "laplace:epsilon=4,lower=1000,upper=3000",
        "city": "unary-encoding:epsilon=1,letters=this-table",
    }
    drawn = case_of(people(2000), columns, tmp_path, background=["sex"])
    found = [one for seed in range(8) for one in learned_inference(again(drawn, seed))]
    assert len(found) == 24
    assert sum(0 not in one.independent for one in found) <= 3
    assert {one.target for one in found} == {("illness",), ("salary",), ("city",)}


def test_learning_finds_what_there_is(tmp_path: Path) -> None:
    columns = {"illness": RESPONSE.format(epsilon=3), "salary": "laplace:epsilon=60,lower=1000,upper=3000"}
    for name, how in columns.items():
        drawn = case_of(people(10_000), {name: how}, tmp_path, background=["city"])
        (one,), (other,) = attribute_inference(drawn), learned_inference(drawn)
        assert other.advantage.ends[0] > 0.1
        assert one.success.value - 0.03 < other.success.value < one.success.value + 0.02
        assert other.raw.value == pytest.approx(1 - other.baseline.value)
        assert other.exposed > 0.1 * drawn.rows * 0.3
    together = learned_inference(case_of(people(10_000), columns, tmp_path, background=["city"]))
    # A salary that goes with the illness tells on it, although both are protected.
    assert together[0].success.ends[0] > 0.9
    sets = {"illness": "unary-encoding:epsilon=4,letters=this-table"}
    drawn = case_of(people(10_000), sets, tmp_path, background=["city"])
    assert learned_inference(drawn)[0].success.value > attribute_inference(drawn)[0].success.value - 0.03


def test_a_small_epsilon_gives_next_to_nothing(tmp_path: Path) -> None:
    drawn = case_of(people(5000), {"illness": RESPONSE.format(epsilon=0.05)}, tmp_path, background=["city"])
    for found in (*attribute_inference(drawn), *learned_inference(drawn)):
        assert 0 in found.advantage and abs(found.advantage.value) < 0.02
        assert found.ceiling is not None and found.ceiling.value < found.baseline.ends[1] + 0.02


def test_a_release_that_is_weaker_than_its_record_is_caught(tmp_path: Path) -> None:
    table = open_table(people(5000))
    said = released(table, {"illness": RESPONSE.format(epsilon=0.5)}, tmp_path, name="said.parquet")
    done = released(table, {"illness": RESPONSE.format(epsilon=3)}, tmp_path, name="done.parquet")
    honest = attack(said.record_file, table, secret="illness", targets=100)
    caught = attack(said.record_file, table, secret="illness", released=done.output, targets=100)
    assert not any(found.beats_claim for found in honest)
    # Who believes the record guesses worse than who learns, and both beat it.
    assert [str(found.attack).partition(",")[2] for found in caught if found.beats_claim][:2] == [
        " best guess",
        " learnt",
    ]


@pytest.mark.parametrize(("audits", "accused"), [(30, 4), nightly(120, 8)])
def test_a_correct_mechanism_is_rarely_accused(tmp_path: Path, audits: int, accused: int) -> None:
    # Two equally common letters: randomized response reaches its ceiling, the hardest case.
    table = pa.table({"answer": ["yes", "no"] * 500})
    drawn = case_of(table, {"answer": "randomized-response:epsilon=1,letters=yes|no"}, tmp_path)
    runs = [again(drawn, seed) for seed in range(audits)]
    best = [attribute_inference(run)[0] for run in runs]
    assert best[0].ceiling is not None and best[0].ceiling.value == pytest.approx(np.e / (1 + np.e))
    # One in forty is expected at most.
    assert sum(found.beats_claim for found in best) <= accused
    assert sum(learned_inference(run)[0].beats_claim for run in runs) <= accused
    edited = replace(drawn.columns[0], promises=(replace(drawn.columns[0].promises[0], epsilon=0.5),))
    wrong = replace(drawn, secrets=(replace(drawn.secrets[0], column=edited),))
    assert attribute_inference(wrong)[0].beats_claim
