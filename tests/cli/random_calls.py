"""Odd tables and random calls of the command line, each of which follows from its number."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from leakgauge.cli import verbs
from leakgauge.cli.help import spoken
from leakgauge.cli.options import ADDRESS, FILE
from tests.cli.tree import paths

TABLES = ("odd.csv", "twice.csv", "odd.csv", "plain.parquet", "typed.parquet", "few.csv", "lines.jsonl", "marked.csv")
LEFT_OUT = ("serve", "demo", "reproduce")
"""Verbs that wait for somebody, or compute for minutes whatever they are given."""
NOT_GIVEN = ("program", "help", "open")
"""Options that start other programs, or do nothing else."""
ODD_NAMES = (
    "illness",
    "city",
    "age",
    "when",
    "a=b",
    "-x",
    "näme",
    "it's",
    'a"b',
    "a,b",
    "constant",
    "id",
    "empty",
    "f",
)
NUMBERS = (
    "0.2",
    "1",
    "0",
    "-1",
    "60",
    "3",
    "0.5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-300",
    "1,5",
    "x",
    "",
    "²",
    "illness=0.2",
)
WHOLE = ("1", "2", "5", "50", "0", "-1", "1.5", "x", "")
"""Few, because a call may draw or repeat so many times."""
MECHANISMS = (
    "randomized-response:epsilon=1,letters=flu|none|cold", "randomized-response:epsilon=1",
    "laplace:epsilon=1,lower=0,upper=100", "laplace:epsilon=1,sensitivity=1",
    "geometric:epsilon=0.5,lower=0,upper=99", "gaussian:epsilon=0.5,delta=1e-5,sensitivity=1", "laplace:epsilon=nan",
    "randomized-response:epsilon=0", "laplace:", ":", "laplace:epsilon", "nothing:epsilon=1", "channel.json",
    "illness=randomized-response:epsilon=2", "local-dp:1", "identifiability:3.5", "dp:0.5,delta=1e-6",
    "exponential:epsilon=1,sensitivity=1", "subset-selection:epsilon=1", "unary-encoding:epsilon=1",
)  # fmt: skip
COARSER = (
    "age=width:10", "age=quantiles:3", "age=edges:0,18,65", "age=auto", "when=month", "age=width:0", "age=width:nan",
    "age=edges:5,5", "age=", "=width:10", "age", "city=width:10", "a=b=width:1", "age=levels.csv:1",
    "city=levels.csv:1", "city=levels.csv:9", "city=nowhere.csv:1", "city=levels.csv",
)  # fmt: skip
TEXTS = (
    "", " ", "hamming", "absolute", "squared", "A", "city=A", "age=0..50", "age=5..1", "?", "utf-8", "klingon", ",",
    ".", "dd/mm/yyyy", "when=dd/mm/yyyy", "2027-11-16", "2027-13-99", "\udcff", "a\nb", "x" * 300, "--secret", "0.2",
    "0,1,2", "52.5,13.3", "52,13,53,14", "1km", "h3:5", "both", "en", "this-table", "illness=this-table",
    "noisy-histogram:0.1",
)  # fmt: skip


def write_inputs(folder: Path, job: Path) -> None:
    """Odd tables, a plan, a channel, levels, and the files of a finished job as they are and damaged."""
    draw = random.Random(20)
    when = ["2024-01-03", "2024-02-29", "2025-12-31"]
    rows: list[list[object]] = [
        [draw.choice(["flu", "none", "cold"]), draw.choice("AB"), draw.randint(0, 90), draw.choice(when),
         draw.choice("xy"), draw.random(), "ß", draw.choice(["", "q"]), '"', "1,2", "c", at, "",
         draw.choice(["1.5", "nan", "inf", "-0"])]
        for at in range(60)
    ]  # fmt: skip
    tables: dict[str, list[list[object]]] = {
        "odd": rows, "few": rows[:3], "one": rows[:1], "none": [], "twice": rows[:30] * 2,
        "ragged": [row[: draw.randint(1, len(row))] for row in rows], "texts": [["x" * 5000] * len(ODD_NAMES)] * 20,
    }  # fmt: skip
    for name, lines in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([ODD_NAMES, *lines])
    (folder / "bytes.csv").write_bytes(bytes(range(256)) * 4)
    (folder / "nothing.csv").write_bytes(b"")
    (folder / "marked.csv").write_bytes(b"\xef\xbb\xbfillness;city;age\r\nflu;A;1\r\nnone;B;2\r\n" * 3)
    (folder / "lines.jsonl").write_text('{"illness": "flu", "age": 1}\n{"illness": null, "city": ["A"]}\n' * 20)
    arrow = pa.table(
        {
            "illness": pa.array(["flu", None, "cold"] * 20), "city": pa.array([["A"], [], None] * 20),
            "age": pa.array([1.5, float("nan"), float("inf")] * 20),
            "when": pa.array([0, 1, None] * 20, pa.timestamp("ns", "UTC")),
            "id": pa.array([2**63 - 1, -(2**63), 0] * 20), "constant": pa.array([True] * 60), "empty": pa.nulls(60),
            "f": pa.array([{"a": 1}] * 60),
        }
    )  # fmt: skip
    pq.write_table(arrow, folder / "typed.parquet")
    pq.write_table(arrow.select(["illness", "age", "id", "constant"]), folder / "plain.parquet")
    (folder / "places.csv").write_text(
        "lat,lon,user,time\n"
        + "".join(f"52.{at % 7},13.{at % 5},u{at % 9},2024-01-01T0{at % 9}:00\n" for at in range(60))
    )
    (folder / "levels.csv").write_text("A,left,*\nB,right,*\n")
    (folder / "plan.toml").write_text('public = ["city"]\n[columns]\nillness = "randomized-response:epsilon=1"\n')
    (folder / "broken.toml").write_text("public = [\n")
    (folder / "prior.csv").write_text("label,value\nflu,0.5\nnone,0.3\ncold,0.2\n")
    channel = {
        "schema": "leakgauge/channel/1",
        "inputs": ["flu", "none"],
        "outputs": ["flu", "none"],
        "rows": [[0.9, 0.1], [0.1, 0.9]],
    }
    (folder / "channel.json").write_text(json.dumps(channel))
    shutil.copytree(job, folder / "job")
    for at, place in enumerate(sorted(job.glob("*.json"))):
        fields = json.loads(place.read_text(encoding="utf-8"))
        for turn in range(2):
            (folder / f"damaged-{at}-{turn}.json").write_text(json.dumps(_damaged(fields, draw)), encoding="utf-8")
    shutil.copytree(job, folder / "damaged-job")
    (folder / "damaged-job" / "verdict.json").write_text("{}")


def _damaged(fields: Any, draw: random.Random) -> Any:
    """The fields with one of them missing, doubled in a list, or of another type, somewhere in the tree."""
    if isinstance(fields, dict) and fields:
        name = draw.choice(sorted(fields))
        if isinstance(fields[name], dict | list) and fields[name] and draw.random() < 0.7:
            return {**fields, name: _damaged(fields[name], draw)}
        if draw.random() < 0.3:
            return {key: value for key, value in fields.items() if key != name}
        return {**fields, name: draw.choice([None, "x", -1, 1e308, [], {}, True, [fields[name]]])}
    if isinstance(fields, list) and fields:
        at = draw.randrange(len(fields))
        return [*fields[:at], _damaged(fields[at], draw), *fields[at + 1 :]]
    return draw.choice([None, "x", -1, [], {}])


@cache
def _commands() -> list[tuple[tuple[str, ...], click.Command]]:
    return [
        (path, one)
        for path, one in paths(spoken(verbs))
        if path and path[0] not in LEFT_OUT and not isinstance(one, click.Group)
    ]


USUAL: tuple[Callable[[random.Random, str], list[str]], ...] = (
    lambda draw, table: ["survey", table, "--secret", _column(draw)],
    lambda draw, table: ["measure", table, "--secret", _column(draw), "--background", _column(draw)],
    lambda draw, table: ["design", table, "--secret", _column(draw), "--max-distortion", draw.choice(NUMBERS[:7])],
    lambda draw, table: ["compare", table, "--secret", _column(draw), draw.choice(MECHANISMS), "--max-distortion", "1"],
    lambda draw, table: ["release", table, "--plan", "../in/plan.toml", "--simulate", "1", "-o", "out.csv"],
    lambda draw, table: ["query", table, "mean", "--column", "age", "--lower", "0", "--upper", "9", "--epsilon", "1"],
    lambda draw, table: ["audit", draw.choice(MECHANISMS), "--samples", "50", "--simulate", "1"],
    lambda draw, table: ["verify", f"../in/{draw.choice(['job/release.json', 'damaged-3-0.json'])}"],
    lambda draw, table: ["estimate", "../in/job/kit", "--shares", _column(draw)],
    lambda draw, table: ["relate", draw.choice(MECHANISMS)],
    lambda draw, table: ["compose", draw.choice(MECHANISMS), draw.choice(MECHANISMS)],
    lambda draw, table: ["location", "survey", "../in/places.csv", "--lat", "lat", "--lon", "lon"],
)  # fmt: skip
"""The beginnings of calls that open a table."""


def call(number: int, inputs: list[str]) -> list[str]:
    """The words of one call; in four of five, any options of any verb, most of which is refused at once."""
    draw = random.Random(number)
    if number % 5 == 0:
        words = draw.choice(USUAL)(draw, f"../in/{draw.choice(TABLES if draw.random() < 0.9 else inputs)}")
        path, command = next((path, one) for path, one in _commands() if path[0] == words[0] and path[-1] in words[:3])
        return [*words, *_options(command, draw, inputs, draw.choice([0, 0, 0, 1, 2]), words)]
    path, command = draw.choice(_commands())
    words = [f"../in/{draw.choice(inputs)}" if word == "people.csv" else word for word in path]
    for one in command.params:
        if isinstance(one, click.Argument) and draw.random() < 0.9:
            words += [_value(one, draw, inputs) for _ in range(max(one.nargs, 1))]
    return [*words, *_options(command, draw, inputs, draw.randrange(7))]


def _options(
    command: click.Command, draw: random.Random, inputs: list[str], count: int, given: Sequence[str] = ()
) -> Iterator[str]:
    known = [one for one in command.params if isinstance(one, click.Option) and one.name not in NOT_GIVEN]
    known = [one for one in known if not set(one.opts).intersection(given)]
    needed = [one for one in known if one.required and draw.random() < 0.8]
    for one in (*needed, *draw.choices(known, k=count)):
        yield one.opts[-1] if draw.random() < 0.98 else one.opts[-1] + "x"
        if not one.is_flag:
            yield from (_value(one, draw, inputs) for _ in range(one.nargs))


def _column(draw: random.Random) -> str:
    return draw.choice(ODD_NAMES[:3]) if draw.random() < 0.8 else draw.choice((*ODD_NAMES, "nowhere", ""))


def _value(one: click.Parameter, draw: random.Random, inputs: list[str]) -> str:
    """A value that an option may be given, or one that it may not."""
    if one.name in ("curve", "write_diagram", "template", "sample"):
        return draw.choice(["out.svg", "out.toml", "no/out.csv", "../in/odd.csv", ""])
    if one.name in ("output", "record"):
        return draw.choice(["out", "out.csv", "out.json", "out.svg", "out.parquet", "no/out.json", "../in/odd.csv", ""])
    if one.name in ("ledger", "address"):
        return draw.choice(["new.db", "../in/odd.csv", "postgresql://[", ""])
    if draw.random() < 0.05:
        return draw.choice(TEXTS)
    if isinstance(one.type, click.Choice):
        return str(draw.choice(list(one.type.choices)))
    if one.type in (FILE, ADDRESS):
        name = draw.choice(inputs)
        return draw.choice((f"../in/{name}", f"../in/{name}", f"../in/{name}", "nowhere.csv", "nowhere.json", "", "."))
    if one.type is click.FLOAT:
        return draw.choice(NUMBERS)
    if isinstance(one.type, click.types.IntParamType):
        return draw.choice(WHOLE)
    pool = {"bins": COARSER, "levels": COARSER, "mechanism": MECHANISMS, "mechanisms": MECHANISMS, "claim": MECHANISMS}
    return draw.choice(pool.get(str(one.name), (*TEXTS, *NUMBERS))) if draw.random() < 0.5 else _column(draw)
