"""The paper's own tables: leaf states (Table 1), arcs (Table 2) and the matrices it prints."""

from __future__ import annotations

import csv
from enum import Enum
from importlib.resources import files

import numpy as np

from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published.fuzzy_sets import Frequency, State
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats


class Directions(Enum):
    """Which directions the 53 arcs have; the values are columns of ``tables/edges.csv``."""

    PRINTED = "printed"
    """As Table 2 has them: slipped by three rows."""
    CORRECTED = "corrected"
    """The slip mended, the rest as printed: gives the paper's numbers."""
    BY_MEANING = "by_meaning"
    """What each influence means: an attack that succeeds lowers resistance."""


def table_1() -> dict[str, dict[State, Frequency]]:
    """The leaves' labels for the Laplace mechanism, ε = 0.1."""
    return {
        row["node"]: {state: Frequency(row[state.value]) for state in State if row[state.value]}
        for row in _rows("leaf_states_laplace.csv")
    }


def table_2(directions: Directions) -> tuple[Arc, ...]:
    """The 53 arcs in the order of the table."""
    return tuple(Arc(row["src"], row["dst"], row[directions.value] == "rev") for row in _rows("edges.csv"))


def printed_matrix(name: str) -> Floats:
    """A matrix as it is printed, misprints and all: F7, R32P, F32P, F32, F45, or F45G for the Gaussian mechanism.

    Raises:
        OptionError: no such matrix is printed.
    """
    cells = [row for row in _rows("published_matrices.csv") if row["matrix"] == name]
    if not cells:
        raise OptionError("No matrix {name!r} is printed; there are F7, R32P, F32P, F32, F45 and F45G.", name=name)
    return np.array([float(cell["printed"]) for cell in cells]).reshape(11, 11)


def _rows(file: str) -> list[dict[str, str]]:
    text = files("leakgauge.assessment").joinpath("tables", file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
