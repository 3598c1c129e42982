"""Texts in other encodings, with numbers and dates as people write them, read as they were asked to be."""

from __future__ import annotations

import gzip
import traceback
from datetime import date, datetime
from pathlib import Path
from typing import Any, get_type_hints

import duckdb
import pyarrow as pa
import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.request.terms import Reading, ReadingOptions
from leakgauge.cli import options
from leakgauge.errors import ColumnError, InputError, LeakgaugeError, OptionError, TableError
from leakgauge.probability import Label
from leakgauge.tables import Kind, open_table
from leakgauge.tables.reading import parse_date_format

FRENCH = "id;prénom;coût;né\n1;Zoë;1.234,50;31/12/2020\n2;Jo;12,5;01/02/2021\n3;;3;\n"


def labels(source: object, column: str, **reading: Any) -> tuple[Label, ...]:
    with open_table(source, **reading) as table:
        return table.counts(column).labels(column)


def written(folder: Path, data: bytes | str, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return folder / name


def test_every_face_takes_the_same_options() -> None:
    names = tuple(get_type_hints(ReadingOptions))
    assert names == Reading.__struct_fields__ and options.names_of(Reading).split() == [*names]
    assert Request.of("t.csv", secret=("a",), max_distortion=0.1, missing="?").reading.missing == ("?",)


@pytest.mark.parametrize("encoding", ["windows-1252", "latin-1", "utf-16", "utf-16-le", "mac-roman", "utf-8"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(tmp_path: Path, encoding: str, packed: bool) -> None:
    data = FRENCH.encode(encoding)
    path = written(tmp_path, gzip.compress(data) if packed else data, "t.csv.gz" if packed else "t.csv")
    with open_table(path, encoding=encoding) as table:
        assert [column.name for column in table.columns()] == ["id", "prénom", "coût", "né"]
        assert [column.kind for column in table.columns()] == [Kind.INT, *[Kind.STRING] * 3]
        assert table.counts("prénom").labels("prénom") == ("Jo", "Zoë", None)
    # The copy is in memory alone.
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_large_file_in_another_encoding_is_read_whole(tmp_path: Path) -> None:
    lines = "".join(f"{at},Köln {at % 7}\n" for at in range(200_000))
    path = written(tmp_path, ("id,city\n" + lines).encode("gb18030"))
    with open_table(path, encoding="gb18030") as table:
        assert table.rows == 200_000 and table.moments("id")["id"].mean == 99_999.5
        assert table.counts("city").array().sum() == 200_000 and table.counts("city").shape == (7,)


GUESSED = {
    "windows-1252": FRENCH,
    "windows-1251": "имя,город\nИван,Москва\nМария,Санкт-Петербург\n",
    "gb18030": "姓名,城市,疾病\n张伟,北京市海淀区,高血压\n王芳,上海,糖尿病\n",
    "big5": "姓名,城市,疾病\n張偉,臺北市,高血壓\n王芳,高雄,糖尿病\n",
    "shift_jis": "名前,都市\nたなか,とうきょう\n山田太郎,京都の町\n",
    "euc-kr": "이름,도시\n김철수,서울\n이영희,부산광역시\n",
    "utf-16": FRENCH,
    "utf-16-le": FRENCH,
    "utf-16-be": FRENCH,
}


@pytest.mark.parametrize("encoding", GUESSED)
def test_the_encoding_is_guessed_and_offered(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, GUESSED[encoding].encode(encoding))
    with pytest.raises(TableError, match=rf"is not UTF-8 text; try --encoding {encoding}\.$"):
        open_table(path)


def test_a_wrong_byte_far_down_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, b"a,b\n" + b"1,2\n" * 500_000 + b"Zo\xeb,2\n")
    with pytest.raises(TableError, match=r"not UTF-8 text \(line 500002\); try --encoding windows-1252\.$"):
        open_table(path)


@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("no_header", [False, True])
def test_line_breaks_in_quotes(tmp_path: Path, inside: str, end: str, no_header: bool) -> None:
    path = written(tmp_path, f'"a{inside}x",b{end}1,"q{inside}r"{end}2,z{end}')
    with open_table(path, no_header=no_header) as table:
        names = [column.name for column in table.columns()]
        assert table.rows == 2 + no_header
        assert f"q{inside}r" in table.counts(names[1]).labels(names[1])
    assert names == (["column1", "column2"] if no_header else [f"a{inside}x", "b"])


def test_a_file_without_a_header(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbf31,A\n45,B\n")
    with open_table(path, no_header=True) as table:
        kinds = {column.name: column.kind for column in table.columns()}
        assert kinds == {"column1": Kind.INT, "column2": Kind.STRING} and table.rows == 2
    path = written(tmp_path, "1,5;2,5\n3,5;4,5\n")
    assert labels(path, "column1", no_header=True, decimal=",") == (1.5, 3.5)
    with pytest.raises(TableError, match="begins with an empty line"):
        open_table(written(tmp_path, "\n1,2\n"), no_header=True)


def test_a_written_value_that_changes_is_not_taken_for_missing(tmp_path: Path) -> None:
    path = written(tmp_path, "day\n31/12/2020\n")
    with open_table(path, date_format="dd/mm/yyyy") as table:
        path.write_text("day\nno day at all\n")
        with pytest.raises(LeakgaugeError) as caught:
            table.counts("day")
        assert "no day" not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "reading", "found"),
    [
        (["1.234,50", "12,5", ""], {"thousands": ".", "decimal": ","}, (12.5, 1234.5, None)),
        (["1,234", "1,234,567", "-5"], {"thousands": ","}, (-5, 1234, 1234567)),
        (["1\u202f234", "1 234 567", "1\u00a0000"], {"thousands": " "}, (1000, 1234, 1234567)),
        (["1'234", "12’345.5"], {"thousands": "'"}, (1234.0, 12345.5)),
        (["12,34,567", "1,000"], {"thousands": ","}, (1000, 1234567)),
        (["1,5", "2,25e1", ",5"], {"decimal": ","}, (0.5, 1.5, 22.5)),
        (["10.20.300", "1.234"], {"thousands": ".", "decimal": ","}, ("1.234", "10.20.300")),
        # One value that does not fit leaves all of them text.
        (["1,234", "1,23"], {"thousands": ","}, ("1,23", "1,234")),
        (["1.5", "2,5"], {"decimal": ","}, ("1.5", "2,5")),
        (["007", "1,234"], {"thousands": ","}, ("007", "1,234")),
        (["1,234", "none"], {"thousands": ",", "missing": "none"}, (1234, None)),
    ],
)
def test_numbers_as_people_write_them(
    tmp_path: Path, texts: list[str], reading: dict[str, Any], found: tuple[Label, ...]
) -> None:
    path = written(tmp_path, "v\tw\n" + "".join(f"{text}\tx\n" for text in texts), "t.tsv")
    assert labels(path, "v", **reading) == found
    # What is text in a frame is read in the same way.
    frame = pa.table({"v": [text or None for text in texts]})
    assert labels(frame, "v", **reading) == found


DAYS = (date(2020, 12, 31), date(2021, 2, 1), None)


@pytest.mark.parametrize(
    ("texts", "how", "found"),
    [
        (["31/12/2020", "01/02/2021", ""], "%d/%m/%Y", DAYS),
        (["31/12/2020", "1/2/2021", ""], "dd/mm/yyyy", DAYS),
        (["12-31-20", "02-01-21", ""], "mm-dd-yy", DAYS),
        (["20201231", "20210201", ""], "yyyymmdd", DAYS),
        (["2020年12月31日", "2021年2月1日", ""], "yyyy年m月d日", DAYS),
        (["31 Dec 2020", "1 Feb 2021", ""], "d mmm yyyy", DAYS),
        (["31.12.2020 23:59", "01.02.2021 7:05"], "dd.mm.yyyy hh:mm",
         (datetime.fromisoformat("2020-12-31T23:59"), datetime.fromisoformat("2021-02-01T07:05"))),
    ],
)  # fmt: skip
def test_dates_as_people_write_them(tmp_path: Path, texts: list[str], how: str, found: tuple[Label, ...]) -> None:
    path = written(tmp_path, "v,w\n" + "".join(f"{text},31/12/x\n" for text in texts))
    assert labels(path, "v", date_format=how) == found
    assert labels(path, "v", date_format=[f"v={how}"]) == found
    with open_table(path, date_format=how) as table:
        assert table.columns()[1].kind is Kind.STRING


def test_numbers_that_are_days(tmp_path: Path) -> None:
    frame = pa.table({"day": [20201231, 20210201, None]})
    assert labels(frame, "day", date_format="day=yyyymmdd") == DAYS
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT '31/12/2020' AS d, '1,000' AS n")
    with open_table(tmp_path / "t.duckdb", date_format="d=dd/mm/yyyy", thousands=",") as table:
        assert [column.kind for column in table.columns()] == [Kind.DATE, Kind.INT]
        assert next(table.batches("n")).column("n").to_pylist() == [1000]


def test_months_and_minutes_share_a_letter() -> None:
    for text in ("hh:mm dd/mm/yyyy", "HH:mm dd/MM/yyyy"):
        assert parse_date_format(text).directives == "%H:%M %d/%m/%Y"
    assert parse_date_format("yyyy-mm-ddThh:mm:ss").directives == "%Y-%m-%dT%H:%M:%S"


@pytest.mark.parametrize("text", ["", "gaga", "dd/mm", "%d/%m", "%Q/%m/%Y", "dd/mm/dd/yyyy", "%d/%m/%Y%", "yyyy"])
def test_formats_that_say_nothing(text: str) -> None:
    with pytest.raises(OptionError, match="is not understood"):
        parse_date_format(text)


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"encoding": "nonsense"}, "There is no text encoding 'nonsense'"),
        ({"encoding": "base64"}, "There is no text encoding 'base64'"),
        ({"encoding": "utf-16"}, "is not utf-16 text; name another --encoding"),
        ({"encoding": "gb18030"}, "is not gb18030 text; name another --encoding"),
        ({"thousands": "1"}, "--thousands '1' is not a single character"),
        ({"decimal": "::"}, "--decimal '::' is not a single character"),
        ({"thousands": "-"}, "--thousands '-' is not a single character"),
        ({"thousands": ",", "decimal": ","}, "are both ','; name another character"),
        ({"thousands": " ", "decimal": "\u00a0"}, "name another character"),
        ({"date_format": "dd/mm"}, "'dd/mm' is not understood"),
        ({"date_format": ["dd/mm/yyyy", "%d/%m/%Y"]}, "given twice"),
        ({"date_format": ["né=dd/mm/yyyy", "né=mm/dd/yyyy"]}, "given twice"),
        ({"encoding": "latin-1", "date_format": "mm/dd/yyyy"}, "is written as 'mm/dd/yyyy' throughout"),
        ({"encoding": "latin-1", "date_format": "né=mm/dd/yyyy"}, "of column 'né' does not fit 1 of its values"),
        ({"encoding": "latin-1", "date_format": "néé=mm/dd/yyyy"}, "no column 'néé'; did you mean 'né'?"),
        ({"missing": 7}, "'missing'"),
    ],
)
def test_bad_ways_to_read(tmp_path: Path, reading: dict[str, Any], said: str) -> None:
    path = written(tmp_path, FRENCH.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        open_table(path, **reading)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    everything = "".join(traceback.format_exception(caught.value))
    assert "Zo" not in everything and "31/12/2020" not in everything
    assert not isinstance(caught.value.__context__, UnicodeError)


def test_options_that_say_nothing_about_a_source(tmp_path: Path) -> None:
    frame = pa.table({"a": [1.5, 2.5]})
    lines = written(tmp_path, '{"a": 1}\n', "t.jsonl")
    for source in (frame, lines):
        with pytest.raises(TableError, match="so --encoding does not apply; leave it out"):
            open_table(source, encoding="latin-1")
        with pytest.raises(TableError, match="so --no-header does not apply; leave it out"):
            open_table(source, no_header=True)
        with pytest.raises(TableError, match="no column of text"):
            open_table(source, thousands=",")
    with pytest.raises(ColumnError, match="'a' holds numbers, not text"):
        open_table(frame, date_format="a=dd/mm/yyyy")


def test_objects_that_hand_out_arrow() -> None:
    class Rows:
        def __init__(self, content: object) -> None:
            self.content = content

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.content.__arrow_c_stream__(requested_schema)  # type: ignore[attr-defined]

    assert labels(Rows(pa.table({"a": [1, 2]})), "a") == (1, 2)
    with pytest.raises(TableError, match="An object of type Rows is not a table"):
        open_table(Rows(pa.chunked_array([[1, 2]])))


@pytest.mark.parametrize("text", ["1,5", 'a"b', ","])
def test_a_missing_text_that_no_field_can_be_compared_with(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(OptionError, match="contains a quote or the delimiter ','"):
        open_table(tmp_path / "t.csv", missing=text)
