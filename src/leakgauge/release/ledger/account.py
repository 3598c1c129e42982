"""An account: whose budget it is, what it allows, and what it protects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.release.ledger.limits import ApproximateLimit, ConcentratedLimit, Limit, Unlimited
from leakgauge.sentences import Sentence

NeighboursName: TypeAlias = Literal["replace-one", "add-or-remove"]
NEIGHBOURS: Mapping[str, Neighbours] = {
    "replace-one": Neighbours.REPLACE_ONE,
    "add-or-remove": Neighbours.ADD_OR_REMOVE_ONE,
}
"""Kinds of neighbours by their names in files and on the command line."""
ONE_ROW = "one row"
"""The unit of protection where nothing else is said."""
LONGEST_TEXT = 1000
_COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True)
class Account:
    """The budget of one data set.

    Args:
        dataset: its name.
        limit: what all releases together may cost.
        unit: in words, what is protected.
        neighbours: which data sets the guarantee compares.
        opened: when, UTC in ISO 8601.

    Raises:
        OptionError: a text that is empty, too long or has control characters, or a limit that is none.
    """

    dataset: str
    limit: Limit
    unit: str = ONE_ROW
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    opened: str = ""

    def __post_init__(self) -> None:
        require_text(self.dataset, Sentence("The name of a data set"))
        require_text(self.unit, Sentence("The unit of protection"))
        if not isinstance(self.limit, ApproximateLimit | ConcentratedLimit | Unlimited):
            raise OptionError(
                "{found!r} is no limit; give an ApproximateLimit, a ConcentratedLimit or Unlimited().", found=self.limit
            )
        if not isinstance(self.neighbours, Neighbours):
            raise OptionError("{found!r} is no kind of neighbours; give one of Neighbours.", found=self.neighbours)

    @property
    def delta(self) -> float:
        """The δ of the limit; 0 where it has none."""
        return float(self.limit.delta) if isinstance(self.limit, ApproximateLimit) else 0.0


def name_of(neighbours: Neighbours) -> NeighboursName:
    """The name of a kind of neighbours in files and on the command line."""
    return "replace-one" if neighbours is Neighbours.REPLACE_ONE else "add-or-remove"


def default_dataset(table: str) -> str:
    """The name of a data set by that of its file: without its extension, nor that of a compressed file."""
    path = Path(table)
    return Path(path.stem).stem if path.suffix.lower() in _COMPRESSED else path.stem


def require_account(account: Account, unit: str, neighbours: Neighbours) -> None:
    """Refuse an account that protects something else than what is to be counted in it.

    Args:
        account: whose budget would be spent.
        unit: what a release or query protects, in the words of an account.
        neighbours: which data sets its guarantee compares.

    Raises:
        OptionError: another unit or other neighbours.
    """
    if account.unit == unit and account.neighbours is neighbours:
        return
    raise OptionError(
        "The account of {dataset!r} protects {unit!s} ({neighbours!s}), and this protects {found!s} ({others!s}); ask "
        'for what the account protects, or open one with --unit "{found!s}" --neighbours {others!s}.',
        dataset=account.dataset,
        unit=account.unit,
        neighbours=name_of(account.neighbours),
        found=unit,
        others=name_of(neighbours),
    )


def require_text(text: object, what: Sentence) -> None:
    """Refuse what is not one line of text that every store can hold."""
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT or not text.isprintable() or not text.strip():
        raise OptionError(
            "{what} is not one line of 1 to {most} printable characters; give a shorter or plainer one.",
            what=what,
            most=LONGEST_TEXT,
        )
