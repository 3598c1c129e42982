"""When frequencies may stand for probabilities."""

from __future__ import annotations

from typing import Final

PEOPLE_PER_CELL: Final = 5
"""With fewer for each combination of values, frequencies are mostly chance: somebody alone in a cell is not known by
it, and would look as if they were."""


def is_countable(cells: int, people: int) -> bool:
    """Whether there are people enough for so many combinations of values.

    Args:
        cells: of the secret and all that is seen.
        people: who differ independently: rows, and where one person has several, persons.

    Example:
        >>> is_countable(cells=800, people=4000), is_countable(cells=4800, people=4000)
        (True, False)
    """
    return PEOPLE_PER_CELL * cells <= people
