"""What is known beside a statement: the prior, the records, the alphabet, and where (ε, δ) and orders are wanted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.arguments import check_fields, checked
from leakgauge.claims import MaximalLeakage, MutualInformationDP, SibsonLeakage, Statement
from leakgauge.errors import OptionError
from leakgauge.measures import entropy
from leakgauge.notions.neighbours import data_sets, diameter
from leakgauge.notions.ratios import prior_skew
from leakgauge.probability import Distribution, Label
from leakgauge.probability.cells import sums_by


@dataclass(frozen=True)
class Circumstances:
    """Facts that are known besides the statement; edges that need unknown facts are not followed.

    Attributes:
        skew: Δ of the prior over any two values of one record, in nats; None where a secret is a data set of several,
            of which only neighbours are compared.
        neighbour_skew: Δ of the prior over neighbouring data sets, in nats; with one record the same as ``skew``.
        records: how many records a data set has.
        ordered: whether the position of a record matters; if not, data sets are multisets.
        diameter: the most single replacements between two data sets; None: ``records``, as in a full product domain;
            infinite where some data sets cannot reach each other.
        independent: whether the records are independent under the prior.
        uncertainty: entropy of the secret, in bits.
        best_guess: the chance of the most likely secret; None where the prior of whole secrets is not known.
        values: how many values one record can have.
        secrets: how many secrets there are; None: every data set of so many records and values.
        largest_distance: between two secrets, for metric privacy.
        smallest_distance: between two secrets, for metric privacy.
        delta: at which (ε, δ) statements are wanted.
        order: at which Rényi, Sibson and α-leakage statements are wanted.
    """

    skew: float | None = None
    neighbour_skew: float | None = None
    records: int = 1
    ordered: bool = True
    diameter: float | None = None
    independent: bool = False
    uncertainty: float = math.inf
    best_guess: float | None = None
    values: int | None = None
    secrets: int | None = None
    largest_distance: float | None = None
    smallest_distance: float | None = None
    delta: float = 1e-6
    order: float = 2.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.records < 1:
            raise OptionError("A data set of {found} records does not exist; give at least 1.", found=self.records)
        if self.values is not None and self.values < 1:
            raise OptionError("A record of {found} values does not exist; give at least 1.", found=self.values)
        if not 0 <= self.delta < 1:
            raise OptionError("A δ of {found} is not from 0 to below 1; give one that is.", found=self.delta)
        if not self.order >= 1:
            raise OptionError("An order of {found} is below 1; give one of at least 1.", found=self.order)

    @property
    def reach(self) -> float:
        """By how much neighbouring ratios add up between any two data sets."""
        return self.records if self.diameter is None else self.diameter

    def cut(self, statement: Statement) -> Statement:
        """The statement, its bits capped at the entropy of the secret; a budget is unchanged.

        No average over the prior exceeds its entropy. Suprema over all priors, and Sibson's information, which may
        exceed the entropy, are at most the logarithm of the number of secrets, or for one record given the others
        of the values it can have.
        """
        if statement.unit != "bits":
            return statement
        if isinstance(statement, MutualInformationDP):
            most = _bits(self.values)
        elif isinstance(statement, MaximalLeakage | SibsonLeakage) or any(
            name == "order" and order < 1 for name, order in statement.parameters
        ):
            most = self._secret_bits
        else:
            most = self.held
        if statement.level <= most:
            return statement
        return type(statement)(most, *(value for _, value in statement.parameters))  # type: ignore[call-arg]

    @property
    def held(self) -> float:
        """The most bits that can be revealed about the secret; infinite if nothing is known about it."""
        return min(self.uncertainty, self._secret_bits)

    @property
    def least_guess(self) -> float | None:
        """What the chance of the best guess is at least: one in the number of secrets, where the prior is not known."""
        if self.best_guess is not None:
            return self.best_guess
        return None if self._secret_bits == math.inf else 2.0**-self._secret_bits

    @property
    def _secret_bits(self) -> float:
        """Logarithm of the number of secrets."""
        if self.secrets is not None or self.values is None:
            return _bits(self.secrets)
        if self.ordered:
            return self.records * _bits(self.values)
        return _bits(math.comb(self.values + self.records - 1, self.records))

    @checked
    def with_domain(self, inputs: Sequence[Label]) -> Circumstances:
        """These circumstances with what follows from the alphabet, of one record or of data sets."""
        structure = data_sets(inputs, self.records, self.ordered)
        values = max((len(group) for group in structure), default=None)
        known = replace(self, values=values, secrets=len(inputs))
        return known if self.records == 1 else replace(known, diameter=diameter(structure, len(inputs)))

    @checked
    def with_prior(self, prior: Distribution) -> Circumstances:
        """These circumstances with what follows from a prior over records, or over data sets as tuples."""
        likeliest = float(prior.probabilities.max())
        known = replace(self, uncertainty=entropy(prior), best_guess=likeliest)
        if self.records == 1:
            skew = prior_skew(prior)
            return replace(known, skew=skew, neighbour_skew=skew).with_domain(prior.outcomes)
        if of_data_sets(prior, self.records):
            structure = data_sets(prior.outcomes, self.records, self.ordered)
            skewed = prior_skew(prior, structure) if structure else None
            known = replace(known, neighbour_skew=skewed, independent=self._independent(prior))
            return known.with_domain(prior.outcomes)
        # A prior of one record. Whatever the dependence, r records hold at most r times its entropy; how skewed the
        # prior of whole data sets is, it says only if they are drawn independently. Of multisets the one that holds
        # a value r times is r times less likely than its order says: Δ + ln r.
        of_order = 0.0 if self.ordered else math.log(self.records)
        return replace(
            known,
            uncertainty=known.uncertainty * self.records,
            best_guess=likeliest**self.records if self.independent and self.ordered else None,
            values=len(prior),
            neighbour_skew=prior_skew(prior) + of_order if self.independent else None,
        )

    def _independent(self, prior: Distribution) -> bool:
        """Whether the records are independent under a prior over data sets; refused where that was said wrongly."""
        if not self.ordered:
            if self.independent:
                raise OptionError(
                    "A prior over data sets does not show whether unordered records are independent; give a prior of "
                    "one record, or leave the claim of independence out."
                )
            return False
        apart = _independent(prior, self.records)
        if self.independent and not apart:
            raise OptionError(
                "The records are declared independent, but under this prior they are not; leave the declaration out."
            )
        return apart


def of_data_sets(prior: Distribution, records: int) -> bool:
    """Whether a prior is over data sets of so many records, not over the values of one."""
    return all(isinstance(data_set, tuple) and len(data_set) == records for data_set in prior.outcomes)


def _bits(count: int | None) -> float:
    return math.inf if count is None else math.log2(count)


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
