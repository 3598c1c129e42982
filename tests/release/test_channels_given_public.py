"""Channels that read public columns beside the secret: what they guarantee is given these, in every file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import digest_of, text_of
from leakgauge.audit import lower_bound
from leakgauge.claims import LocalDP
from leakgauge.cli import main
from leakgauge.errors import FileError, LabelError, OptionError
from leakgauge.jobs.audit import audit_mechanism, audit_release
from leakgauge.jobs.measure import Roles, measure
from leakgauge.jobs.relate import relate
from leakgauge.mechanisms import through_channel
from leakgauge.notions.relation import relate_channel
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import Release, ReleasePlan, preview, release, verify
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.tables import Table, open_table

ILLNESSES, CITIES = ("flu", "none", "cold"), ("Oslo", "Bergen")
PAIRS = [(illness, city) for illness in ILLNESSES for city in CITIES]
ROWS = [[0.8, 0.1, 0.1], [0.4, 0.3, 0.3], [0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8], [0.25, 0.35, 0.4]]
GIVEN = NamedChannel(Channel(PAIRS, ILLNESSES, ROWS), ("illness", "city"), ("illness",), given=("city",))


def _ratio(rows: Floats) -> float:
    return float((np.log(rows.max(axis=0)) - np.log(rows.min(axis=0))).max())


BY_CITY = [_ratio(np.array(ROWS)[at::2]) for at in range(2)]
EPSILON = max(BY_CITY)
"""Of two illnesses in the same city; those of two cities are told apart less here, and at worst by more."""


@pytest.fixture
def people() -> Table:
    draws = simulation(5)
    rows = [PAIRS[at] for at in draws.choice(6, size=3000, p=[0.1, 0.05, 0.3, 0.2, 0.1, 0.25])]
    return open_table(pa.table({"illness": [one[0] for one in rows], "city": [one[1] for one in rows]}))


@pytest.fixture
def made(people: Table, tmp_path: Path) -> Release:
    return release(
        ReleasePlan({"illness": GIVEN}, public=["city"]), people, tmp_path / "out.csv", randomness=Simulated(1)
    )


def test_the_claim_compares_illnesses_of_one_city(made: Release) -> None:
    claims = made.record.claims["illness"].levels
    assert claims["local-dp"].value == pytest.approx(EPSILON, rel=1e-12)
    assert made.record.budget.epsilon.value == pytest.approx(EPSILON, rel=1e-12)
    witness = claims["local-dp"].witness
    assert witness is not None
    assert len({text.rpartition("|")[2] for text in witness.inputs}) == 1
    assert made.record.plan.columns["illness"].given == ("city",)
    (said,) = (str(one) for one in made.record.assumptions if "are given the public columns" in str(one))
    assert said.endswith("reads, city: they compare two values of illness in rows that agree in these.")
    verify(made.record_file).require()
    assert made.public_record_file is not None
    verify(made.public_record_file).require()


def test_what_is_not_published_is_not_given(people: Table, tmp_path: Path) -> None:
    """A file may call a column known; only a release that publishes it makes it so."""
    bound = preview(ReleasePlan({"illness": GIVEN}), people)[0]
    claim = bound.columns[0].mechanism.claims[0]
    assert claim.level == pytest.approx(_ratio(np.array(ROWS)), rel=1e-12)
    assert claim.level >= EPSILON
    hidden = release(ReleasePlan({"illness": GIVEN}), people, tmp_path / "hidden.csv", randomness=Simulated(1))
    assert hidden.record.plan.columns["illness"].given == ()
    assert not any("are given" in str(one) for one in hidden.record.assumptions)
    # Nor does a channel that reads public columns alone protect anything given them.
    towns = NamedChannel(Channel(CITIES, PAIRS, np.full((2, 6), 1 / 6)), ("city",), ("town", "guess"))
    both = ReleasePlan({"town": towns, "guess": towns}, public=["city"])
    assert preview(both, people)[0].columns[0].mechanism.compared is None


def test_a_record_that_calls_another_column_known_does_not_verify(people: Table, tmp_path: Path) -> None:
    honest = release(ReleasePlan({"illness": GIVEN}), people, tmp_path / "out.csv", randomness=Simulated(1))
    fields: dict[str, Any] = json.loads(honest.record_file.read_text(encoding="utf-8"))
    fields["plan"]["columns"]["illness"]["channel"]["given"] = ["city"]
    fields["digest"] = digest_of({name: value for name, value in fields.items() if name != "digest"})
    honest.record_file.write_text(json.dumps(fields), encoding="utf-8")
    found = verify(honest.record_file)
    assert not found.holds
    assert any("given a column that is not public" in str(one.reason) for one in found.checks)


def test_the_ledger_counts_it(people: Table, tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "ledger", create=True)
    ledger.open_account("people", Unlimited())
    plan = ReleasePlan({"illness": GIVEN}, public=["city"])
    for at in range(2):
        made = release(plan, people, tmp_path / f"out{at}.csv", ledger=ledger, dataset="people")
        verify(made.record_file, ledger=ledger).require()
    assert ledger.spent("people").epsilon == pytest.approx(2 * EPSILON, rel=1e-9)
    ledger.close()


def test_the_audit_compares_within_a_city(made: Release, people: Table) -> None:
    audit = audit_release(made, people, simulation_seed=1)
    shown = audit.columns["illness"]
    assert shown is not None
    assert len({text.rpartition("|")[2] for text in shown.inputs}) == 1
    assert not audit.violated
    assert 0.8 * EPSILON < shown.lower_bound.value <= EPSILON
    # What everything tells is exact: the law is known for every illness and city.
    shares = people.counts("illness", "city").joint(["illness"], ["city"])
    told = measure(people, Roles(("illness",), background=("city",)), channels=[GIVEN])
    assert told.leakage_with_background is not None
    assert audit.exposures[0].everything.exact
    assert audit.exposures[0].everything.information.value == pytest.approx(told.leakage_with_background.value)
    cells = shares.matrix[:, :, None] * GIVEN.channel.restrict(
        [(x, z) for x in shares.rows for z in shares.columns]
    ).matrix.reshape(3, 2, 3)
    seen = cells.reshape(3, -1)
    by_hand = (seen * np.log2(seen / np.outer(seen.sum(axis=1), seen.sum(axis=0)))).sum()
    assert told.leakage_with_background.value == pytest.approx(by_hand, rel=1e-9)


def test_an_audit_accuses_a_channel_that_tells_more_in_one_city(people: Table, tmp_path: Path) -> None:
    """Drawn by a channel that tells nearly everything in Bergen, beside a record that claims the honest one."""
    sharp = np.array(ROWS)
    sharp[1::2] = 0.98 * np.eye(3) + 0.02 / 3
    wrong = NamedChannel(Channel(PAIRS, ILLNESSES, sharp), GIVEN.inputs, GIVEN.outputs)
    bound = preview(ReleasePlan({"illness": wrong}, public=["city"]), people)[0]
    rows = pa.concat_tables(
        [pa.Table.from_batches([batch]) for batch in people.batches("illness", "city")]
    ).combine_chunks()
    (batch,) = rows.to_batches()
    forged = pa.Table.from_batches([bound.made(batch, Simulated(3))])
    plan = ReleasePlan({"illness": GIVEN}, public=["city"], keep_order=True)
    honest = release(plan, people, tmp_path / "out.csv", randomness=Simulated(1))
    from pyarrow import csv

    csv.write_csv(forged.set_column(0, "illness", forged.column("illness").cast(pa.string())), tmp_path / "forged.csv")
    audit = audit_release(honest, people, released=tmp_path / "forged.csv", simulation_seed=1)
    shown = audit.columns["illness"]
    assert shown is not None and shown.violated
    assert all(text.endswith("|Bergen") for text in shown.inputs)


def test_levels_given_what_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "channel.json"
    place.write_text(text_of(ChannelFile.of(GIVEN)), encoding="utf-8")
    assert read_channel(place) == GIVEN
    found = relate(place)
    assert found.given == ("city",)
    assert found.levels["local-dp"].value == pytest.approx(EPSILON, rel=1e-12)
    parts = [GIVEN.channel.restrict(PAIRS[at::2]) for at in range(2)]
    for name in ("maximal-leakage", "renyi-dp", "zcdp", "gaussian-dp", "approximate-dp", "mutual-information-dp"):
        worst = max(relate_channel(part).levels[name].value for part in parts)
        assert found.levels[name].value == pytest.approx(worst, rel=1e-9)
    assert found.capacities is not None
    least, most = found.capacities.shannon.ends
    assert least - 1e-9 <= found.levels["mutual-information-dp"].value <= most + 1e-8
    assert found.capacities.min_capacity.value == pytest.approx(found.levels["maximal-leakage"].value, rel=1e-12)
    prior = Distribution(PAIRS, [0.1, 0.05, 0.3, 0.2, 0.1, 0.25])
    shares = [prior.restrict(PAIRS[at::2]) for at in range(2)]
    alone = [relate_channel(part, share).levels for part, share in zip(parts, shares, strict=True)]
    under = relate(GIVEN, prior).levels
    mean = 0.5 * alone[0]["mutual-information"].value + 0.5 * alone[1]["mutual-information"].value
    assert under["mutual-information"].value == pytest.approx(mean, rel=1e-9)
    assert under["identifiability"].value == pytest.approx(max(one["identifiability"].value for one in alone))
    assert main(["relate", str(place)]) == 0
    assert "Levels are conditional on city" in capsys.readouterr().out
    assert audit_mechanism(str(place)).lower_bound.value == pytest.approx(EPSILON, rel=1e-9)
    with pytest.raises(OptionError, match="leave --records and --restrict out"):
        relate(place, records=2)


def test_neighbours_are_of_one_group() -> None:
    mechanism = through_channel(GIVEN.channel, compared=GIVEN.compared)
    pairs = mechanism.neighbours()
    assert all(first[1] == second[1] for first, second in pairs)
    assert {pair[0][1] for pair in pairs} == set(CITIES)
    shown = lower_bound(mechanism, LocalDP(EPSILON), randomness=Simulated(2), samples=20_000)
    assert not shown.violated
    assert shown.lower_bound.value > 0.9 * EPSILON


def test_a_channel_is_given_some_of_what_it_reads(tmp_path: Path) -> None:
    for wrong in (("age",), ("illness", "city")):
        with pytest.raises(LabelError, match="some of the columns that it reads"):
            NamedChannel(GIVEN.channel, GIVEN.inputs, GIVEN.outputs, given=wrong)
    fields = json.loads(text_of(ChannelFile.of(GIVEN))) | {"given": ["age"]}
    (tmp_path / "channel.json").write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(FileError, match="reads 'illness', 'city'"):
        read_channel(tmp_path / "channel.json")


def test_measures_refuse_what_the_channel_cannot_read(people: Table) -> None:
    with pytest.raises(OptionError, match="also reads 'city', which is neither secret nor background"):
        measure(people, Roles(("illness",)), channels=[GIVEN])
    fewer = NamedChannel(GIVEN.channel.restrict(PAIRS[:5]), GIVEN.inputs, GIVEN.outputs, PriorOrigin.PUBLIC)
    with pytest.raises(LabelError, match="no input for 1 of the 6 values of 'illness', 'city'"):
        measure(people, Roles(("illness",), background=("city",)), channels=[fewer])
    assert math.isfinite(EPSILON)
