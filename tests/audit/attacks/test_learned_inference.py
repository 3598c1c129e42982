"""The attacker who sees everything that leaves: what it finds, and whom it accuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from leakgauge.audit import attack
from leakgauge.audit.attacks.learned_inference import learned_inference
from leakgauge.case.attacker import Attacker
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from tests.audit.attacks.cases import RESPONSE, again, case_of, people, released


def test_a_right_mechanism_is_not_accused_because_public_columns_tell(tmp_path: Path) -> None:
    drawn = case_of(people(3000), {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["city", "salary"])
    found = [learned_inference(again(drawn, seed))[0] for seed in range(12)]
    assert all(one.advantage.ends[0] > 0.3 for one in found), "a salary tells nearly all of the illness"
    assert not any(one.beats_claim for one in found)


def test_a_release_that_is_weaker_than_its_record_is_caught_beside_public_columns(tmp_path: Path) -> None:
    table = open_table(people(6000))
    said = released(table, {"illness": RESPONSE.format(epsilon=0.2)}, tmp_path, public=["city"], name="said.parquet")
    done = released(table, {"illness": RESPONSE.format(epsilon=4)}, tmp_path, public=["city"], name="done.parquet")
    caught = attack(said.record_file, table, released=done.output, targets=100)
    (learnt,) = [one for one in caught if str(one.attack) == "attribute inference, learnt"]
    # By the record a released value says next to nothing; what other rows show says that it is nearly always right.
    assert learnt.beats_claim and learnt.success.value > 0.8


def test_of_many_values_the_most_frequent_are_guessed(tmp_path: Path) -> None:
    draws = simulation(4)
    value = np.minimum(draws.geometric(0.05, size=8000), 90)
    table = pa.table({"value": [f"v{at}" for at in value.tolist()], "copy": [f"c{at}" for at in (value + 0).tolist()]})
    drawn = case_of(table, {"value": RESPONSE.format(epsilon=1)}, tmp_path, public=["copy"])
    attacker = Attacker.of(drawn, drawn.secrets[0])
    assert (attacker.learner.width, attacker.learner.named) == (32, 31)
    (found,) = learned_inference(drawn)
    frequent = np.sort(np.bincount(value))[::-1][:31].sum() / len(value)
    assert abs(found.success.value - frequent) < 0.02, "the rest is never guessed"


def test_rows_of_one_person_are_on_one_side(tmp_path: Path) -> None:
    rows = pa.concat_tables([people(200)] * 10)
    rows = rows.append_column("person", pa.array([f"p{at % 200}" for at in range(rows.num_rows)]))
    plan = {"illness": RESPONSE.format(epsilon=1)}
    alone, grouped = (case_of(rows, plan, tmp_path, public=["salary"], unit=unit) for unit in (None, "person"))
    learner = Attacker.of(grouped, grouped.secrets[0]).learner
    assert grouped.units is not None
    sides = [set(grouped.units[learner.rows[part]].tolist()) for part in (learner.learn, learner.choose, learner.score)]
    assert not (sides[0] & sides[1] or sides[0] & sides[2] or sides[1] & sides[2])
    # A salary to the last digit is the person's own: by rows it is recognised, by people it is not.
    first, second = learned_inference(alone)[0], learned_inference(grouped)[0]
    assert first.success.value > 0.95 > second.success.value
    assert second.success.ends[1] - second.success.ends[0] > 1.5 * (first.success.ends[1] - first.success.ends[0])
