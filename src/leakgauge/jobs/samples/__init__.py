"""Bundled data: counts from UCI Adult (Becker and Kohavi 1996, doi:10.24432/C5XW20, CC BY 4.0), as rows.

The 30,718 people of the training part whose occupation is known, by marital status and occupation.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow

NAME = "UCI Adult, marital status and occupation (bundled sample)"


def adult_rows() -> pyarrow.Table:
    """One row a person, with the columns ``marital_status`` and ``occupation``."""
    import pyarrow

    text = files(__package__).joinpath("adult_marital_x_occupation.csv").read_text(encoding="utf-8")
    header, *lines = csv.reader(text.splitlines())
    counts = np.array([[int(cell) for cell in line[1:]] for line in lines])
    status = np.repeat([line[0] for line in lines], counts.sum(axis=1))
    occupation = np.concatenate([np.repeat(header[1:], row) for row in counts])
    return pyarrow.table({"marital_status": status.tolist(), "occupation": occupation.tolist()})


def adult_csv() -> str:
    """The rows as the text of a CSV file."""
    rows = adult_rows()
    columns = [rows.column(name).to_pylist() for name in rows.column_names]
    return "\n".join([",".join(rows.column_names), *(",".join(row) for row in zip(*columns, strict=True))]) + "\n"
