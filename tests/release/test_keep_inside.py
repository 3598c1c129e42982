"""What follows from private counts: it is marked in files and records, and the public record leaves it out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from leakgauge.artefacts import PublicRecord
from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import digest_of, encode, text_of
from leakgauge.cli import main
from leakgauge.errors import ColumnError, FileError, OptionError
from leakgauge.mechanisms import randomized_response
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import Prior, Release, ReleasePlan, read_plan, read_record, release, verify
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.release.priors import own_prior
from leakgauge.release.record import read_any_record
from leakgauge.tables import Table, open_table

LETTERS = ["flu", "none", "cold", "asthma"]
COUNTS = (93, 7, 400, 500)
HAND_MADE = Channel(LETTERS, LETTERS, np.full((4, 4), 0.1) + 0.6 * np.eye(4))
OWN = "randomized-response:epsilon=1,letters=this-table"


def people(counts: tuple[int, ...] = COUNTS) -> Table:
    return open_table(pa.table({"illness": np.repeat(LETTERS, counts).tolist()}))


def designed(folder: Path, counts: tuple[int, ...] = COUNTS) -> Path:
    """The channel file that ``design`` writes for a table with these counts."""
    folder.mkdir(exist_ok=True)
    lines = [letter for letter, count in zip(LETTERS, counts, strict=True) for _ in range(count)]
    (folder / "people.csv").write_text("illness\n" + "\n".join(lines) + "\n")
    table, channel = str(folder / "people.csv"), folder / "channel.json"
    # So little distortion that every value is still released.
    assert main(["design", table, "--secret", "illness", "--max-distortion", "0.002", "-o", str(channel)]) == 0
    return channel


def released(folder: Path, counts: tuple[int, ...] = COUNTS) -> Release:
    plan = ReleasePlan({"illness": read_channel(designed(folder, counts))})
    return release(plan, people(counts), folder / "out.csv", randomness=Simulated(4711))


def solved(channel: dict[str, Any], rows: int) -> npt.NDArray[np.float64]:
    """The counts of the table that a least leaking channel was designed from: q ∝ W off the diagonal, and q = pᵀW."""
    matrix = np.array(channel["matrix"])
    order = [channel["outputs"]["labels"].index(one) for one in channel["inputs"]["labels"]]
    matrix = matrix[:, order]
    # Off the diagonal a cell is the share of the output, up to the row's own factor: shares relative to letter 0.
    shares = np.ones(len(matrix))
    for y in range(1, len(matrix)):
        x = next(at for at in range(len(matrix)) if at not in (0, y))
        shares[y] = matrix[x, y] / matrix[x, 0]
    return np.linalg.solve(matrix.T, shares / shares.sum()) * rows


def by_letter(channel: dict[str, Any], rows: int) -> dict[str, int]:
    counts = solved(channel, rows)
    assert np.abs(counts - counts.round()).max() < 1e-3
    return {one[0]: int(n) for one, n in zip(channel["inputs"]["labels"], counts.round(), strict=True)}


def numbers(data: Any) -> Iterator[float]:
    """Every number in a file, wherever it stands."""
    if isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from numbers(one)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield data


def test_the_exact_counts_follow_from_channel_file_and_record_and_both_say_so(tmp_path: Path) -> None:
    made, wanted = released(tmp_path), dict(zip(LETTERS, COUNTS, strict=True))
    channel = json.loads((tmp_path / "channel.json").read_text())
    record = json.loads(made.record_file.read_text())
    # The attack, on what is told to be kept inside: every count, to the row.
    assert by_letter(channel, sum(COUNTS)) == wanted
    assert by_letter(record["plan"]["columns"]["illness"]["channel"], record["rows"]) == wanted
    assert channel["keep_inside"] is True
    assert record["keep_inside"] is True
    assert any("Keep this record inside" in json.dumps(said) for said in record["assumptions"])


def test_the_public_record_has_no_number_that_follows_from_the_counts(tmp_path: Path) -> None:
    made = released(tmp_path)
    public = json.loads(made.public_record_file.read_text())
    assert public["keep_inside"] is False
    column = public["plan"]["columns"]["illness"]
    assert column["channel"] is None and column["channel_prior"] == "this table" and public["claims"]["illness"] is None
    # All the numbers there are: those of the released file.
    declared = public["plan"]["rows_per_unit"]
    assert sorted(numbers(public)) == sorted([declared, public["rows"], public["output"]["bytes"]])
    record = made.record_file.read_text()
    for private in ("digest", "simulation_seed"):
        assert str(json.loads(record)[private]) not in [str(value) for value in texts(public)]


def texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from texts(one)
    else:
        yield str(data)


def test_public_records_of_tables_with_other_counts_are_the_same(tmp_path: Path) -> None:
    both = [
        json.loads(released(tmp_path / name, counts).public_record_file.read_text())
        for name, counts in (("a", COUNTS), ("b", (94, 6, 390, 510)))
    ]
    for public in both:
        # Of the released file, which everybody has, and of the moment.
        for field in ("bytes", "sha256"):
            del public["output"][field]
        for field in ("reference", "created", "digest"):
            del public[field]
    assert both[0] == both[1]


@pytest.mark.parametrize(
    ("origin", "shareable"),
    [
        (PriorOrigin.PUBLIC, True),
        (PriorOrigin.NOISY_HISTOGRAM, True),
        (PriorOrigin.THIS_TABLE, False),
        (PriorOrigin.ANOTHER_TABLE, False),
        # Nothing says that such a channel was not designed from the table.
        (None, False),
    ],
)
def test_the_origin_decides_what_is_shareable(tmp_path: Path, origin: PriorOrigin | None, shareable: bool) -> None:
    plan = ReleasePlan({"illness": NamedChannel(HAND_MADE, ("illness",), ("illness",), origin)})
    made = release(plan, people(), tmp_path / "out.csv")
    public = json.loads(made.public_record_file.read_text())
    assert made.record.keep_inside is not shareable
    assert (public["plan"]["columns"]["illness"]["channel"] is not None) is shareable
    assert (public["claims"]["illness"] is not None) is shareable
    assert (public["together"] is not None) is (public["budget"] is not None) is shareable
    for record in (made.record_file, made.public_record_file):
        verify(record).require()


def test_levels_under_a_private_prior_are_left_out_and_the_others_stay(tmp_path: Path) -> None:
    public_channel = NamedChannel(HAND_MADE, ("illness",), ("illness",), PriorOrigin.PUBLIC)
    table = people()
    priors = {"a": own_prior(table, ("illness",), HAND_MADE), "b": Prior(Distribution(LETTERS, [0.25] * 4))}
    for name, prior in priors.items():
        plan = ReleasePlan({"illness": public_channel})
        made = release(plan, table, tmp_path / f"{name}.csv", priors={"illness": prior})
        claims = json.loads(made.public_record_file.read_text())["claims"]["illness"]
        assert claims["levels"]["local-dp"] == encode(made.record.claims["illness"].levels["local-dp"])
        assert ("mutual-information" in claims["levels"]) is (name == "b")
        assert made.record.keep_inside is (name == "a")
        verify(made.public_record_file).require()


@pytest.mark.parametrize("mechanism", ["randomized-response", "unary-encoding", "subset-selection"])
def test_letters_of_the_table_are_left_out_and_the_declared_budget_stays(tmp_path: Path, mechanism: str) -> None:
    plan = ReleasePlan({"illness": f"{mechanism}:epsilon=1,letters=this-table"})
    ledger = open_ledger(tmp_path / "budget", create=True)
    ledger.open_account("people", Unlimited())
    made = release(
        plan, people(), tmp_path / "out.csv", ledger=ledger, dataset="people", priors={}, record=tmp_path / "r.json"
    )
    text = made.public_record_file.read_text()
    assert not any(letter in text for letter in LETTERS)
    public = json.loads(text)
    assert public["plan"]["columns"]["illness"]["mechanism"] == f"{mechanism}:epsilon=1"
    assert public["claims"]["illness"]["levels"]["local-dp"]["value"] == 1.0
    assert public["budget"]["epsilon"]["value"] == 1.0
    assert public["budget"]["ledger"] == {"dataset": "people", "entry": 2}
    assert made.record.keep_inside is False
    assert {"letters of illness", "hash of the ledger", "digest of the record"} <= left_out(made)
    verify(made.public_record_file).require()


def test_a_prior_that_was_bought_is_in_the_public_budget(tmp_path: Path) -> None:
    plans = {
        "a": ReleasePlan({"illness": OWN}),
        "b": ReleasePlan({"illness": randomized_response(1.0, letters=LETTERS)}),
    }
    for name, plan in plans.items():
        made = release(plan, people(), tmp_path / f"{name}.csv", priors={"illness": 0.5})
        public = json.loads(made.public_record_file.read_text())
        assert public["budget"]["epsilon"]["value"] == pytest.approx(1.5)
        assert public["claims"]["illness"]["prior"] == "noisy histogram"
        verify(made.public_record_file).require()


def test_verify_says_what_a_public_record_leaves_unchecked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = released(tmp_path)
    found = verify(made.public_record_file)
    assert found.holds
    outcome = {str(check.name): check.holds for check in found.checks}
    assert outcome["release"] and outcome["rows and columns"] and outcome["record"]
    for name in ("channel of illness", "claims of illness", "together", "budget", "ledger"):
        assert outcome[name] is None, name
    capsys.readouterr()
    assert main(["verify", str(made.public_record_file)]) == 0
    assert "the public record leaves it out" in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.update(keep_inside=True),
        lambda fields: fields["output"].update(sha256="0" * 64),
        lambda fields: fields["claims"]["age"]["levels"]["local-dp"].update(value=0.1),
        lambda fields: fields.update(together=made_up()),
        lambda fields: fields.update(assumptions=["The whole table is protected."]),
        lambda fields: fields["plan"].update(public=["illness"]),
    ],
)
def test_an_edited_public_record_does_not_hold(tmp_path: Path, change: Any) -> None:
    table = open_table(pa.table({"illness": LETTERS * 5, "age": list(range(20))}))
    plan = ReleasePlan({"illness": HAND_MADE, "age": "laplace:epsilon=1,lower=0,upper=120"})
    made = release(plan, table, tmp_path / "out.csv")
    verify(made.public_record_file).require()
    fields = json.loads(made.public_record_file.read_text())
    change(fields)
    fields["digest"] = digest_of(fields)
    made.public_record_file.write_text(text_of(fields))
    assert not verify(made.public_record_file).holds


def left_out(made: Release) -> set[str]:
    record = read_any_record(made.public_record_file)
    assert isinstance(record, PublicRecord)
    return set(map(str, record.left_out))


def made_up() -> dict[str, Any]:
    return {"dp": {"value": 0.1, "unit": "nats", "low": None, "high": None, "confidence": None, "method": "exact"}}


def test_a_public_record_cannot_stand_for_the_record(tmp_path: Path) -> None:
    made = released(tmp_path)
    with pytest.raises(FileError, match="public-release"):
        read_record(made.public_record_file)


def test_files_that_contradict_themselves_or_take_one_place_are_refused(tmp_path: Path) -> None:
    fields = encode(ChannelFile.of(NamedChannel(HAND_MADE, ("illness",), ("illness",), PriorOrigin.THIS_TABLE)))
    for told in ({"keep_inside": False}, {"prior_origin": "public"}, {"prior_origin": None}):
        (tmp_path / "channel.json").write_text(json.dumps({**fields, **told}))
        with pytest.raises(FileError, match="do not agree"):
            read_channel(tmp_path / "channel.json")
    with pytest.raises(OptionError, match="two files"):
        release(ReleasePlan({"illness": OWN}), people(), tmp_path / "o.csv", record=tmp_path / "o.csv.public.json")


def test_screens_say_what_is_kept_inside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    channel = designed(tmp_path)
    assert "Keep channel.json private" in capsys.readouterr().out
    (tmp_path / "plan.toml").write_text('[columns]\nillness = "channel.json"\n')
    out = tmp_path / "out.csv"
    arguments = ["release", str(tmp_path / "people.csv"), "--plan", str(tmp_path / "plan.toml"), "-o", str(out)]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "To hand out: out.csv, out.csv.public.json" in said and "Keep this record inside" in said
    assert main([*arguments[:4], "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keep_inside"] is True
    assert main(["design", str(tmp_path / "people.csv"), "--secret", "illness", "--slope", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keep_inside"] is True
    assert channel.exists()


def test_what_a_record_declares_does_not_show_how_many_letters_there_are(tmp_path: Path) -> None:
    told = set()
    for letters in (2, 3, 4, 7):
        table = open_table(pa.table({"illness": [str(at % letters) for at in range(100)]}))
        made = release(ReleasePlan({"illness": OWN}), table, tmp_path / f"{letters}.csv", randomness=Simulated(1))
        record = made.record
        quantities = {**record.claims["illness"].levels, **record.together, "spent": record.budget.epsilon}
        told.add(frozenset((name, one.value) for name, one in quantities.items() if one.origin.is_shareable))
    assert len(told) == 1


def test_letters_of_another_table_are_as_private_as_those_of_this_one(tmp_path: Path) -> None:
    mechanism = "randomized-response:epsilon=1,letters=asthma|cold|flu|none"
    (tmp_path / "plan.toml").write_text(f'from_another_table = ["illness"]\n[columns]\nillness = "{mechanism}"\n')
    plan = read_plan(tmp_path / "plan.toml")
    own, other = (
        release(how, people(), tmp_path / f"{at}.csv", randomness=Simulated(1))
        for at, how in enumerate((ReleasePlan({"illness": OWN}), plan))
    )
    assert [one.record.plan.columns["illness"].letters for one in (own, other)] == ["this table", "another table"]
    assert own.record.claims == other.record.claims and own.record.together == other.record.together
    assert own.public_record is not None and other.public_record is not None
    assert own.public_record.left_out == other.public_record.left_out
    assert all(verify(place).holds for place in (other.record_file, other.public_record_file))
    # Letters of this table are all known; those of another one need not be.
    with pytest.raises(ColumnError, match="not among the 4 inputs"):
        release(plan, open_table(pa.table({"illness": ["gout", "flu"]})), tmp_path / "new.csv")
