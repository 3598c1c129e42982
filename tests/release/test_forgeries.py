"""Forged records and releases: whoever forges one makes every digest fit again, and ``verify`` still says no."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from leakgauge.artefacts import Origin, Record
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import decode, digest_of, encode, text_of
from leakgauge.artefacts.record import PlannedColumn
from leakgauge.cli import main
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms.steps import LaplaceNoise
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import Release, ReleasePlan, Verification, release, verify
from leakgauge.release.guarantees import assumptions
from leakgauge.release.ledger import Ledger, Unlimited, open_ledger
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.record import file_digest, read_record
from leakgauge.tables.binnings import Calendar, CalendarUnit, Edges
from tests.release.people import opened
from tests.release.test_keep_inside import left_out

PLAN = ReleasePlan(
    {
        "illness": "randomized-response:epsilon=1,letters=flu|none|cold",
        "age": "laplace:epsilon=0.5,lower=0,upper=120",
        "income": "laplace:epsilon=0.5,lower=0,upper=5000,grid=0.25",
        "answer": "unary-encoding:epsilon=1,letters=yes|no|",
    },
    public=["city"],
)
OWN = ReleasePlan({"illness": "randomized-response:epsilon=2,letters=this-table"})
AGES = {"age": Edges((30.0, 50.0))}


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Honest releases, made once; forgers work on copies."""
    folder = tmp_path_factory.mktemp("honest")
    plans = {"o.csv": PLAN, "o.parquet": PLAN, "own.csv": OWN}
    return {name: release(plan, opened(40), folder / name) for name, plan in plans.items()}


def copied(made: Release, folder: Path) -> Release:
    """The release and its record in another folder."""
    output, record = (Path(shutil.copy(file, folder)) for file in (made.output, made.record_file))
    return replace(made, output=output, record_file=record)


def forged(made: Release, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the record and make its digests fit: its own, and that of its release."""
    fields = json.loads(made.record_file.read_text())
    change(fields)
    if made.output.exists():
        fields["output"].update(sha256=file_digest(made.output), bytes=made.output.stat().st_size)
    made.record_file.write_text(text_of({**fields, "digest": digest_of(fields)}))


def failures(found: Verification) -> dict[str, str]:
    return {str(check.name): str(check.reason) for check in found.checks if check.holds is False}


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence that the command line says no with."""
    assert main(["verify", *map(str, arguments)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "Traceback" not in said
    return said


# A ledger that counted something else.


def _swapped_entry(ledger: Ledger, made: Release, cost: Cost) -> None:
    reference = "5a11" * 8
    entry = ledger.spend("people", cost, "release", reference)
    place = {"dataset": "people", "entry": entry.sequence, "hash": entry.hash}
    forged(made, lambda fields: fields.update(reference=reference, budget={**fields["budget"], "ledger": place}))
    ledger.complete(entry, json.loads(made.record_file.read_text())["digest"])


def test_an_entry_of_another_cost_does_not_pay_for_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        made = release(OWN, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
        assert made.record.budget.epsilon.value == pytest.approx(2.0)
        verify(made.record_file, ledger=ledger).require()
        _swapped_entry(ledger, made, Cost((LaplaceNoise(0.001),)))
        found = failures(verify(made.record_file, ledger=ledger))
        assert found.pop("order of rows").endswith("restore the file written with the release.")
        assert found == {"ledger cost": "the ledger counted a different cost than the record"}
    assert "ledger counted a different cost" in refused(capsys, made.record_file, "--ledger", tmp_path / "budget")


def test_the_ledgers_entry_is_the_one_that_the_record_names(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        made = release(PLAN, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
        for name, value in {"entry": 1, "dataset": "others"}.items():
            forged(made, lambda fields, n=name, v=value: fields["budget"]["ledger"].update({n: v}))  # type: ignore[misc]
            assert "ledger entry" in failures(verify(made.record_file, ledger=ledger))


# A simulation that is said to be private.


def assumed(fields: dict[str, Any]) -> object:
    """What a record with these fields assumes, as its file has it."""
    record = decode(Record, fields, "forged")
    return encode(tuple(assumptions(record.plan, record.claims, simulated=False)))


def _said_private(fields: dict[str, Any]) -> None:
    fields["private"] = True
    fields["assumptions"] = assumed(fields)


def _without_mark(made: Release) -> None:
    csv.write_csv(csv.read_csv(made.output).drop_columns(["not_private"]), made.output)


def test_a_simulation_does_not_pass_for_private(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv", randomness=Simulated(3))
    verify(made.record_file).require()
    _without_mark(made)
    forged(made, _said_private)
    assert set(failures(verify(made.record_file))) == {"source of noise"}
    assert "a seed is neither private nor paid for" in refused(capsys, made.record_file)


def test_a_simulations_mark_says_so_in_every_row(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv", randomness=Simulated(3))
    made.output.write_text(made.output.read_text().replace("simulation", "release", 1))
    forged(made, lambda fields: None)
    assert set(failures(verify(made.record_file))) == {"values of not_private"}
    _without_mark(made)
    forged(made, lambda fields: None)
    assert set(failures(verify(made.record_file))) == {"rows and columns"}


# Released values that the mechanism never gives.


def _with(made: Release, column: str, value: object) -> None:
    """Put a value into the middle of a released column, in the file's own format."""
    parquet = made.output.suffix == ".parquet"
    texts = csv.ConvertOptions(column_types=dict.fromkeys(made.record.output.columns, pa.string()))
    table = pq.read_table(made.output) if parquet else csv.read_csv(made.output, convert_options=texts)
    at = table.column_names.index(column)
    values = table.column(at).to_pylist()
    values[len(values) // 2] = value if parquet else None if value is None else str(value)
    table = table.set_column(at, column, pa.array(values, table.schema.field(at).type))
    if parquet:
        pq.write_table(table, made.output, store_schema=False)
    else:
        csv.write_csv(table, made.output)


IMPOSSIBLE: list[tuple[str, object]] = [
    ("illness", "cancer"),
    ("illness", None),
    ("illness", ""),
    ("age", None),
    ("age", 10**9),
    ("income", 0.3),
    ("income", float("inf")),
    ("income", float("nan")),
    ("answer", "yes|maybe"),
    ("answer", "no|yes"),
    ("answer", "yes|yes"),
    ("answer", None),
]


@pytest.mark.parametrize(("column", "value"), IMPOSSIBLE)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_values_that_no_mechanism_gives(
    tmp_path: Path, releases: dict[str, Release], suffix: str, column: str, value: object
) -> None:
    made = copied(releases[f"o.{suffix}"], tmp_path)
    _with(made, column, value)
    forged(made, lambda fields: None)
    assert failures(verify(made.record_file)) == {f"values of {column}": "some are not outputs of its mechanism"}


def test_texts_where_numbers_should_be_and_the_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = release(PLAN, opened(40), tmp_path / "o.csv")
    _with(made, "age", "31.5")
    forged(made, lambda fields: None)
    assert "values of age (some are not outputs of its mechanism)" in refused(capsys, made.record_file)


def test_a_set_of_another_size(tmp_path: Path) -> None:
    plan = ReleasePlan({"illness": "subset-selection:epsilon=0.5,letters=flu|none|cold|cough|ache"})
    made = release(plan, opened(40), tmp_path / "o.csv")
    verify(made.record_file).require()
    for text in ("flu", "flu|none|cold", ""):
        _with(made, "illness", text)
        forged(made, lambda fields: None)
        assert set(failures(verify(made.record_file))) == {"values of illness"}


def test_an_output_that_no_input_leads_to_and_pairs_that_never_go_together(tmp_path: Path) -> None:
    pairs = [(i, c) for i in ("flu", "none", "cold") for c in ("Oslo", "Bergen")]
    half = [[0.5 if other[1] == own[1] and other[0] != "cold" else 0.0 for other in pairs] for own in pairs]
    joint = NamedChannel(Channel(pairs, pairs, half), ("illness", "city"), ("illness", "town"))
    made = release(ReleasePlan({"illness": joint, "town": joint}), opened(40), tmp_path / "o.parquet")
    verify(made.record_file).require()
    _with(made, "illness", "cold")
    forged(made, lambda fields: None)
    assert set(failures(verify(made.record_file))) == {"values of illness"}


def test_a_file_that_is_not_of_its_format(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.parquet")
    made.output.write_text("illness\nflu\n")
    forged(made, lambda fields: None)
    assert set(failures(verify(made.record_file))) == {"rows and columns"}
    for text in ("", '"illness"\n"flu"', "illness,illness\nflu,flu\n", 'illness\n"flu\n', "illness\nflu,none\n"):
        made = release(OWN, opened(), tmp_path / "o.csv", overwrite=True)
        made.output.write_text(text)
        forged(made, lambda fields: None)
        assert not verify(made.record_file).holds


# Letters of the table that are said to be declared.


def _said_declared(fields: dict[str, Any]) -> None:
    fields["plan"]["columns"]["illness"]["letters"] = "declared"
    fields["assumptions"] = assumed(fields)


def test_letters_of_the_table_said_to_be_declared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        made = release(OWN, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
        forged(made, _said_declared)
        assert set(failures(verify(made.record_file, ledger=ledger))) == {"ledger completion"}
        # Rewritten everywhere, nothing contradicts it; so without a ledger it is not said to hold.
        told = {str(check.name): check.holds for check in verify(made.record_file).checks}
        assert told["letters of illness"] is None
        declared = release(PLAN, opened(), tmp_path / "p.csv", ledger=ledger, dataset="people")
        told = {str(check.name): check.holds for check in verify(declared.record_file, ledger=ledger).checks}
        assert told["letters of illness"] is True
    assert "ledger completion" in refused(capsys, made.record_file, "--ledger", tmp_path / "budget")


def test_letters_that_contradict_the_rest_of_the_record(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv")
    forged(made, lambda fields: fields["plan"]["columns"]["illness"].update(letters="declared"))
    assert set(failures(verify(made.record_file))) == {"assumptions"}
    for said in ("declared by law", None):

        def change(fields: dict[str, Any], said: str | None = said) -> None:
            _said_declared(fields)
            fields["plan"]["columns"]["illness"]["letters"] = said

        forged(made, change)
        assert set(failures(verify(made.record_file))) == {"plan of illness"}


# Numbers that are said to come from elsewhere, so that everybody may see them.


@pytest.mark.parametrize(
    ("path", "check"),
    [
        (("claims", "illness", "levels", "maximal-leakage"), "claims of illness"),
        (("together", "approximate-dp"), "guarantee of all columns together"),
    ],
)
def test_an_origin_that_is_not_so_private(
    tmp_path: Path, releases: dict[str, Release], path: tuple[str, ...], check: str
) -> None:
    made = copied(releases["own.csv"], tmp_path)
    assert made.record.claims["illness"].levels["local-dp"].origin is Origin.DECLARED
    fields = json.loads(made.record_file.read_text())
    assert _group(fields, path)["origin"] == "table", "how many values there are shows in it"
    forged(made, lambda fields: _group(fields, path).update(origin="declared"))
    assert set(failures(verify(made.record_file))) == {check}


def test_what_is_said_to_be_more_private_than_it_is_does_no_harm(tmp_path: Path, releases: dict[str, Release]) -> None:
    made = copied(releases["own.csv"], tmp_path)
    forged(made, lambda fields: fields["budget"]["epsilon"].update(origin="table"))
    assert verify(made.record_file).holds


def test_a_mechanism_chosen_from_the_table_makes_every_number_the_tables(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv", chosen_from_table=True).record
    levels = [*made.claims["illness"].levels.values(), *made.together.values(), made.budget.epsilon, made.budget.rho]
    assert {level.origin for level in levels} == {Origin.TABLE}


# Templates in sentences.


@pytest.mark.parametrize("template", ["{column.__class__}", "{other}", "{column:>999999999}", "{column:d}", "{"])
def test_a_template_that_is_not_ours_is_refused(tmp_path: Path, releases: dict[str, Release], template: str) -> None:
    made = copied(releases["own.csv"], tmp_path)
    said = {"template": template, "fields": {"column": "illness"}}
    forged(made, lambda fields: fields["assumptions"].append(said))
    with pytest.raises(FileError, match="assumptions"):
        verify(made.record_file)


# Fields that no record has.


def _group(fields: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for name in path:
        fields = fields[name]
    return fields


GROUPS: list[tuple[str, ...]] = [
    (),
    ("output",),
    ("plan",),
    ("plan", "columns", "illness"),
    ("plan", "columns", "illness", "channel"),
    ("plan", "columns", "illness", "channel", "inputs"),
    ("claims", "illness"),
    ("claims", "illness", "levels", "local-dp"),
    ("claims", "illness", "levels", "local-dp", "witness"),
    ("together", "dp"),
    ("budget",),
    ("budget", "epsilon"),
]


@pytest.mark.parametrize("path", GROUPS, ids=".".join)
def test_an_unknown_field_is_named(
    tmp_path: Path, releases: dict[str, Release], capsys: pytest.CaptureFixture[str], path: tuple[str, ...]
) -> None:
    made = copied(releases["own.csv"], tmp_path)
    forged(made, lambda fields: _group(fields, path).update(certified_by="a ministry"))
    # The names of columns and notions are not those of fields.
    said = refused(capsys, made.record_file)
    assert "certified_by" in said and all(name in said for name in path if name not in ("illness", "local-dp", "dp"))
    with pytest.raises(VerificationError):
        read_record(made.record_file)


def test_every_field_that_is_written_is_known_and_the_other_way_round(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        made = release(PLAN, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
    written = json.loads(made.record_file.read_text())
    assert set(written) == {"schema", *Record.__struct_fields__}
    assert set(written["plan"]["columns"]["illness"]) == set(PlannedColumn.__struct_fields__)


def test_claims_of_a_column_that_is_not_there_and_levels_without_a_prior(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv")
    forged(made, lambda fields: fields["claims"].update(age=fields["claims"]["illness"]))
    assert "columns with claims" in failures(verify(made.record_file))
    made = release(OWN, opened(), tmp_path / "o.csv", overwrite=True)
    levels = {"mutual_information": {"value": 0.0, "unit": "bits", "low": None, "high": None, "confidence": None}}
    forged(made, lambda fields: fields["claims"]["illness"]["levels"].update(levels))
    assert "claims of illness" in failures(verify(made.record_file))


def test_what_an_earlier_version_proved_still_verifies(tmp_path: Path, releases: dict[str, Release]) -> None:
    """Bounds get tighter and notions are added: an earlier record is not false for that. A smaller level is."""

    def checked(change: Callable[[dict[str, Any], dict[str, Any]], object]) -> set[str]:
        made = copied(releases["o.csv"], tmp_path)

        def forge(fields: dict[str, Any]) -> None:
            change(*(fields["claims"][name]["levels"] for name in ("illness", "age")))

        forged(made, forge)
        return set(failures(verify(made.record_file)))

    def earlier(illness: dict[str, Any], age: dict[str, Any]) -> None:
        del illness["total-variation"], age["total-variation"]
        told = illness["mutual-information-dp"]
        told.update(value=told["value"] * 1.5, low=None, high=None, confidence=None)
        age["maximal-leakage"]["value"] *= 1.1

    assert checked(earlier) == set()
    assert checked(lambda illness, age: illness.pop("zcdp")) == {"claims of illness"}
    assert checked(lambda illness, age: age["maximal-leakage"].update(value=0.1)) == {"claims of age"}
    assert checked(lambda illness, age: illness["mutual-information-dp"].update(value=0.01)) == {"claims of illness"}
    assert checked(lambda illness, age: illness["local-dp"].update(value=2.0)) == {"claims of illness"}


def test_a_record_that_two_readers_read_differently(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv")
    text = made.record_file.read_text()
    made.record_file.write_text(text.replace('"private": true,', '"private": false,\n  "private": true,'))
    with pytest.raises(FileError, match="names a key twice"):
        verify(made.record_file)
    for number in ("NaN", "1e999"):
        made.record_file.write_text(text.replace('"rows": 12', f'"rows": {number}'))
        with pytest.raises(FileError, match="not finite"):
            verify(made.record_file)


# A path to any file.


@pytest.mark.parametrize("path", ["{home}/secret.csv", "../secret.csv", "below/../../secret.csv", "link.csv", ".", ""])
def test_a_record_leads_to_no_file_but_those_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    (tmp_path / "secret.csv").write_text("illness\nflu\n")
    folder = tmp_path / "released"
    folder.mkdir()
    (folder / "below").mkdir()
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    made = release(OWN, opened(), folder / "o.csv")
    forged(made, lambda fields: fields["output"].update(file=path.format(home=tmp_path)))
    assert "is not in the record's folder" in refused(capsys, made.record_file)
    assert main(["audit", str(made.record_file), "--original", str(tmp_path / "secret.csv")]) == 1
    assert "is not in the record's folder" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["channel:file={home}/channel.json", "{home}/channel.json"])
def test_a_record_reads_no_channel_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    channel = Channel.identity(["flu", "none", "cold"])
    file = tmp_path / "channel.json"
    file.write_text(text_of(ChannelFile.of(NamedChannel(channel, ("illness",), ("illness",)))))
    made = release(ReleasePlan({"illness": channel}), opened(), tmp_path / "o.csv")
    there = {"mechanism": text.format(home=tmp_path), "channel": None}
    forged(made, lambda fields: fields["plan"]["columns"]["illness"].update(there))
    assert "neither a channel nor a known mechanism" in refused(capsys, made.record_file)


def test_a_release_below_its_record_is_found_and_one_elsewhere_is_named(tmp_path: Path) -> None:
    for name in ("records/below", "tables"):
        (tmp_path / name).mkdir(parents=True)
    below = release(OWN, opened(), tmp_path / "records/below/o.csv", record=tmp_path / "records/b.json")
    assert below.record.output.file == "below/o.csv" and verify(below.record_file).holds
    beside = release(OWN, opened(), tmp_path / "tables/o.csv", record=tmp_path / "records/t.json")
    # How folders outside are called is nobody's business.
    assert beside.record.output.file == "o.csv" and "tables/" not in beside.record_file.read_text()
    assert "release" in failures(verify(beside.record_file))
    assert verify(beside.record_file, released=beside.output).holds


# The plan of a record, written down again, is the same.


def _prior_of_channel(column: dict[str, Any]) -> None:
    column["channel_prior"] = "public"


def _epsilon_in_words(column: dict[str, Any]) -> None:
    column["mechanism"] = column["mechanism"].replace("epsilon=2", "epsilon=0.1")


def _reads(column: dict[str, Any]) -> None:
    column["reads"] = ["city"]


def _answers(column: dict[str, Any]) -> None:
    column.update(mechanism="exponential:epsilon=2,sensitivity=1", channel=None)


@pytest.mark.parametrize("change", [_prior_of_channel, _epsilon_in_words, _reads, _answers])
def test_a_plan_that_contradicts_itself(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv")
    forged(made, lambda fields: change(fields["plan"]["columns"]["illness"]))
    assert (
        set(failures(verify(made.record_file))) <= {"plan of illness", "record"} and not verify(made.record_file).holds
    )


# What is between the lines of a public record, and bins.


def public_forged(made: Release, change: Callable[[dict[str, Any]], None]) -> Verification:
    """The public record changed, its digest made to fit, and what verify says of it."""
    fields = json.loads(made.public_record_file.read_text())
    change(fields)
    fields["digest"] = digest_of(fields)
    made.public_record_file.write_text(text_of(fields))
    return verify(made.public_record_file)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda fields: fields["plan"]["columns"]["illness"].update(epsilon=0.1), "plan of illness"),
        (lambda fields: fields.update(left_out=[]), "what is left out"),
        (lambda fields: fields["left_out"].append("a veto against the release"), "what is left out"),
    ],
)
def test_a_public_record_that_says_more_or_less_than_it_may(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], check: str
) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv")
    assert verify(made.public_record_file).holds
    assert set(failures(public_forged(made, change))) == {check}


def test_a_mechanism_chosen_from_the_table_is_not_in_the_public_record(tmp_path: Path) -> None:
    made = release(OWN, opened(), tmp_path / "o.csv", chosen_from_table=True)
    text = made.public_record_file.read_text()
    assert "randomized-response" not in text and "nats" not in text
    assert {"mechanism of illness", "claims of illness"} <= left_out(made)
    assert verify(made.public_record_file).holds
    column = {"epsilon": 0.1}
    forged_record = public_forged(made, lambda fields: fields["plan"]["columns"]["illness"].update(column))
    assert set(failures(forged_record)) == {"plan of illness"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_public_columns_in_bins_are_held_to_their_edges(tmp_path: Path, form: str) -> None:
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|none|cold"}, public=["age"], bins=AGES)
    made = release(plan, opened(), tmp_path / f"o.{form}")
    assert verify(made.record_file).holds and verify(made.public_record_file).holds
    moved = {"binning": "edges:1,2"}
    assert set(failures(public_forged(made, lambda fields: fields["plan"]["bins"]["age"].update(moved)))) == {
        "bins of age"
    }
    forged(made, lambda fields: fields["plan"]["bins"]["age"].update(moved))
    assert set(failures(verify(made.record_file))) == {"bins of age"}


def test_bins_whose_labels_are_not_compared_are_not_said_to_hold(tmp_path: Path) -> None:
    seen = {"seen": Calendar(CalendarUnit.MONTH)}
    made = release(ReleasePlan(OWN.columns, public=["seen"], bins=seen), opened(), tmp_path / "o.csv")
    for record in (made.record_file, made.public_record_file):
        found = verify(record)
        assert found.holds
        assert [check.holds for check in found.checks if str(check.name) == "bins of seen"] == [None]


# What is in a file or a record beside its values and its promises.


def _rewritten(made: Release, change: Callable[[str], str]) -> Verification:
    """The file with other signs and the same values, every digest made to fit."""
    text = made.output.read_text()
    changed = change(text)
    assert changed != text
    made.output.write_bytes(changed.encode())
    forged(made, lambda fields: None)
    return verify(made.record_file)


def _of_a_row(text: str, change: Callable[[str], str]) -> str:
    """The text with the third row changed."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:3], change(lines[3]), *lines[4:]])


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda row: re.sub(r"^(-?)(\d+),", r"\g<1>00\2,", row), "values of age"),
        (lambda row: re.sub(r"^(-?\d+),", r'"\1",', row), "form of the file"),
        (lambda row: row.replace('"', ""), "form of the file"),
        (lambda row: row.replace("\n", "\r\n"), "form of the file"),
    ],
)
def test_signs_between_the_values_of_a_row_could_carry_anything(
    tmp_path: Path, releases: dict[str, Release], change: Callable[[str], str], check: str
) -> None:
    made = copied(releases["o.csv"], tmp_path)
    found = _rewritten(made, lambda text: _of_a_row(text, change))
    assert check in failures(found)


@pytest.mark.parametrize("text", ["07", "+7", "7.0", " 7", "7e0", "7 ", "seven"])
def test_a_public_number_is_written_in_one_way(tmp_path: Path, text: str) -> None:
    plan = ReleasePlan(OWN.columns, public=["age", "income", "answer", "seen"])
    made = release(plan, opened(40), tmp_path / "o.csv")
    assert verify(made.record_file).holds
    found = _rewritten(made, lambda content: _of_a_row(content, lambda row: re.sub(r"^\d+,", f"{text},", row)))
    assert set(failures(found)) == {"form of the file"}


def test_zeros_and_digits_of_noisy_numbers_that_change_nothing(tmp_path: Path, releases: dict[str, Release]) -> None:
    for spelled in ("{}0", "0{}", "{}00000000000000001", "-0"):
        made = copied(releases["o.csv"], tmp_path)

        def change(row: str, spelled: str = spelled) -> str:
            age, _, rest = row.partition(",")
            return f"{age},{spelled.format('12.25')},{rest.partition(',')[2]}"

        assert "values of income" in failures(_rewritten(made, lambda text: _of_a_row(text, change)))
    made = copied(releases["o.parquet"], tmp_path)
    _with(made, "income", -0.0)
    forged(made, lambda fields: None)
    assert set(failures(verify(made.record_file))) == {"values of income"}


def _noted(table: pa.Table, place: Path) -> None:
    pq.write_table(table.replace_schema_metadata({"note": "everybody's illness"}), place)


def _noted_in_a_column(table: pa.Table, place: Path) -> None:
    field = table.schema.field("city").with_metadata({"note": "everybody's illness"})
    schema = table.schema.set(table.schema.get_field_index("city"), field)
    pq.write_table(table.cast(schema), place)


def _in_a_dictionary(table: pa.Table, place: Path) -> None:
    at, values = table.schema.get_field_index("city"), table.column("city").combine_chunks()
    kept = pa.DictionaryArray.from_arrays(
        values.dictionary_encode().indices, [*values.unique().to_pylist(), "everybody's illness"]
    )
    pq.write_table(table.set_column(at, "city", kept), place, store_schema=False)


def _between_the_columns(table: pa.Table, place: Path) -> None:
    pq.write_table(table, place, store_schema=False)
    content, kept = place.read_bytes(), pq.read_metadata(place).serialized_size + 8
    place.write_bytes(content[:-kept] + b"everybody's illness" + content[-kept:])


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (_noted, "texts that a release does not have"),
        (_noted_in_a_column, "texts that a release does not have"),
        (_between_the_columns, "texts that a release does not have"),
        (_in_a_dictionary, "values that none of its rows shows"),
    ],
)
def test_texts_of_a_parquet_file_that_belong_to_no_row(
    tmp_path: Path, releases: dict[str, Release], write: Callable[[pa.Table, Path], None], reason: str
) -> None:
    made = copied(releases["o.parquet"], tmp_path)
    write(pq.read_table(made.output), made.output)
    forged(made, lambda fields: None)
    found = failures(verify(made.record_file))
    assert set(found) == {"form of the file"} and reason in found["form of the file"]


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields["versions"].update(leakgauge="1.0, audited by a ministry"),
        lambda fields: fields["versions"].update(office="1.0"),
        lambda fields: fields["versions"].pop("python"),
        lambda fields: fields.update(reference="everybody's illness"),
        lambda fields: fields.update(created="on a Friday"),
        lambda fields: fields["budget"].update(ledger={"dataset": "p", "entry": 1, "hash": "a" * 64}),
        lambda fields: fields["budget"].update(ledger={"dataset": "p", "entry": 2, "hash": "none"}),
        lambda fields: fields["budget"].update(ledger={"dataset": "a\nb", "entry": 2, "hash": "a" * 64}),
    ],
)
def test_fields_that_nothing_follows_from_have_the_form_of_a_release(
    tmp_path: Path, releases: dict[str, Release], change: Callable[[dict[str, Any]], None]
) -> None:
    made = copied(releases["own.csv"], tmp_path)
    forged(made, change)
    assert set(failures(verify(made.record_file))) == {"form of the record"}


def test_versions_and_ledger_places_that_were_invented_are_not_said_to_hold(tmp_path: Path) -> None:
    """In the form of a release, nothing contradicts them without a ledger or a signature."""
    made = release(OWN, opened(), tmp_path / "o.csv")

    def told(record: Path, ledger: Ledger | None = None) -> dict[str, bool | None]:
        return {str(check.name): check.holds for check in verify(record, ledger=ledger).checks}

    def invent(fields: dict[str, Any]) -> None:
        fields["versions"].update(leakgauge="9.9")
        fields["budget"].update(ledger={"dataset": "people", "entry": 7, "hash": "a" * 64})

    forged(made, invent)
    found = told(made.record_file)
    assert found["versions and time"] is None and found["ledger"] is None
    # A public record that was counted says that it leaves the hash out.
    place = {"dataset": "people", "entry": 7}
    forged_record = public_forged(made, lambda fields: fields["budget"].update(ledger=place))
    assert set(failures(forged_record)) == {"what is left out"}
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        assert told(made.record_file, ledger)["ledger"] is False
        honest = release(OWN, opened(), tmp_path / "p.csv", ledger=ledger, dataset="people")
        assert told(honest.record_file, ledger)["versions and time"] is True


def test_a_column_without_claims_is_named(tmp_path: Path, releases: dict[str, Release]) -> None:
    made = copied(releases["o.csv"], tmp_path)
    forged(made, lambda fields: fields["claims"].clear())
    with pytest.raises(FileError, match=r"is not a whole record: '.*' is missing or malformed"):
        verify(made.record_file)
