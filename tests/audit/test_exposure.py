"""What everything that leaves tells of a secret: found where it is, bracketed where it cannot be counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Audit
from leakgauge.artefacts.codec import decode, encode, read, write
from leakgauge.case.exposure import exposure
from leakgauge.errors import ColumnError, OptionError
from leakgauge.jobs.audit import audit_release
from leakgauge.measures import estimate, leakage_with_background, mutual_information
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from tests.audit.attacks.cases import RESPONSE, case_of, people, released

SHARED = {"kind": RESPONSE.format(epsilon=1)}


def vehicles(rows: int = 10_000, plates: int = 1_000) -> pa.Table:
    """Plates with ten rows each, whose owner's kind is one of seven; a colour and a height that tell nothing."""
    draws = simulation(3)
    plate = draws.permutation(np.arange(rows) % plates)
    kind = draws.integers(7, size=plates)[plate]
    return pa.table(
        {
            "plate": [f"plate {at}" for at in plate.tolist()],
            "kind": [f"kind {at}" for at in kind.tolist()],
            "colour": [f"colour {at}" for at in draws.integers(12, size=rows).tolist()],
            "height": draws.normal(size=rows),
        }
    )


def test_a_column_of_many_values_that_determines_the_secret_is_found(tmp_path: Path) -> None:
    drawn = case_of(vehicles(), SHARED, tmp_path, public=["plate", "colour", "height"])
    (secret,) = drawn.secrets
    found = exposure(drawn, secret)
    most = found.entropy.value
    assert most == pytest.approx(np.log2(7), abs=0.01)
    for bracket in (found.plain, found.everything):
        assert bracket.success.value >= 0.99
        assert not bracket.exact and bracket.information.ends[0] >= 0.98 * most
        assert bracket.information.value == bracket.information.ends[1] >= most, "the unfavourable end"
    assert found.known.information.ends == (0.0, 0.0) and found.known.success.value < 0.2
    alone = {one.columns: one for one in found.columns}
    assert alone["plate",].information.ends[0] >= 0.98 * most and not alone["plate",].exact
    assert alone["colour",].exact and alone["colour",].information.ends[1] < 0.01
    assert alone["kind",].roles == ("own",) and alone["kind",].exact
    assert not alone["height",].exact and alone["height",].information.ends[0] == 0
    assert {"plate"} <= {name for pair in found.pairs for name in pair.columns}


def test_a_column_that_is_not_released_changes_nothing(tmp_path: Path) -> None:
    table = vehicles()
    with_it = case_of(table, SHARED, tmp_path, public=["colour"])
    without = case_of(table.drop_columns(["plate"]), SHARED, tmp_path, public=["colour"])
    beside = case_of(table, SHARED, tmp_path, public=["colour"], withheld=["plate"])
    found = exposure(with_it, with_it.secrets[0])
    assert found == exposure(without, without.secrets[0]) == exposure(beside, beside.secrets[0])
    assert found.plain.exact and found.everything.exact and found.plain.success.value < 0.2


def test_a_secret_that_is_withheld_is_told_on_by_what_leaves(tmp_path: Path) -> None:
    plan = {"colour": RESPONSE.format(epsilon=1)}
    drawn = case_of(vehicles(), plan, tmp_path, public=["plate"], withheld=["kind"])
    colour, kind = (exposure(drawn, secret) for secret in drawn.secrets)
    assert (colour.secret, kind.secret) == (("colour",), ("kind",))
    assert kind.everything == kind.plain and kind.plain.success.value >= 0.99
    assert [one.roles for one in kind.columns] == [("public",), ("protected",)]
    table = open_table(vehicles())
    audit = audit_release(released(table, plan, tmp_path, public=["plate"]), table, withheld=["kind"], targets=100)
    (learnt,) = [one for one in audit.attacks if one.target == ("kind",)]
    assert learnt.success.value >= 0.99 and learnt.baseline.value < 0.2 and learnt.ceiling is None
    assert not audit.violated, "a public column that tells accuses no mechanism"


def test_small_alphabets_are_exact_as_measured(tmp_path: Path) -> None:
    table = people(8000)
    plan = {"illness": RESPONSE.format(epsilon=2)}
    drawn = case_of(table, plan, tmp_path, public=["sex"], background=["city"])
    found = exposure(drawn, drawn.secrets[0])
    counts = open_table(table).counts("illness", "city", "sex")
    channel = randomized_response(2.0, letters=counts.labels("illness")).channel()
    known = estimate(mutual_information, counts.keep("illness", "city"), ["illness"], ["city"])
    both = estimate(leakage_with_background, counts, ["illness"], [], ["city", "sex"], channel=channel)
    for bracket, expected in ((found.known, known), (found.everything, both)):
        assert bracket.exact and bracket.information.value == pytest.approx(expected.value)
        assert bracket.information.ends == pytest.approx((expected.low, expected.high))
    assert found.known.success.value < found.everything.success.value
    # Through noise that is not a finite channel, at most ε tanh(ε/2) nats beside what else is seen.
    noisy = case_of(table, {"salary": "laplace:epsilon=1,lower=1000,upper=3000"}, tmp_path, background=["city"])
    found = exposure(noisy, noisy.secrets[0])
    added = found.everything.information.ends[1] - found.plain.information.ends[1]
    assert not found.everything.exact and added == pytest.approx(np.tanh(0.5) / np.log(2))


def test_a_column_tells_no_more_than_it_has(tmp_path: Path) -> None:
    draws = simulation(6)
    value = draws.integers(900, size=4000)
    table = pa.table({"value": [f"v{at}" for at in value.tolist()], "odd": (value % 2 == 1).tolist()})
    drawn = case_of(table, {"value": RESPONSE.format(epsilon=1)}, tmp_path, public=["odd"])
    alone = exposure(drawn, drawn.secrets[0]).columns[0]
    assert not alone.exact and alone.information.ends[1] == pytest.approx(1, abs=0.01)


def test_rows_of_one_person_are_not_taken_for_many_people(tmp_path: Path) -> None:
    rows = pa.concat_tables([people(400)] * 10)
    rows = rows.append_column("person", pa.array([at % 400 for at in range(rows.num_rows)]))
    plan = {"illness": RESPONSE.format(epsilon=1)}
    alone = case_of(rows, plan, tmp_path, background=["city"])
    grouped = case_of(rows, plan, tmp_path, background=["city"], unit="person")
    first, second = (exposure(drawn, drawn.secrets[0]) for drawn in (alone, grouped))
    narrow, wide = first.known.information.ends, second.known.information.ends
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])
    assert [one.columns for one in second.columns] == [("city",), ("illness",)], "a unit is never seen"


def test_exposures_are_stored_with_the_audit_and_old_files_are_read(tmp_path: Path) -> None:
    table = open_table(people(600))
    told = list[tuple[int, int]]()
    made = released(table, {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["sex"])
    audit = audit_release(made, table, targets=100, progress=lambda done, of: told.append((done, of)))
    assert told == [(at, told[-1][1]) for at in range(1, told[-1][1] + 1)]
    write(tmp_path / "audit.json", audit)
    assert read(Audit, tmp_path / "audit.json") == audit and len(audit.exposures) == 1
    assert "illness 1" not in (tmp_path / "audit.json").read_text()
    fields = {name: value for name, value in encode(audit).items() if name != "exposures"}
    assert decode(Audit, fields, "audit.json").exposures == ()


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    table = people(100)
    plan = {"illness": RESPONSE.format(epsilon=1)}
    with pytest.raises(ColumnError, match="no column 'persom'"):
        case_of(table, plan, tmp_path, unit="persom")
    with pytest.raises(OptionError, match="'sex' is released unchanged"):
        case_of(table, plan, tmp_path, public=["sex"], withheld=["sex"])
    with pytest.raises(OptionError, match="named as withheld, but the release contains it"):
        case_of(table, plan, tmp_path, withheld=["illness"])
    with pytest.raises(OptionError, match="'city' is named as secret and as background"):
        case_of(table, plan, tmp_path, withheld=["city"], background=["city"])
    with pytest.raises(OptionError, match="'city' is named twice"):
        case_of(table, plan, tmp_path, withheld=["city", "city"])
