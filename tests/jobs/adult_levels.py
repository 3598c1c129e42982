"""Levels of Adult's columns, as a statistics office would write them for ARX."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from leakgauge.artefacts import Request
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.samples import adult_rows
from leakgauge.tables import Suppression, Table, in_bins, open_table, suppressed
from leakgauge.tables.binnings import parse_binnings

COLUMNS = ("age", "sex", "race", "education", "native_country")
_SCHOOL = {
    "Preschool": "primary",
    **dict.fromkeys(("1st-4th", "5th-6th", "7th-8th"), "primary"),
    **dict.fromkeys(("9th", "10th", "11th", "12th"), "secondary"),
    "HS-grad": "secondary",
    **dict.fromkeys(("Some-college", "Assoc-voc", "Assoc-acdm"), "college"),
    **dict.fromkeys(("Bachelors", "Masters", "Doctorate", "Prof-school"), "university"),
}
_HIGHER = {"primary": "school", "secondary": "school", "college": "higher", "university": "higher"}
_CONTINENTS = {
    "America": "United-States Mexico Canada Puerto-Rico El-Salvador Cuba Jamaica Dominican-Republic Guatemala Columbia "
    "Haiti Nicaragua Peru Ecuador Trinadad&Tobago Outlying-US(Guam-USVI-etc) Honduras",
    "Asia": "Philippines India South China Vietnam Japan Taiwan Iran Hong Cambodia Thailand Laos",
    "Europe": "Germany England Italy Poland Portugal France Greece Ireland Yugoslavia Hungary Scotland "
    "Holand-Netherlands",
    "unknown": "?",
}


def write_adult_levels(folder: Path) -> dict[str, Path]:
    """A level file for each of five columns, by its name."""
    races = ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")
    lines = {
        "age": [
            [str(age), *(f"{age - age % wide}-{age - age % wide + wide - 1}" for wide in (5, 10, 20))]
            for age in range(17, 91)
        ],
        "sex": [["Female"], ["Male"]],
        "race": [[one] for one in races],
        "education": [[one, school, _HIGHER[school]] for one, school in _SCHOOL.items()],
        "native_country": [[one, continent] for continent, many in _CONTINENTS.items() for one in many.split()],
    }
    places = {}
    for name, each in lines.items():
        places[name] = folder / f"{name}.csv"
        text = "".join(";".join([*line, "*"]) + "\n" for line in each)
        places[name].write_text(text, encoding="utf-8")
    return places


def asked_of_adult(folder: Path, **more: Any) -> Request:
    """What is asked of the bundled people where every group is to have 5 rows, all levels to choose from."""
    levels = tuple(f"{name}={place}" for name, place in write_adult_levels(folder).items())
    plain: dict[str, Any] = {
        "table": "adult",
        "secret": ("occupation",),
        "public": COLUMNS,
        "levels": levels,
        "min_k": 5,
    }
    return Request.of(**plain | {"max_distortion": 0.2} | more)


def as_released(settled: Request, table: Table) -> Table:
    """A table as its public columns are released."""
    coarse = in_bins(table, parse_binnings(settled.coarsening.bins, settled.roles.public, settled.coarsening.levels))
    below = settled.coarsening.suppress_below
    return suppressed(coarse, None if below is None else Suppression(settled.roles.public, below, settled.roles.unit))


def coarse_adult() -> Table:
    """The bundled people with their public columns as --min-k 5 releases them."""
    table = open_table(adult_rows())
    with tempfile.TemporaryDirectory() as folder:
        return as_released(choose_levels(asked_of_adult(Path(folder)), table)[0], table)
