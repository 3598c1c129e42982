"""The implication graph: what a statement of one notion implies in another.

Only sound edges are walked; what papers claimed falsely is in ``leakgauge.papers``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from leakgauge.arguments import checked
from leakgauge.claims import NOTIONS, CentralIdentifiability, Identifiability, Statement
from leakgauge.errors import OptionError
from leakgauge.notions.circumstances import Circumstances
from leakgauge.notions.edges import NOTHING_FOLLOWS, SOUND_EDGES, Edge
from leakgauge.rounding import from_above, from_below


@dataclass(frozen=True)
class Implication:
    """The tightest statement that follows in one notion, and the edges that lead there (none from the notion itself).

    It is ``cut`` where the level is what the secret can hold, less than the last edge's formula gives, and ``sharp``
    where no smaller level follows for all channels and priors: two sharp edges in a row need not be sharp together.
    Where nothing follows there is no statement, and the family that shows it may be named.
    """

    statement: Statement | None
    path: tuple[Edge, ...] = ()
    counterexample: str = ""
    cut: bool = False
    sharp: bool = False


@checked
def implied(statement: Statement, to: type[Statement], circumstances: Circumstances | None = None) -> Implication:
    """The tightest statement of notion ``to`` that follows, with the path that shows it.

    Example:
        >>> from leakgauge.claims import LocalDP, MutualInformation
        >>> implied(LocalDP(1.0), MutualInformation).statement
        MutualInformation(information=0.177...)

    Raises:
        OptionError: an identifiability below the prior's skew, which no channel has.
    """
    known = circumstances or Circumstances()
    _require_possible(statement, known)
    if type(statement) is to and all(value == getattr(known, name) for name, value in statement.parameters):
        held = known.cut(statement)
        return Implication(held, cut=held != statement)
    ways = sorted(_walk(statement, (), to, known), key=lambda way: len(way[1].path))
    if ways:
        tightest = min(level for level, _ in ways)
        # Of paths that agree up to rounding, the shortest explains best.
        return next(way for level, way in ways if level <= tightest * (1 + 1e-9))
    return Implication(None, counterexample=NOTHING_FOLLOWS.get((type(statement), to), ""))


@checked
def everything_implied(statement: Statement, circumstances: Circumstances | None = None) -> Mapping[str, Implication]:
    """The statements implied in every other notion, by name; in its own notion if wanted at another δ or order."""
    follows = {name: implied(statement, notion, circumstances) for name, notion in NOTIONS.items()}
    same = follows[statement.name]
    if not same.path:
        del follows[statement.name]
    return follows


def _walk(
    statement: Statement, path: tuple[Edge, ...], to: type[Statement], known: Circumstances
) -> Iterator[tuple[float, Implication]]:
    """Every way to the notion, with its level."""
    visited = {edge.premise for edge in path}
    for edge in SOUND_EDGES:
        if edge.premise is not type(statement) or edge.conclusion in visited:
            continue
        # A statement at one δ or one order says less than the whole curve: never a stop on the way.
        if edge.conclusion is not to and len(fields(edge.conclusion)) > 1:
            continue
        follows = edge.bound(statement, known)
        if follows is None or not math.isfinite(follows.level):
            continue
        held = known.cut(follows)
        if edge.conclusion is to:
            # At equal ε the smaller δ is the stronger statement.
            level = held.level + 1e-15 * dict(held.parameters).get("delta", 0.0)
            cut = held != follows
            sharp = not path and not cut and edge.is_sharp(statement, known)
            yield level, Implication(held, (*path, edge), cut=cut, sharp=sharp)
        else:
            yield from _walk(held, (*path, edge), to, known)


def _require_possible(statement: Statement, known: Circumstances) -> None:
    floor = known.neighbour_skew if isinstance(statement, Identifiability | CentralIdentifiability) else None
    if floor == math.inf and statement.level < math.inf:
        raise OptionError(
            "No channel has a finite identifiability here: the prior gives a value probability 0; restrict it to the "
            "values that occur."
        )
    if floor is not None and statement.level < floor * (1 - 1e-12) - 1e-12:
        raise OptionError(
            "No channel has an identifiability of {found:.6g} here: the prior alone has Δ = {floor:.6g} nats; "
            "state at least that.",
            found=from_below(statement.level, 6),
            floor=from_above(floor, 6),
        )
