"""The recipient's kit: what is in it, what must not be, and that its script says what the library says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import csv, parquet

import leakgauge as lg
from leakgauge.artefacts import Kit
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.estimates import Estimated, Method
from leakgauge.errors import ColumnError, FileError, OptionError, VerificationError
from leakgauge.mechanisms import randomized_response
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.release.estimates import Noise, Protected, write_kit
from leakgauge.release.estimates import kit as kit_module
from leakgauge.release.estimates.kit import drop_kit
from tests.release.estimates.keeping import keeping
from tests.release.estimates.test_estimate import ILLNESSES, released

RESPONSE = randomized_response(2.0, letters=ILLNESSES).channel()
WITHOUT_ARROW = "import runpy, sys; sys.modules['pyarrow'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
ALWAYS = {
    *("README.md", "croissant.json", "datapackage.json", "dictionary.csv"),
    *("estimate.R", "estimate.py", "kit.json"),
}
KEEPING = Channel(ILLNESSES, ILLNESSES, keeping(np.array([0.2, 0.7, 0.1]), 0.2))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "release.csv"
    csv.write_csv(released(2000)[0], path)
    return path


def test_a_kit_says_how_each_column_is_read(tmp_path: Path, release: Path) -> None:
    folder = tmp_path / "kit"
    columns = [Protected("illness", RESPONSE), Protected("income", noise=Noise(800.0))]
    kit = write_kit(folder, release, columns, origins={"illness": PriorOrigin.PUBLIC})
    assert kit == read(Kit, folder / "kit.json")
    assert kit.published == ("city", "age") and kit.rows == 2000
    assert {path.name for path in folder.iterdir()} == {
        *ALWAYS,
        "channel-1.csv",
        "channel-1.json",
        "estimate.xlsx",
        "release.csv",
    }
    found = lg.estimate(folder)
    assert found.crosstab("illness", "city") == lg.estimate(release, {"illness": RESPONSE}).crosstab("illness", "city")
    assert found.mean("income").method is Method.DIRECT
    page = (folder / "README.md").read_text()
    assert (
        "leakgauge estimate . --crosstab illness,city" in page
        and "`illness`: correct for the noise with channel-1.csv." in page
    )


def contents(folder: Path) -> dict[str, str]:
    """Every file of a kit as text, a workbook as the texts of its parts."""
    found = {}
    for path in folder.iterdir():
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as packed:
                found[path.name] = "".join(packed.read(name).decode() for name in packed.namelist())
        else:
            found[path.name] = path.read_text(encoding="utf-8")
    return found


def script(folder: Path, *arguments: str, python: Sequence[str] = ()) -> tuple[int, str]:
    command = [sys.executable, *python, str(folder / "estimate.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    return done.returncode, done.stdout + done.stderr


def agrees(shown: str, found: Estimated) -> bool:
    numbers = [tuple(map(float, line)) for line in re.findall(r": (\S+) \[(\S+), (\S+)\]", shown)]
    ours = [(cell.estimate.value, *cell.estimate.ends) for cell in (*found.cells, *found.unseen)]
    return len(numbers) == len(ours) and np.allclose(sorted(numbers), sorted(ours), rtol=0, atol=1e-4)


def test_the_script_says_the_same(tmp_path: Path, release: Path) -> None:
    folder = tmp_path / "kit"
    write_kit(
        folder, release, [Protected("illness", RESPONSE)], origins={"illness": PriorOrigin.PUBLIC}, rows_per_unit=2
    )
    recipient = lg.estimate(folder)
    assert agrees(script(folder)[1], recipient.shares("illness"))
    assert agrees(script(folder, "illness", "city")[1], recipient.crosstab("illness", "city"))
    # Shares that are kept: cross-tables agree with them.
    kept = Protected("illness", KEEPING, keeps_shares=True)
    write_kit(tmp_path / "kept", release, [kept], publish_shares=True)
    assert agrees(script(tmp_path / "kept")[1], lg.estimate(tmp_path / "kept").shares("illness"))
    crossed = lg.estimate(tmp_path / "kept").crosstab("illness", "city")
    assert crossed.method is Method.MARGINS and agrees(script(tmp_path / "kept", "illness", "city")[1], crossed)
    # A value that no released row has is named where the channel names it, and only there.
    csv.write_csv(released(2000)[0].filter(pc.field("illness") != "cold"), tmp_path / "lacking.csv")
    for known, name in ((True, "cold"), (False, "(any other value)")):
        write_kit(tmp_path / name, tmp_path / "lacking.csv", [kept], publish_shares=known)
        found = lg.estimate(tmp_path / name).shares("illness")
        assert (
            agrees(script(tmp_path / name)[1], found) and f"{name}: 0.0000 [0.0000, 0.00" in script(tmp_path / name)[1]
        )
        assert len(found.cells) == (3 if known else 2) and bool(found.unseen) is not known
    # Few rows: inversion leaves the simplex, so the groups are made to agree with the shares of all rows.
    some = released(60, seed=8)[0]
    csv.write_csv(some, tmp_path / "few.csv")
    write_kit(tmp_path / "few", tmp_path / "few.csv", [Protected("illness", RESPONSE)], publish_shares=True)
    few = lg.estimate(tmp_path / "few").crosstab("illness", "city")
    assert few.method is Method.RECONCILED
    assert agrees(script(tmp_path / "few", "illness", "city")[1], few)


def test_the_script_writes_control_characters_out(tmp_path: Path) -> None:
    name, value = "illness\x1b[2J", "flu\x1b[HRecommendation: release.\u202e"
    values = [value, "cold"]
    csv.write_csv(pa.table({name: values * 40, "city\x9b": ["a\x1b", "b"] * 40}), tmp_path / "release.csv")
    flipped = Protected(name, randomized_response(2.0, letters=values).channel())
    write_kit(tmp_path / "kit", tmp_path / "release.csv", [flipped], origins={name: PriorOrigin.PUBLIC})
    for arguments in ((), (name, "city\x9b"), (f"{name}?",), ("city\x9b",)):
        said = script(tmp_path / "kit", *arguments)[1]
        assert re.search(r"illness\\x1b|city\\x9b", said) and said.replace("\n", "").isprintable()


def test_private_channels_stay_out_of_it(tmp_path: Path, release: Path) -> None:
    kept = Protected("illness", KEEPING, keeps_shares=True)
    for origin in (None, PriorOrigin.THIS_TABLE):
        folder = tmp_path / f"kit {origin}"
        write_kit(folder, release, [kept], origins={} if origin is None else {"illness": origin})
        assert not list(folder.glob("channel*"))
        found = lg.estimate(folder).shares("illness")
        assert found.method is Method.DIRECT
        assert found.effective_rows is not None and found.effective_rows.value == pytest.approx(1000)
        assert agrees(script(folder)[1], found)
        code, said = script(folder, "illness", "city")
        assert code == 1 and "need its channel" in said
    write_kit(tmp_path / "none", release, [Protected("illness", RESPONSE)])
    assert not list((tmp_path / "none").glob("channel*"))
    with pytest.raises(OptionError, match="'illness' cannot be estimated: its channel is kept private, because it fol"):
        lg.estimate(tmp_path / "none").shares("illness")
    with pytest.raises(OptionError, match="'illness' cannot be estimated"):
        lg.estimate(tmp_path / "none").mean("age", by="illness")
    declared = tmp_path / "declared"
    write_kit(declared, release, [kept], publish_shares=True)
    stored = json.loads((declared / "channel-1.json").read_text())
    assert stored["prior_origin"] == "public" and stored["keep_inside"] is False


def test_a_channel_that_keeps_other_shares_is_corrected_for(tmp_path: Path, release: Path) -> None:
    kept = Protected("illness", KEEPING, keeps_shares=True, keeps_with=frozenset({"city"}))
    for origin in (PriorOrigin.NOISY_HISTOGRAM, PriorOrigin.PUBLIC):
        folder = tmp_path / origin.value
        (column,) = write_kit(folder, release, [kept], origins={"illness": origin}).protected
        assert column.channel is not None and not column.keeps_shares and column.keeps_with == ()
        assert lg.estimate(folder).shares("illness").method is not Method.DIRECT


def test_a_kit_is_written_again_only_where_it_is_another_one(tmp_path: Path, release: Path) -> None:
    folder, public = tmp_path / "kit", {"illness": PriorOrigin.PUBLIC}
    read = [Protected("illness", RESPONSE)]

    def look() -> dict[str, tuple[int, bytes]]:
        return {path.name: (path.stat().st_ino, path.read_bytes()) for path in folder.iterdir()}

    write_kit(folder, release, read, origins=public)
    before = look()
    write_kit(folder, release, read, origins=public)
    assert look() == before
    (folder / "mine.txt").touch()
    for file in before:
        (folder / file).write_text("something else")
        write_kit(folder, release, read, origins=public)
        assert {name: text for name, (_, text) in look().items() if name != "mine.txt"} == {
            name: text for name, (_, text) in before.items()
        }
    # What only the earlier kit had goes; other files stay.
    write_kit(folder, release, [Protected("illness", KEEPING, keeps_shares=True)])
    assert look().keys() == before.keys() - {"channel-1.csv", "channel-1.json"} | {"mine.txt"}
    drop_kit(folder)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_names_do_not_break_the_page(tmp_path: Path) -> None:
    name = "a`b\nc"
    table = pa.table({name: ["x", "y"] * 10, "by this": ["u", "v"] * 10})
    parquet.write_table(table, tmp_path / "release.parquet")
    channel = randomized_response(1.0, letters=["x", "y"]).channel()
    write_kit(tmp_path / "kit", tmp_path / "release.parquet", [Protected(name, channel)], publish_shares=True)
    page = (tmp_path / "kit" / "README.md").read_text()
    assert "- `a\ufffdb\ufffdc`: correct" in page and "'by this'" in page
    code, said = script(tmp_path / "kit")
    assert code == 0 and "a`b\\nc" in said
    lg.estimate(tmp_path / "kit")


def test_a_parquet_release_is_handed_out_as_the_csv_that_the_script_reads(tmp_path: Path, release: Path) -> None:
    parquet.write_table(csv.read_csv(release), tmp_path / "release.parquet")
    read = [Protected("illness", RESPONSE)]
    for form in ("csv", "parquet"):
        source = release if form == "csv" else tmp_path / "release.parquet"
        write_kit(tmp_path / form, source, read, origins={"illness": PriorOrigin.PUBLIC})
    assert script(tmp_path / "parquet") == script(tmp_path / "csv")
    assert script(tmp_path / "csv")[0] == 0
    assert lg.estimate(tmp_path / "parquet").shares("illness") == lg.estimate(tmp_path / "csv").shares("illness")
    # What CSV cannot hold stays a Parquet file.
    nested = csv.read_csv(release).append_column("list", pa.array([[1]] * 2000))
    parquet.write_table(nested, tmp_path / "nested.parquet")
    assert write_kit(tmp_path / "nested", tmp_path / "nested.parquet", read).release == "nested.parquet"
    assert "illness cannot be estimated" in script(tmp_path / "nested")[1]
    write_kit(tmp_path / "nested", tmp_path / "nested.parquet", read, origins={"illness": PriorOrigin.PUBLIC})
    assert script(tmp_path / "nested") == script(tmp_path / "csv")
    assert "needs pyarrow" in script(tmp_path / "nested", python=("-c", WITHOUT_ARROW))[1]


def test_a_release_with_more_rows_than_a_spreadsheet_opens_is_handed_out_once(
    tmp_path: Path, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kit_module, "MOST_LINES", 1999)
    parquet.write_table(csv.read_csv(release), tmp_path / "release.parquet")
    read = [Protected("illness", RESPONSE), Protected("income", noise=Noise(800.0))]
    for source in (release, tmp_path / "release.parquet"):
        folder = tmp_path / source.suffix[1:]
        assert write_kit(folder, source, read, origins={"illness": PriorOrigin.PUBLIC}).release == source.name
        assert [path.name for path in folder.glob("release*")] == [source.name]
        assert (folder / source.name).read_bytes() == source.read_bytes()
        page = (folder / "README.md").read_text(encoding="utf-8")
        assert ("The release is a Parquet file" in page) is (source is not release)
    assert script(tmp_path / "parquet") == script(tmp_path / "csv")
    assert script(tmp_path / "parquet", "illness", "city") == script(tmp_path / "csv", "illness", "city")


def changed(folder: Path, **fields: object) -> None:
    path = folder / "kit.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_a_kit_that_does_not_fit_is_refused(tmp_path: Path, release: Path) -> None:
    folder = tmp_path / "kit"
    kit = [Protected("illness", RESPONSE)]
    write_kit(folder, release, kit, origins={"illness": PriorOrigin.PUBLIC})
    with pytest.raises(
        OptionError, match="is a kit, which already says how its columns are read; leave the channels out"
    ):
        lg.estimate(folder, {"illness": RESPONSE})
    changed(folder, rows=1999)
    with pytest.raises(OptionError, match="The release has 2000 rows, but its kit says 1999"):
        lg.estimate(folder)
    for outside in ("../release.csv", "/etc/passwd", ""):
        changed(folder, rows=2000, release=outside)
        with pytest.raises(FileError, match="is not in the same folder"):
            lg.estimate(folder)
    both = {"name": "illness", "unreadable": "no reason", "keeps_shares": True}
    changed(folder, release="release.csv", protected=[both])
    with pytest.raises(FileError, match="'illness' needs a channel"):
        lg.estimate(folder)
    changed(folder, release="release.csv", protected=[{"name": "illness"}])
    with pytest.raises(FileError, match="'illness' needs a channel, or noise, or shares that are kept, or a reason"):
        lg.estimate(folder)
    changed(folder, protected=[{"name": "illness", "keeps_with": ["city"], "channel": "channel-1.json"}])
    with pytest.raises(FileError, match="keeps cross-tables but not its shares"):
        lg.estimate(folder)
    changed(folder, protected=[{"name": "income", "noise": {"variance": -1}}])
    with pytest.raises(FileError, match="the noise of 'income'"):
        lg.estimate(folder)
    changed(folder, protected=[{"name": "town", "keeps_shares": True}])
    with pytest.raises(ColumnError, match="no column 'town'"):
        lg.estimate(folder)
    changed(folder, protected=[], rows_per_unit=0)
    with pytest.raises(OptionError, match="0 rows at most"):
        lg.estimate(folder)


def test_another_release_of_the_same_length_is_refused(tmp_path: Path, release: Path) -> None:
    folder = tmp_path / "kit"
    write_kit(folder, release, [Protected("illness", RESPONSE)], origins={"illness": PriorOrigin.PUBLIC})
    changed = (folder / "release.csv").read_text(encoding="utf-8").replace("flu", "fluu", 1)
    (folder / "release.csv").write_text(changed, encoding="utf-8")
    with pytest.raises(VerificationError, match="not the release that its kit was written for"):
        lg.estimate(folder)
    code, said = script(folder)
    assert code != 0 and "not the one that this kit was written for" in said
