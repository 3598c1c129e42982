"""The implication graph: what one statement says in the words of another notion.

An edge is data: premise, conclusion, conditions, formula, reference, status. Published edges that are false are
kept, marked, and never used to decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum

import numpy as np

from leakgauge.claims import Identifiability, Statement
from leakgauge.claims.statements import CentralIdentifiability
from leakgauge.errors import ModelError, OptionError
from leakgauge.measures import entropy
from leakgauge.notions.neighbours import data_sets, diameter
from leakgauge.notions.ratios import prior_skew
from leakgauge.probability import Distribution, Label
from leakgauge.probability.cells import sums_by


class Status(Enum):
    """How far an edge can be trusted."""

    SHARP = "sound and sharp"
    SOUND = "sound"
    UNSOUND = "published, unsound"


@dataclass(frozen=True)
class Circumstances:
    """What is known beside the statement; unknown facts close the edges that need them.

    Attributes:
        skew: Δ of the prior over any two inputs, in nats.
        neighbour_skew: Δ of the prior over neighbouring data sets, in nats.
        records: how many records a data set has.
        diameter: the most single replacements between two data sets; None: ``records``, as in a full product domain;
            infinite where some data sets cannot reach each other.
        independent: whether the records are independent under the prior.
        uncertainty: entropy of the secret, in bits: no information exceeds it.
        largest_distance: between two secrets, for metric privacy.
        smallest_distance: between two secrets, for metric privacy.
        delta: at which (ε, δ) statements are wanted.
        order: at which Rényi, Sibson and α-leakage statements are wanted.
    """

    skew: float | None = None
    neighbour_skew: float | None = None
    records: int = 1
    diameter: float | None = None
    independent: bool = False
    uncertainty: float = math.inf
    largest_distance: float | None = None
    smallest_distance: float | None = None
    delta: float = 1e-6
    order: float = 2.0

    def __post_init__(self) -> None:
        if self.records < 1:
            raise OptionError("A data set of {found} records does not exist; give at least 1.", found=self.records)
        if not 0 <= self.delta < 1:
            raise OptionError("A δ of {found} is not from 0 to below 1.", found=self.delta)
        if not self.order >= 1:
            raise OptionError("An order of {found} is below 1.", found=self.order)

    @property
    def reach(self) -> float:
        """By how much neighbouring ratios add up between any two data sets."""
        return self.records if self.diameter is None else self.diameter

    def with_domain(self, inputs: Sequence[Label]) -> Circumstances:
        """The same with the diameter of a domain of data sets, infinite where it falls apart."""
        structure = data_sets(inputs, self.records)
        try:
            return replace(self, diameter=float(diameter(structure, len(inputs))))
        except ModelError:
            return replace(self, diameter=math.inf)

    def with_prior(self, prior: Distribution) -> Circumstances:
        """The same with what a prior over records (or over data sets, as tuples) says.

        Raises:
            OptionError: the records are said to be independent, and under this prior they are not.
        """
        known = replace(self, skew=prior_skew(prior), uncertainty=entropy(prior))
        if self.records == 1:
            return replace(known, neighbour_skew=known.skew)
        if all(isinstance(data_set, tuple) and len(data_set) == self.records for data_set in prior.outcomes):
            apart = _independent(prior, self.records)
            if self.independent and not apart:
                raise OptionError("The records are said to be independent, but under this prior they are not.")
            structure = data_sets(prior.outcomes, self.records)
            skewed = replace(known, neighbour_skew=prior_skew(prior, structure), independent=apart)
            return skewed.with_domain(prior.outcomes)
        # A prior of one record. Whatever the dependence, r records hold at most r times its entropy; how skewed the
        # prior of whole data sets is, it says only if they are drawn independently.
        known = replace(known, uncertainty=known.uncertainty * self.records)
        if not self.independent:
            return replace(known, skew=None)
        return replace(known, neighbour_skew=known.skew, skew=(known.skew or 0.0) * self.records)


def _independent(prior: Distribution, records: int) -> bool:
    """Whether a prior over data sets is the product of what it says of each record, up to rounding."""
    p = prior.probabilities
    expected = np.ones(len(p))
    outside = 1.0
    for record in range(records):
        column = [data_set[record] for data_set in prior.outcomes if isinstance(data_set, tuple)]
        letters = {letter: code for code, letter in enumerate(dict.fromkeys(column))}
        codes = np.array([letters[letter] for letter in column])
        marginal = sums_by(codes, p, len(letters))
        expected *= marginal[codes]
        outside *= len(letters)
    # Data sets that are not listed have probability 0, which a product of positive marginals does not.
    return bool(np.allclose(p, expected, rtol=1e-9, atol=1e-12)) and (len(p) == outside or expected.sum() > 1 - 1e-9)


Bound = Callable[[Statement, Circumstances], "Statement | None"]


@dataclass(frozen=True)
class Edge:
    """One implication between notions.

    Attributes:
        premise: notion of the statement one has.
        conclusion: notion of the statement that follows.
        bound: the statement that follows, or None where its conditions are not met.
        formula: the bound in symbols.
        conditions: when it holds; empty if always.
        reference: where it is from.
        status: sharp, sound, or published and unsound.
        witness: for an unsound edge, the name of the stored counterexample.
    """

    premise: type[Statement]
    conclusion: type[Statement]
    bound: Bound = field(repr=False)
    formula: str
    conditions: str
    reference: str
    status: Status
    witness: str = ""


@dataclass(frozen=True)
class Implication:
    """What follows in one notion.

    Attributes:
        statement: the tightest one, or None where nothing follows.
        path: the edges that lead there; empty when the statement was of that notion already.
        counterexample: where nothing follows, the name of the family that shows it, or "".
    """

    statement: Statement | None
    path: tuple[Edge, ...] = ()
    counterexample: str = ""

    @property
    def sharp(self) -> bool:
        """Whether no smaller level follows for all channels and priors.

        Two sharp edges in a row need not be sharp together.
        """
        return len(self.path) == 1 and self.path[0].status is Status.SHARP


def implied(statement: Statement, to: type[Statement], circumstances: Circumstances | None = None) -> Implication:
    """The tightest statement of notion ``to`` that follows, with the path that shows it.

    Example:
        >>> from leakgauge.claims import LocalDP, MutualInformation
        >>> implied(LocalDP(1.0), MutualInformation).statement
        MutualInformation(information=0.177...)

    Raises:
        OptionError: an identifiability below the prior's skew, which no channel has.
    """
    from leakgauge.notions.edges import NOTHING_FOLLOWS, SOUND_EDGES

    known = circumstances or Circumstances()
    _require_possible(statement, known)
    if type(statement) is to and (not statement.parameters or _wanted(statement, known)):
        return Implication(statement)
    found = sorted(_walk(statement, to, known, (), SOUND_EDGES), key=lambda one: len(one.path))
    if found:
        tightest = min(_level(one.statement) for one in found)
        # Of paths that agree up to rounding, the shortest explains best.
        return next(one for one in found if _level(one.statement) <= tightest * (1 + 1e-9))
    return Implication(None, counterexample=NOTHING_FOLLOWS.get((type(statement), to), ""))


def everything_implied(statement: Statement, circumstances: Circumstances | None = None) -> Mapping[str, Implication]:
    """What follows in every other notion, by its name."""
    from leakgauge.claims import NOTIONS

    return {
        name: implied(statement, notion, circumstances)
        for name, notion in NOTIONS.items()
        if notion is not type(statement)
    }


def _walk(
    statement: Statement, to: type[Statement], known: Circumstances, path: tuple[Edge, ...], edges: tuple[Edge, ...]
) -> Iterator[Implication]:
    if path and type(statement) is to:
        yield Implication(statement, path)
        return
    visited = {edge.premise for edge in path}
    for edge in edges:
        if edge.premise is not type(statement) or edge.conclusion in visited:
            continue
        # A statement at one δ or one order says less than the whole curve: never a stop on the way.
        if edge.conclusion is not to and len(fields(edge.conclusion)) > 1:
            continue
        found = edge.bound(statement, known)
        if found is not None and math.isfinite(found.level):
            yield from _walk(found, to, known, (*path, edge), edges)


def _level(statement: Statement | None) -> float:
    if statement is None:
        return math.inf
    # At equal ε the smaller δ is the stronger statement; δ is the first parameter where there is one.
    return statement.level + 1e-15 * sum(value for name, value in statement.parameters if name == "delta")


def _wanted(statement: Statement, known: Circumstances) -> bool:
    wanted = {"delta": known.delta, "order": known.order}
    return all(value == wanted[name] for name, value in statement.parameters)


def _require_possible(statement: Statement, known: Circumstances) -> None:
    floors = {Identifiability: known.skew, CentralIdentifiability: known.neighbour_skew}
    floor = floors.get(type(statement))
    if floor is not None and statement.level < floor * (1 - 1e-12) - 1e-12:
        raise OptionError(
            "No channel has an identifiability of {found:.6g} here: the prior alone has Δ = {floor:.6g} nats.",
            found=statement.level,
            floor=floor,
        )
