"""The kit's recipes, which say what the library says, and its dictionary and metadata, which say only public facts."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import csv as arrow

import leakgauge as lg
from leakgauge.artefacts import PublicRecord
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.estimates import Estimated, Method
from leakgauge.errors import OptionError
from leakgauge.mechanisms import parse_mechanism, randomized_response
from leakgauge.probability import Channel, Interval, PriorOrigin
from leakgauge.release.estimates import About, Noise, Protected, write_kit
from leakgauge.release.estimates.kit_files.workbook import MOST_VALUES
from leakgauge.sentences import Sentence
from tests.release.estimates.spreadsheet import Sheet, sheets
from tests.release.estimates.test_estimate import ILLNESSES, released
from tests.release.estimates.test_kit import KEEPING, RESPONSE, agrees, contents, script
from tests.rscripts import run_r

PUBLIC = {"illness": PriorOrigin.PUBLIC}
KEPT = Protected("illness", KEEPING, keeps_shares=True)


def kit_of(folder: Path, table: pa.Table, *columns: Protected, **more: Any) -> Path:
    """The folder of a kit of these rows."""
    folder.mkdir()
    arrow.write_csv(table, folder / "source.csv")
    write_kit(folder / "kit", folder / "source.csv", columns, **more)
    return folder / "kit"


def both(kit: Path, *arguments: str) -> str:
    """What both scripts say, which must be the same."""
    code, said = run_r(kit / "estimate.R", *arguments)
    assert (code, said) == script(kit, *arguments)
    assert code == 0
    return said


def test_r_says_what_python_says(tmp_path: Path) -> None:
    rows = released(2000)[0]
    columns = [Protected("illness", RESPONSE), Protected("income", noise=Noise(800.0, 0.5, 10.0))]
    kit = kit_of(tmp_path / "a", rows, *columns, origins=PUBLIC, rows_per_unit=2)
    recipient = lg.estimate(kit)
    said = both(kit)
    assert agrees(said[: said.index("mean of")], recipient.shares("illness"))
    mean = re.search(r"mean: (\S+) \[(\S+), (\S+)\]", said)
    (cell,) = recipient.mean("income").cells
    assert mean is not None
    assert [*map(float, mean.groups())] == pytest.approx([cell.estimate.value, *cell.estimate.ends], rel=1e-5)
    assert agrees(both(kit, "illness", "city"), recipient.crosstab("illness", "city"))
    grouped = re.findall(r"mean: (\S+) \[(\S+), (\S+)\]", both(kit, "income", "city"))
    ours = [(one.estimate.value, *one.estimate.ends) for one in recipient.mean("income", ["city"]).cells]
    assert np.allclose(np.array(grouped, dtype=float), ours, rtol=1e-5)
    # Few rows: inversion leaves 0 to 1, and expectation maximisation takes over; groups are reconciled in Python alone.
    least = kit_of(tmp_path / "c", released(12, seed=8)[0], Protected("illness", RESPONSE), origins=PUBLIC)
    assert agrees(both(least), lg.estimate(least).shares("illness"))
    few = kit_of(tmp_path / "b", released(60, seed=8)[0], Protected("illness", RESPONSE), origins=PUBLIC)
    assert agrees(script(few, "illness", "city")[1], lg.estimate(few).crosstab("illness", "city"))
    assert lg.estimate(few).crosstab("illness", "city").method is Method.RECONCILED
    code, refused = run_r(few / "estimate.R", "illness", "city")
    assert code == 1 and "leave 0 to 1; estimate.py makes them agree" in " ".join(refused.split())


def test_r_counts_what_may_be_counted(tmp_path: Path) -> None:
    rows = released(2000)[0]
    lacking = rows.filter(pc.field("illness") != "cold")
    for name, known in (("known", True), ("unknown", False)):
        kit = kit_of(tmp_path / name, lacking, KEPT, publish_shares=known)
        assert agrees(both(kit), lg.estimate(kit).shares("illness"))
    code, said = run_r(tmp_path / "known" / "kit" / "estimate.R", "illness", "city")
    assert code == 1 and "use that" in said
    code, said = run_r(tmp_path / "unknown" / "kit" / "estimate.R", "illness", "city")
    assert code == 1 and "need its channel" in said
    together = Protected("illness", keeps_shares=True, keeps_with=frozenset({"city", "age"}))
    kit = kit_of(tmp_path / "together", rows, together)
    assert agrees(both(kit, "illness", "city"), lg.estimate(kit).crosstab("illness", "city"))
    for wrong, sentence in ((("town",), "has no column town"), (("city",), "is published as it is")):
        code, said = run_r(kit / "estimate.R", *wrong)
        assert code == 1 and sentence in said
    unread = kit_of(tmp_path / "unread", rows, Protected("illness", RESPONSE))
    assert "compute nothing from it; its channel is kept private" in run_r(unread / "estimate.R")[1]


def test_r_weighs_more_outputs_than_values(tmp_path: Path) -> None:
    mechanism = parse_mechanism("unary-encoding:epsilon=2,letters=flu|none|cold|well")
    channel = mechanism.channel()
    assert channel is not None and len(channel.outputs) > len(channel.inputs)
    rng = np.random.default_rng(4)
    at = rng.choice(len(channel.outputs), 3000, p=np.array([0.1, 0.4, 0.2, 0.3]) @ channel.matrix)
    rows = pa.table({"illness": [channel.outputs[one] for one in at], "city": rng.choice(["A", "B"], 3000)})
    kit = kit_of(tmp_path / "a", rows, Protected("illness", channel), origins=PUBLIC)
    assert agrees(both(kit, "illness", "city"), lg.estimate(kit).crosstab("illness", "city"))
    # No spreadsheet inverts it, and the page does not speak of one.
    assert not (kit / "estimate.xlsx").exists() and "estimate.xlsx" not in (kit / "README.md").read_text()


def test_r_writes_control_characters_out_and_reads_odd_names(tmp_path: Path) -> None:
    name, values = 'ill "ness"\\\x1b[2J,é', ["flu\x1b[H, or\u202e", 'a "cold"\nor two', ""]
    rows = pa.table({name: [*values] * 40, "城市": sorted(["a", "b", "c"] * 40)})
    flipped = Protected(name, randomized_response(2.0, letters=values).channel())
    notes = (Sentence('Say "no\\n" to {name!s}.', name="é\x1b"),)
    kit = kit_of(tmp_path / "a", rows, flipped, origins={name: PriorOrigin.PUBLIC}, about=About(notes=notes))
    for arguments in ((), (name, "城市")):
        code, said = run_r(kit / "estimate.R", *arguments)
        assert code == 0 and said.replace("\n", "").isprintable() and 'Say "no\\n" to é' in said
        numbers = re.findall(r": (\S+ \[\S+, \S+\])", said)
        assert numbers and sorted(numbers) == sorted(re.findall(r": (\S+ \[\S+, \S+\])", script(kit, *arguments)[1]))


def test_missing_cells_and_single_columns_are_read(tmp_path: Path) -> None:
    channel = randomized_response(2.0, letters=["yes", None]).channel()
    rows = pa.table({"illness": ["yes", None, None, "yes", None] * 40})
    kit = kit_of(tmp_path / "a", rows, Protected("illness", channel), origins=PUBLIC)
    assert agrees(both(kit), lg.estimate(kit).shares("illness"))
    noisy = pa.table({"illness": [1.5, None, 3.25, -2.0] * 30})
    kit = kit_of(tmp_path / "b", noisy, Protected("illness", noise=Noise(1.0)))
    assert "mean: 0.916667" in both(kit)


def shown(sheet: Sheet, column: str, *, first: int = 10) -> list[tuple[Any, ...]]:
    """Value, share, low and high from a sheet's columns, the first of them named."""
    letters = "EGHI" if column == "E" else "ACDE"
    values = sheet.column(column, first)
    return [tuple(sheet[f"{letter}{first + at}"] for letter in letters) for at in range(len(values))]


def same(found: list[tuple[Any, ...]], wanted: Estimated) -> bool:
    """Whether a sheet has the estimates of the library, to rounding."""
    ours = {cell.value or "(missing)": (cell.estimate.value, *cell.estimate.ends) for cell in wanted.cells}
    theirs = {value: numbers for value, *numbers in found}
    return ours.keys() <= theirs.keys() and all(np.allclose(theirs[one], ours[one], atol=1e-9) for one in ours)


def test_a_spreadsheet_says_the_same(tmp_path: Path) -> None:
    rows = released(2000)[0]
    columns = [Protected("illness", RESPONSE), Protected("income", noise=Noise(800.0, -0.5, 10.0))]
    kit = kit_of(tmp_path / "a", rows, *columns, origins=PUBLIC, rows_per_unit=3)
    book, recipient = sheets(kit / "estimate.xlsx"), lg.estimate(kit)
    first, second = book["1 illness"], book["2 income"]
    assert first["A8"] == "" and same(shown(first, "E"), recipient.shares("illness"))
    (mean,) = recipient.mean("income").cells
    found = [second[place] for place in ("B14", "B15", "B16")]
    assert found == pytest.approx([mean.estimate.value, *mean.estimate.ends], rel=1e-9)
    # The counts of a group, typed over those of all rows, give the estimates of the group.
    crossed = recipient.crosstab("illness", "city")
    group = rows.filter(pc.field("city") == "A")
    counts = {one["values"]: one["counts"] for one in pc.value_counts(group["illness"]).to_pylist()}
    values = first.column("A", 10)
    first.type_in(**{f"B{10 + at}": counts[value] for at, value in enumerate(values)})
    wanted = {one.value: one.estimate for one in crossed.cells if one.group == ("A",)}
    for value, share, low, high in shown(first, "E"):
        assert (share, low, high) == pytest.approx((wanted[value].value, *wanted[value].ends), abs=1e-9)
    # Where an estimate is outside 0 to 1 the sheet says so.
    first.type_in(B10=2000, B11=0, B12=0)
    assert "estimate.R" in first["A8"]


def test_a_spreadsheet_counts_what_is_kept(tmp_path: Path) -> None:
    rows = released(2000)[0].filter(pc.field("illness") != "cold")
    for known in (True, False):
        kit = kit_of(tmp_path / str(known), rows, KEPT, publish_shares=known)
        (sheet,) = sheets(kit / "estimate.xlsx").values()
        estimated = lg.estimate(kit).shares("illness")
        assert same(shown(sheet, "A"), estimated)
        # Typed-in counts of a group would be taken for shares that the release does not keep.
        assert "Do not type in those of a group" in sheet["A2"]
        if not known:
            (other,) = estimated.unseen
            assert shown(sheet, "A")[-1] == ("(any other value)", 0, 0, pytest.approx(other.estimate.ends[1]))


def test_a_spreadsheet_names_the_groups_that_are_kept(tmp_path: Path) -> None:
    rows = released(2000)[0]
    kit = kit_of(tmp_path / "a", rows, Protected("illness", keeps_shares=True, keeps_with=frozenset({"city"})))
    (sheet,) = sheets(kit / "estimate.xlsx").values()
    assert "of a group by city only" in sheet["A2"]
    counts = {
        one["values"]: one["counts"]
        for one in pc.value_counts(rows.filter(pc.field("city") == "B")["illness"]).to_pylist()
    }
    values = sheet.column("A", 10)[:-1]
    sheet.type_in(**{f"B{10 + at}": counts[value] for at, value in enumerate(values)})
    wanted = {
        one.value: one.estimate for one in lg.estimate(kit).crosstab("illness", "city").cells if one.group == ("B",)
    }
    for value, share, low, high in shown(sheet, "A")[:-1]:
        assert (share, low, high) == pytest.approx((wanted[value].value, *wanted[value].ends), abs=1e-9)


def test_columns_that_nothing_can_be_read_from_have_no_sheet(tmp_path: Path) -> None:
    rows = pa.table({"illness": ["flu", "none"] * 50, "income": pa.nulls(100, pa.float64())})
    blurred = Channel(["flu", "none"], ["flu", "none"], np.full((2, 2), 0.5))
    noisy = Protected("income", noise=Noise(1.0))
    kit = kit_of(tmp_path / "a", rows, Protected("illness", blurred), noisy, origins=PUBLIC)
    assert not (kit / "estimate.xlsx").exists()
    page = contents(kit)["README.md"]
    assert "Q⁻ᵀ q" in page and "Here, for" not in page
    code, said = run_r(kit / "estimate.R", "illness")
    assert code == 1 and "does not tell all values apart" in said


def test_large_channels_are_not_for_spreadsheets(tmp_path: Path) -> None:
    letters = [f"v{at}" for at in range(MOST_VALUES + 1)]
    channel = randomized_response(5.0, letters=letters).channel()
    kit = kit_of(tmp_path / "a", pa.table({"illness": letters * 4}), Protected("illness", channel), origins=PUBLIC)
    assert not (kit / "estimate.xlsx").exists() and (kit / "channel-1.csv").exists()


def test_binned_columns_and_flags_are_read_as_the_file_writes_them(tmp_path: Path) -> None:
    ages = [Interval(None, 18), Interval(18, 65), Interval(65, 99.5, closed=True)]
    cases: tuple[list[Any], ...] = ([*ages], [True, False], [1.0, 2.5], [7, None])
    for at, labels in enumerate(cases):
        written = [None if one is None else str(one) if isinstance(one, Interval) else one for one in labels]
        rows = pa.table({"illness": [*written * 50, *written[:1] * 30]})
        channel = randomized_response(2.0, letters=labels).channel()
        kit = kit_of(tmp_path / str(at), rows, Protected("illness", channel), origins=PUBLIC)
        shares = lg.estimate(kit).shares("illness")
        assert agrees(both(kit), shares)
        (sheet,) = sheets(kit / "estimate.xlsx").values()
        found = sorted(line[1:] for line in shown(sheet, "E"))
        assert np.allclose(found, sorted((one.estimate.value, *one.estimate.ends) for one in shares.cells), atol=1e-9)


def test_channels_are_written_with_all_digits(tmp_path: Path) -> None:
    labels = ["a,b", None, 'c"d', "x\ny"]
    rng = np.random.default_rng(1)
    channel = Channel(labels, labels, rng.dirichlet(np.ones(4), 4))
    rows = pa.table({"illness": labels * 30})
    kit = kit_of(tmp_path / "a", rows, Protected("illness", channel), origins=PUBLIC)
    (_, *outputs), *lines = csv.reader(StringIO((kit / "channel-1.csv").read_text(encoding="utf-8")))
    assert outputs == [line[0] for line in lines] == [one or "" for one in labels]
    assert np.array_equal(np.array([line[1:] for line in lines], dtype=float), channel.matrix)
    for _, told in (run_r(kit / "estimate.R"), script(kit)):
        assert agrees(told, lg.estimate(kit).shares("illness"))


def record_of(tmp_path: Path) -> PublicRecord:
    """A public record with bins."""
    (tmp_path / "people.csv").write_text(
        "illness,age,income\n" + "".join(f"{ILLNESSES[at % 3]},{at % 90},{at}\n" for at in range(600)), encoding="utf-8"
    )
    lg.protect(
        tmp_path / "people.csv",
        tmp_path / "out",
        secret="illness",
        public=("age",),
        bins=("age=width:30",),
        mechanism=("randomized-response:epsilon=2,letters=flu|none|cold",),
        purpose="teaching",
        terms="Do not\n# try to `identify` <anybody>.",
        contact="data@example.org",
        simulate=3,
    ).require()
    return read(PublicRecord, tmp_path / "out" / "release.public.json")


def test_what_a_kit_says_follows_from_its_release_its_public_record_and_declared_words(tmp_path: Path) -> None:
    record = record_of(tmp_path)
    kit = tmp_path / "out" / "kit"
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    words = {"purpose": "teaching", "terms": "Do not\n# try to `identify` <anybody>.", "contact": "data@example.org"}
    channel = parse_mechanism("randomized-response:epsilon=2,letters=flu|none|cold").channel()
    notes = tuple(Sentence(one) for one in said["notes"])
    # Nothing else of the job is there any more.
    apart = tmp_path / "apart"
    apart.mkdir()
    (kit / "release.csv").rename(apart / "release.csv")
    before = contents(kit)
    again = About(**words, record=record, notes=notes)
    write_kit(apart / "kit", apart / "release.csv", [Protected("illness", channel)], origins=PUBLIC, about=again)
    (apart / "kit" / "release.csv").unlink()
    assert contents(apart / "kit") == before


def test_metadata_say_what_is_declared_and_public(tmp_path: Path) -> None:
    record = record_of(tmp_path)
    kit = tmp_path / "out" / "kit"
    package = json.loads((kit / "datapackage.json").read_text(encoding="utf-8"))
    croissant = json.loads((kit / "croissant.json").read_text(encoding="utf-8"))
    # Frictionless: a data package needs resources, and each a name and a path; names are plain and differ.
    names = [one["name"] for one in package["resources"]]
    assert len({*names}) == len(names) and all(re.fullmatch(r"[-a-z0-9._/]+", one) for one in [*names, package["name"]])
    for one in package["resources"]:
        content = (kit / one["path"]).read_bytes()
        assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}" and one["bytes"] == len(content)
    fields = package["resources"][0]["schema"]["fields"]
    assert [one["name"] for one in fields] == ["illness", "age", "not_private"]
    assert [one["type"] for one in fields] == ["string"] * 3
    assert package["purpose"] == "teaching" and package["contact"] == "data@example.org"
    assert "published in coarser form (width:30)" in fields[1]["description"]
    # Croissant 1.0: what its specification requires of a data set, its files and its fields.
    assert croissant["@type"] == "sc:Dataset" and croissant["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert {"name", "description", "license", "maintainer", "datePublished", "version"} <= croissant.keys()
    assert croissant["datePublished"] == record.created
    digests = {one["@id"]: one["sha256"] for one in croissant["distribution"]}
    assert digests.keys() == {"release.csv", "dictionary.csv", "channel-1.csv"}
    assert digests["release.csv"] == record.output.sha256
    (rows,) = croissant["recordSet"]
    for one, field in zip(rows["field"], fields, strict=True):
        assert one["source"] == {"fileObject": {"@id": "release.csv"}, "extract": {"column": field["name"]}}
        assert one["dataType"] == "sc:Text"
    page = (kit / "README.md").read_text(encoding="utf-8")
    assert "Terms: Do not # try to 'identify' ‹anybody›.\n" in page and "Questions: data@example.org\n" in page


def test_nothing_is_said_that_nobody_declared(tmp_path: Path) -> None:
    kit = kit_of(tmp_path / "a", released(300)[0], Protected("illness", RESPONSE), origins=PUBLIC)
    package, croissant = (json.loads(contents(kit)[name]) for name in ("datapackage.json", "croissant.json"))
    assert not {"purpose", "terms", "contact", "contributors", "created"} & package.keys()
    assert not {"license", "creator", "maintainer", "datePublished"} & croissant.keys()
    assert not re.search("Purpose|Terms|Questions", contents(kit)["README.md"])


def test_the_dictionary_says_what_the_released_file_shows(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "illness": ["flu", "none", None, "flu"] * 50,
            "age": np.arange(200),
            "=run": ["=1+1", "b,c"] * 100,
            "noisy": np.linspace(0, 1, 200).tolist(),
        }
    )
    channel = randomized_response(2.0, letters=["flu", "none", "cold", None]).channel()
    noisy = Protected("noisy", noise=Noise(2.5, 0.5, 1.0))
    kit = kit_of(tmp_path / "a", rows, Protected("illness", channel), noisy, origins=PUBLIC)
    lines = {one["column"]: one for one in csv.DictReader(StringIO(contents(kit)["dictionary.csv"]))}
    assert [*lines] == rows.column_names
    illness, age, run, noise = lines.values()
    # A value that the mechanism knows and no released row shows is not listed.
    assert (
        illness["values"] == "flu,none" and illness["missing_cells"] == "50" and illness["channel"] == "channel-1.csv"
    )
    assert illness["role"] == "protected" and illness["reading"] == "corrected" and illness["kind"] == "text"
    assert age["values"] == "" and age["different_values"] == "200" and age["kind"] == "whole numbers"
    assert run["values"] == ' =1+1,"b,c"' and run["use_zh"] and run["protection_en"] == "published unchanged"
    assert [noise[f"noise_{one}"] for one in ("variance", "slope", "intercept")] == ["2.5", "0.5", "1.0"]
    assert noise["reading"] == "mean" and noise["values"] == ""
    (_, *fields) = (one["schema"]["fields"] for one in json.loads(contents(kit)["datapackage.json"])["resources"][:1])
    assert fields == []
    found = json.loads(contents(kit)["datapackage.json"])["resources"][0]["schema"]["fields"]
    assert [one.get("constraints") for one in found] == [
        {"enum": ["flu", "none"]},
        None,
        {"enum": ["=1+1", "b,c"]},
        None,
    ]


def test_the_page_works_a_line_out(tmp_path: Path) -> None:
    columns = [Protected("illness", RESPONSE), Protected("income", noise=Noise(800.0))]
    kit = kit_of(tmp_path / "a", released(2000)[0], *columns, origins=PUBLIC)
    page, recipient = contents(kit)["README.md"], lg.estimate(kit)
    best = max(recipient.shares("illness").cells, key=lambda one: one.estimate.value)
    low, high = best.estimate.ends
    line = f"p̂ = {best.estimate.value:.4f}, 95% interval {low:.4f} to {high:.4f}"
    assert line in page and "Q⁻ᵀ q" in page and page.count("`income`") == 4
    assert "<" not in page.replace("<?", "") and "keep" not in page


def test_a_release_is_not_called_like_a_file_of_the_kit(tmp_path: Path) -> None:
    arrow.write_csv(released(100)[0], tmp_path / "dictionary.csv")
    with pytest.raises(OptionError, match=r"A kit has a file called dictionary\.csv; call the release something else"):
        write_kit(tmp_path / "kit", tmp_path / "dictionary.csv", [Protected("illness", RESPONSE)])
    assert not (tmp_path / "kit").exists()
