"""What the whole release reveals about a secret, in bits and in guesses, column by column and together."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.quantity import Origin, Part, Quantity
from leakgauge.sentences import Sentence


class Bracket(Part, frozen=True):
    """What is revealed about a secret.

    Attributes:
        information: in bits. Exact: the estimate with its interval. Else the value is the unfavourable end, ``low`` is
            what an attacker achieves and ``high`` the most that can be revealed, each with the confidence by itself.
        success: the share of people whose secret the attacker guesses.
        exact: whether there are enough people for each combination to count them; a bracket never looks exact.
        everybody: whether right guesses are counted over everybody, by an attacker who knows how often everything
            occurs. Else they are tried on rows that the attacker was not trained on, and a better one may guess more.
    """

    information: Quantity
    success: Quantity
    exact: bool
    everybody: bool = False


class ToldByColumns(Bracket, frozen=True, kw_only=True):
    """What one column, or a few together, reveal about a secret.

    Attributes:
        roles: how each is seen: background, public, protected (released of another secret) or own.
    """

    columns: Annotated[tuple[str, ...], Origin.DECLARED]
    roles: Annotated[tuple[str, ...], Origin.DECLARED]


class Total(Part, frozen=True):
    """What the whole release reveals about all secrets at once, in bits; ``exact`` as in ``Bracket``.

    Attributes:
        entropy: of all of them: what there is to be told.
    """

    information: Quantity
    exact: bool
    entropy: Quantity | None = None


class Exposure(Part, frozen=True):
    """The exposure of a secret to the whole release.

    Attributes:
        entropy: of the secret: what there is to be told.
        known: what is known without the release.
        plain: all unchanged columns, without the secret's own released column.
        everything: with it.
        attacker: the predictor that the attacker does best with.
        rows: of the table that were learnt from and scored.
        scored: of them.
    """

    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    entropy: Quantity
    columns: tuple[ToldByColumns, ...]
    pairs: tuple[ToldByColumns, ...]
    known: Bracket
    plain: Bracket
    everything: Bracket
    attacker: Sentence
    rows: Annotated[int, Origin.COUNT]
    scored: Annotated[int, Origin.COUNT]
