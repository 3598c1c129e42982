"""Surveys of a table: which columns identify people, single them out or reveal a secret, and how they could do less."""

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
        singles_out: whether it is one of a few columns that single people out together.
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


class Coarsened(Part, frozen=True):
    """A level for every public column.

    Attributes:
        levels: the bins or level of each column by its name; None of one that stays as it is.
        loss: what is lost of the original columns, added up over them, suppressed rows included.
        suppressed: rows whose values are left out, because their groups would be too small.
        groups: of rows that agree in all columns, without those that are suppressed.
    """

    levels: dict[str, str | None]
    loss: Quantity
    suppressed: int
    groups: int


class CoarseningFound(Artefact, frozen=True, tag="leakgauge/coarsening/1"):
    """The levels of public columns that lose least and put every row in a group of k.

    Attributes:
        runner_up: the levels that lose least of all others; None where no others are allowed.
        counted: combinations of levels whose groups were counted; the others were ruled out by them.
    """

    k: Annotated[int, Origin.DECLARED]
    max_suppressed: Annotated[float, Origin.DECLARED]
    unit: Annotated[str | None, Origin.DECLARED]
    rows: Annotated[int, Origin.PUBLIC]
    chosen: Coarsened
    runner_up: Coarsened | None
    nodes: int
    counted: int


class TellingColumn(Part, frozen=True):
    """One public column and one secret.

    Attributes:
        tells: I(S;X), what the unchanged column reveals about the secret; None where its values are too many to count.
        distortion: the share of the column's values that may be changed.
        least: I(S;Y) of the channel that then reveals least about this secret; no channel reveals less than the lower
            end. For a column released through a channel, what it reveals.
    """

    column: str
    secret: tuple[str, ...]
    distortion: float
    through: bool
    tells: Quantity | None = None
    least: Quantity | None = None
    left_out: Sentence | None = None


class Telling(Artefact, frozen=True, tag="leakgauge/telling/1"):
    """Every public column with every secret, the most revealing first; ``keep`` is what the channels keep of a
    column."""

    keep: Annotated[str, Origin.DECLARED]
    # The order follows from the table, so none of it is public.
    columns: tuple[TellingColumn, ...]
