"""Bundled data: people of UCI Adult (Becker and Kohavi 1996, doi:10.24432/C5XW20, CC BY 4.0).

The 30,718 people of the training part whose occupation is known, ten of its columns, in its order. The first column, a
number per person as tables of people have one, is ours.
"""

from __future__ import annotations

import gzip
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

NAME = "UCI Adult (bundled sample)"


def adult_csv() -> str:
    """One row per person as the text of a CSV file, with a column ``id``."""
    packed = files(__package__).joinpath("adult.csv.gz").read_bytes()
    header, *rows = gzip.decompress(packed).decode().splitlines()
    return "\n".join([f"id,{header}", *(f"{number},{row}" for number, row in enumerate(rows, 1))]) + "\n"


def adult_rows() -> pyarrow.Table:
    """The same as a table."""
    import io

    from pyarrow import csv

    return csv.read_csv(io.BytesIO(adult_csv().encode()))
