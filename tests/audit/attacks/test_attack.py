"""All attacks on one release: their order, what files do to values, and what is refused."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.artefacts.codec import digest_of
from leakgauge.audit import ATTACKS, attack
from leakgauge.case.drawn import Drawn
from leakgauge.case.reading import read_drawn
from leakgauge.errors import ColumnError, FileError, LeakgaugeError, OptionError, TableError, VerificationError
from leakgauge.probability import Channel, Interval
from leakgauge.probability.files import NamedChannel
from leakgauge.tables import Table, open_table
from tests.audit.attacks.cases import RESPONSE, people, released

PLAN = {"illness": RESPONSE.format(epsilon=1), "salary": "laplace:epsilon=1,lower=1000,upper=3000"}


def test_every_attack_in_a_fixed_order(tmp_path: Path) -> None:
    table, told = open_table(people(500)), list[tuple[int, int]]()
    made = released(table, PLAN, tmp_path, public=["sex"])
    found = attack(made, table, background=["city"], targets=100, progress=lambda done, of: told.append((done, of)))
    assert told == [(at, len(ATTACKS)) for at in range(1, len(ATTACKS) + 1)]
    kinds = [str(one.attack).partition(",")[0] for one in found]
    assert kinds == [
        *["attribute inference"] * 4,
        "membership inference",
        "record linkage",
        "singling out",
        *["averaging"] * 10,
    ]
    assert found == attack(made.record_file, table, background=["city"], targets=100)
    assert found != attack(made.record_file, table, background=["city"], targets=100, simulation_seed=1)
    alone = attack(made, table, secret="salary", targets=100)
    assert {one.target for one in alone if str(one.attack).startswith("attribute")} == {("salary",)}
    assert all(one.knows == () for one in alone if str(one.attack).startswith("attribute"))
    assert not any("illness " in repr(one) or "city " in repr(one) for one in found)


def every_kind(rows: int = 240) -> pa.Table:
    at = np.arange(rows)
    return pa.table(
        {
            "truth": at % 3 == 0,
            "whole": at % 5,
            "digits": (at % 4).astype(str),
            "words": [["true", "false"][one % 2] for one in at.tolist()],
            "part": (at % 3) / 2,
            "day": [date(2024, 1 + one % 3, 1) for one in at.tolist()],
            "maybe": [["a", "b", None][one % 3] for one in at.tolist()],
            "age": at % 90,
            "first": [["x", "y"][one % 2] for one in at.tolist()],
            "second": at % 3,
            "few": (at % 4).astype(str),
            "size": at % 4,
        }
    )


def plan_of_every_kind() -> dict[str, str | Channel | NamedChannel]:
    ages = [Interval(0, 30), Interval(30, 60), Interval(60, 90)]
    mixed = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    pairs = [(one, other) for one in ("x", "y") for other in range(3)]
    both = NamedChannel(
        Channel(pairs, pairs, np.full((6, 6), 0.1) + 0.4 * np.eye(6)), ("first", "second"), ("first_out", "second_out")
    )
    response = RESPONSE.format(epsilon=1)
    columns: dict[str, str | Channel | NamedChannel] = dict.fromkeys(
        ("truth", "whole", "digits", "words", "part", "day", "maybe"), response
    )
    few = "subset-selection:epsilon=1,letters=this-table"
    sets = "unary-encoding:epsilon=1,letters=this-table"
    columns |= {"age": Channel(ages, ages, mixed), "first_out": both, "second_out": both}
    return {**columns, "few": few, "size": sets}


def case_in(name: str, table: Table, place: Path) -> Drawn:
    made = released(table, plan_of_every_kind(), place, name=name)
    return read_drawn(made, table, confidence=0.9, targets=100)


def test_a_release_reads_back_the_same_from_every_format(tmp_path: Path) -> None:
    table = open_table(every_kind())
    text, binary = case_in("out.csv", table, tmp_path), case_in("out.parquet", table, tmp_path)
    # One channel writes two of the columns.
    assert len(text.columns) == len(plan_of_every_kind()) - 1
    for one, other in zip(text.columns, binary.columns, strict=True):
        assert np.array_equal(one.outputs, other.outputs), one.reads
        assert len(np.unique(one.outputs, axis=0)) > 1, one.reads
        # What comes out has to do with what went in: the letters are not merely numbered.
        scores = one.law.scores(one.inputs, one.outputs)
        assert np.diag(scores).mean() > scores.mean(), one.reads


def test_what_cannot_be_attacked_is_refused_in_one_sentence(tmp_path: Path) -> None:
    table = open_table(people(100))
    made = released(table, PLAN, tmp_path, public=["sex"])
    refused: list[LeakgaugeError] = []

    def refuses(kind: type[LeakgaugeError], match: str, original: Table = table, **options: object) -> None:
        with pytest.raises(kind, match=match) as caught:
            attack(made, original, **options)  # type: ignore[arg-type]
        refused.append(caught.value)

    refuses(TableError, "has 100 rows, but the original has 90", open_table(people(90)))
    refuses(ColumnError, "no column 'ilness'; did you mean 'illness'", secret="ilness")
    refuses(ColumnError, "no column 'town'", background=["town"])
    refuses(ColumnError, "'city' is not released through a mechanism", secret="city")
    refuses(OptionError, "'sex' is released unchanged", secret="sex")
    refuses(OptionError, "'city' is named twice as background", background=["city", "city"])
    refuses(OptionError, "'illness' is named as secret and as background", secret="illness", background=["illness"])
    refuses(OptionError, "'salary' is named as background, but the release protects it", background=["salary"])
    refuses(OptionError, "confidence of 1", confidence=1.0)
    refuses(OptionError, "3 targets", targets=3)
    refuses(OptionError, "seed of -1", simulation_seed=-1)
    refuses(ColumnError, "'illness', which is not in the table", open_table(people(100).drop_columns(["illness"])))
    foreign = people(100).set_column(1, "illness", pa.array(["illness 9"] * 100))
    refuses(ColumnError, "not among the 5 inputs", open_table(foreign))
    pq.write_table(pa.table({"sex": ["f"] * 100, "illness": ["illness 9"] * 100, "salary": [1] * 100}), tmp_path / "o")
    (tmp_path / "o").rename(tmp_path / "o.parquet")
    refuses(VerificationError, "'illness' of the release has a value that", released=tmp_path / "o.parquet")
    pq.write_table(
        pa.table({"sex": ["f"] * 100, "illness": ["illness 1"] * 100, "salary": ["much"] * 100}), tmp_path / "p.parquet"
    )
    refuses(VerificationError, "'salary' of the release has a value that", released=tmp_path / "p.parquet")
    few = open_table(people(9))
    with pytest.raises(TableError, match="9 rows, too few"):
        attack(released(few, {"illness": RESPONSE.format(epsilon=1)}, tmp_path, name="few.csv"), few)
    for error in refused:
        said = str(error)
        assert said.endswith((".", "?")) and "illness 9" not in said and "much" not in said


def test_a_claim_that_was_edited_is_beaten(tmp_path: Path) -> None:
    table = open_table(people(2000))
    made = released(table, {"illness": RESPONSE.format(epsilon=3)}, tmp_path)
    fields = json.loads(made.record_file.read_text())
    fields["claims"]["illness"]["levels"]["local-dp"]["value"] = 0.5
    fields["digest"] = digest_of(fields)
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(fields))
    wanted = {"attribute inference, best guess", "attribute inference, learnt"}
    assert not any(found.beats_claim for found in attack(made, table))
    assert {str(found.attack) for found in attack(edited, table) if found.beats_claim} >= wanted


def test_nested_values_cannot_be_background(tmp_path: Path) -> None:
    table = open_table(people(100).append_column("list", pa.array([[at] for at in range(100)])))
    made = released(table, PLAN, tmp_path)
    with pytest.raises(ColumnError, match="'list' holds nested or binary values"):
        attack(made, table, background=["list"])


def test_a_record_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    table = open_table(people(100))
    made = released(table, PLAN, tmp_path)
    for broken in ("plan", "claims", "together", "output"):
        fields = {name: value for name, value in json.loads(made.record_file.read_text()).items() if name != broken}
        fields["digest"] = digest_of(fields)
        (tmp_path / "broken.json").write_text(json.dumps(fields))
        with pytest.raises(FileError, match="not a whole record"):
            attack(tmp_path / "broken.json", table)
    (tmp_path / "broken.json").write_text(made.record_file.read_text().replace('"rows": 100', '"rows": 99'))
    with pytest.raises(VerificationError, match="was changed"):
        attack(tmp_path / "broken.json", table)
