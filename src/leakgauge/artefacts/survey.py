"""A survey of a table: which columns identify people, which single them out, and what each reveals about a secret."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from leakgauge import notebook
from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity
from leakgauge.sentences import Sentence


class Suggested(Enum):
    """The role that a survey suggests for a column."""

    SECRET = "secret"
    UNIT = "unit"
    LEAVE_OUT = "leave out"
    COARSEN = "coarsen"
    BACKGROUND = "background"
    PUBLIC = "public"


class Told(Part, frozen=True):
    """What one column reveals about a secret.

    Attributes:
        information: in bits; bounds where the two have too many values to count.
        success: the share of rows whose secret is guessed right from this column alone.
        significant: whether it reveals anything at all, beyond chance.
    """

    secret: str
    information: Quantity
    success: Quantity
    significant: bool


class SurveyedColumn(Part, frozen=True):
    """One column of a table.

    Attributes:
        alone: rows whose value no other row has.
        identifier: why it identifies people; None if nothing suggests that it does.
        free_text: whether its values are sentences.
        singles_out: whether it is one of a few columns that single people out together.
        suggested: its role, and why.
    """

    name: Annotated[str, Origin.PUBLIC]
    kind: Annotated[str, Origin.PUBLIC]
    distinct: Annotated[int, Origin.COUNT]
    missing: Annotated[int, Origin.COUNT]
    alone: Annotated[int, Origin.COUNT]
    identifier: Sentence | None
    free_text: bool
    singles_out: bool
    tells: tuple[Told, ...]
    suggested: Suggested = Suggested.PUBLIC
    reason: Sentence = msgspec.field(default_factory=Sentence)


class Combination(Part, frozen=True):
    """Some columns, and how rows fall into groups that agree in them.

    Attributes:
        groups: combinations of values that occur.
        alone: rows that share theirs with no other row.
        smallest: the rows of the smallest group: the table is k-anonymous in these columns.
    """

    columns: Annotated[tuple[str, ...], Origin.DECLARED]
    groups: Annotated[int, Origin.COUNT]
    alone: Annotated[int, Origin.COUNT]
    smallest: Annotated[int, Origin.COUNT]


class Survey(Artefact, frozen=True, tag="leakgauge/survey/1"):
    """All columns of a table, the most revealing first.

    Attributes:
        sampled: rows drawn at random on which leakage was counted; all rows of a smaller table.
        combinations: the smallest sets of columns in which many rows are unique, most rows first.
        published: the public columns of a release together; None where none are public.
        suggested: the role of each column by its name.
    """

    table: str
    rows: Annotated[int, Origin.PUBLIC]
    sampled: int
    secrets: Annotated[tuple[str, ...], Origin.DECLARED]
    columns: tuple[SurveyedColumn, ...]
    combinations: tuple[Combination, ...]
    suggested: dict[str, Suggested]
    published: Combination | None = None

    @property
    def alone(self) -> float | None:
        """The share of rows that are unique in the public columns; None where none are public."""
        return None if self.published is None else self.published.alone / self.rows

    @property
    def smallest(self) -> int | None:
        """The rows of the smallest group of the public columns, or its persons; None where none are public."""
        return None if self.published is None else self.published.smallest

    _repr_html_ = notebook.shown

    def column(self, name: str) -> SurveyedColumn:
        """By its name."""
        return next(one for one in self.columns if one.name == name)
