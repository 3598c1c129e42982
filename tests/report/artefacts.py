"""The files of a small job, made by the commands, and what is read off their pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.request import Declared
from leakgauge.assessment.judging import case_of, judge
from leakgauge.assessment.terms import Terms
from leakgauge.cli import main
from leakgauge.jobs.assess import Explaining, explained, read_audit
from leakgauge.jobs.improve import improve, stored
from leakgauge.release import Release
from leakgauge.tables import open_table
from leakgauge.telling.figures.chart import Figure

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")
PLACES = {"top", "bottom", "left", "right", "middle", "first"}
"""Where a box stands: longer names make higher boxes."""
ILLNESSES, CITIES = ("flu", "cold", "well", "asthma"), ("Oslo", "Bergen")


def make_files(folder: Path) -> dict[str, dict[str, Any]]:
    """What a job on a table of 400 people leaves, by the name of the file without its end."""
    rows = [f"{ILLNESSES[(at * at + at // 7) % 4 if at % 3 else at % 2]},{CITIES[at % 2]}" for at in range(400)]
    (folder / "people.csv").write_text("illness,city\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "plan.toml").write_text('public = ["city"]\n[columns]\nillness = "channel.json"\n', encoding="utf-8")
    people, record, audit = (str(folder / name) for name in ("people.csv", "release.json", "audit.json"))
    asked = [people, "--secret", "illness", "--background", "city"]
    channel = str(folder / "channel.json")
    commands = {
        "measurement": ["measure", *asked],
        "channel": ["design", *asked, "--max-distortion", "0.2"],
        "frontier": ["design", *asked, "--curve", "6"],
        "comparison": ["compare", *asked, "--max-distortion", "0.2", "randomized-response:epsilon=1"],
        "leakage": ["measure", *asked, "--channel", channel],
    }
    for name, command in commands.items():
        assert main([*command, "-o", str(folder / f"{name}.json")]) == 0
    plan = ["--plan", str(folder / "plan.toml"), "--record", record, "--simulate", "1"]
    assert main(["release", people, *plan, "-o", str(folder / "out.csv")]) == 0
    known = ["--original", people, "--background", "city", "--targets", "64", "--simulate", "1"]
    assert main(["audit", record, *known, "-o", audit]) == 0
    names = [*commands, "release", "audit"]
    files = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    with open_table(people) as table:
        found = read_audit(Path(audit))
        made = Release.read(Path(record))
        verdict = judge(made, case_of(made, table, background=["city"]), found, Terms())
        by = Explaining.by(Declared(diagram="paper"), factors="paper-a")
        files["verdict"] = encode(explained(verdict, Path(record), found, table, by))
        files["improvement"] = encode(stored(improve(people, secret="illness", min_protection=60)))
    return files


def marks(svg: str, role: str) -> list[ET.Element]:
    """The marks of a kind, such as ``rect mark``, that are told to those who cannot see."""
    return [one for one in ET.fromstring(svg).iter() if one.get("aria-roledescription") == role]


def labels(svg: str, role: str) -> list[str]:
    """What is told of the marks of a kind."""
    return [str(one.get("aria-label")) for one in marks(svg, role)]


def words(svg: str) -> set[str]:
    """The texts in a picture, line by line."""
    found = [one for one in ET.fromstring(svg).iter() if one.tag.endswith(("}text", "}tspan"))]
    return {"".join(one.itertext()) for one in found}


def width(svg: str) -> float:
    """In pixels."""
    return float(str(ET.fromstring(svg).get("viewBox")).split()[2])


def smallest_letters(svg: str) -> float:
    """The smallest size of a letter, in pixels."""
    return min(
        float(str(one.get("font-size")).removesuffix("px")) for one in ET.fromstring(svg).iter() if one.get("font-size")
    )


def numbers(figure: Figure) -> list[float | str]:
    """Every number in a chart's data that is no place on the paper, and every number in what is told of it."""
    return [*_numbers(figure.spec), *NUMBER.findall(figure.told)]


def _numbers(part: Any) -> Iterator[float | str]:
    if isinstance(part, list):
        for value in part:
            yield from _numbers(value)
    if not isinstance(part, dict):
        return
    for row in part.get("data", {}).get("values", []):
        for field, value in row.items():
            if isinstance(value, str):
                yield from NUMBER.findall(value)
            elif isinstance(value, int | float) and not isinstance(value, bool) and field not in PLACES:
                yield value
    for value in part.values():
        yield from _numbers(value)


def drawn(figure: Figure, field: str) -> list[Any]:
    """The values of a field in the chart's data, layer by layer."""
    return list(_drawn(figure.spec, field))


def _drawn(part: Any, field: str) -> Iterator[Any]:
    if isinstance(part, dict):
        for row in part.get("data", {}).get("values", []):
            if field in row:
                yield row[field]
        for value in part.values():
            yield from _drawn(value, field)
    elif isinstance(part, list):
        for value in part:
            yield from _drawn(value, field)
