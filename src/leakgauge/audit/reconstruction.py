"""Reconstruction: which rows have a secret, from noisy answers to counting queries about it.

References: Dinur and Nissim, Revealing information while preserving privacy, 2003; Dwork, McSherry and Talwar, The
price of privacy and the limits of LP decoding, 2007; Cohen and Nissim, Linear program reconstruction in practice, 2020.
"""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.artefacts import Finding, Quantity, Sentence
from leakgauge.artefacts.quantity import SHARE
from leakgauge.audit.attacks.attack import independent_advantage, scored
from leakgauge.audit.experiment import Counting
from leakgauge.errors import InternalError, OptionError
from leakgauge.probability.cells import Codes, Floats, Truths
from leakgauge.randomness import Randomness, simulation
from leakgauge.release.queries.noise import TotalNoise

MOST_CELLS = 1 << 22
"""Queries × kinds of rows that are decoded."""
_LEAST_SCALE = 1e-6
"""Of noise, for answers without any: where several columns fit equally well, the likelier one is taken."""


@checked
def reconstruct(
    queries: npt.ArrayLike, answers: npt.ArrayLike, *, share: float = 0.5, scale: float = 0.0
) -> npt.NDArray[np.bool_]:
    """Whether each row has the secret: the column that fits the answers best, by linear programming.

    It minimises Σ |Az − a| + scale · log((1 − share)/share) · Σ z over 0 ≤ z ≤ 1, and rounds. That is the likeliest
    column under Laplace noise if z need not be whole; without ``share`` and ``scale`` it is plain LP decoding. Rows
    that no query tells apart get the same guess.

    Args:
        queries: A, 0 or 1 for each query (a row) and each row of the table (a column): whether it is counted, if it has
            the secret.
        answers: a, how many rows with the secret each query counts, more or less.
        share: the share of rows that have the secret, as far as the attacker knows.
        scale: of the noise in the answers; that of other than Laplace noise is its standard deviation over √2.

    Raises:
        OptionError: queries that are not 0 and 1, another number of answers, or more than can be decoded.

    Example:
        >>> reconstruct([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 2]).tolist()
        [True, False, True]
    """
    matrix, counts = _table(queries), _numbers(answers)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biufO" or not matrix.size or not np.isin(matrix, (0, 1)).all():
        raise OptionError("The queries are not a table of 0 and 1; give one row per query and one column per person.")
    if counts.shape != matrix.shape[:1] or not np.isfinite(counts).all():
        raise OptionError(
            "{queries} queries have {answers} answers, or one is not a finite number; give one for each query.",
            queries=len(matrix),
            answers=counts.size,
        )
    if not 0 < share < 1 or not 0 <= scale < math.inf:
        raise OptionError(
            "A share of {share} is not between 0 and 1, or a scale of {scale} is below 0 or infinite; give numbers in "
            "these ranges.",
            share=share,
            scale=scale,
        )
    kinds, kind, copies = np.unique(matrix.astype(np.bool_), axis=1, return_inverse=True, return_counts=True)
    require_decodable(*kinds.shape)
    return _decoded(kinds, copies, counts, share, scale)[kind.ravel()]


def _table(given: npt.ArrayLike) -> npt.NDArray[Any]:
    """The table as an array; an empty one where its rows have different lengths."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError):
        return np.empty(0)


def _numbers(given: npt.ArrayLike) -> Floats:
    """The numbers as an array; NaN in place of all of them where one is not a number."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return np.full(len(given) if isinstance(given, Sized) else 1, np.nan)


def require_decodable(queries: int, kinds: int) -> None:
    """Refuse more queries and kinds of rows than can be decoded."""
    if queries * kinds > MOST_CELLS:
        raise OptionError(
            "{queries} queries that distinguish {kinds} kinds of rows are too many to decode; give fewer "
            "queries, or coarser conditions.",
            queries=queries,
            kinds=kinds,
        )


def _decoded(counted: Truths, copies: Codes, answers: Floats, share: float, scale: float) -> Truths:
    """Whether most rows of each kind have the secret; ``counted`` is queries × kinds."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    queries, kinds = counted.shape
    apart = eye_array(queries)
    # z, and how far each answer lies above and below what z would give.
    fit = hstack([csr_array(counted.astype(np.float64)), apart, -apart]).tocsr()
    # What lies beyond all that a column can give, or costs more than it can gain, does so by any amount: to cut it off
    # moves no optimum, and keeps the numbers within what the solver takes.
    reached = np.clip(answers, 0, counted @ copies)
    rarity = max(scale, _LEAST_SCALE) * math.log((1 - share) / share)
    rarity = min(max(rarity, -queries - 1.0), queries + 1.0)
    costs = np.concatenate([np.full(kinds, rarity), np.ones(2 * queries)])
    ends = np.concatenate([copies, np.full(2 * queries, np.inf)])
    found = linprog(
        costs, A_eq=fit, b_eq=reached, bounds=np.stack([np.zeros(len(ends)), ends], axis=1), method="highs-ipm"
    )
    if not found.success:
        # Any z can be made to fit, at a price: only the solver itself can fail.
        raise InternalError("The column could not be decoded: {reason!s}", reason=found.message)
    return np.asarray(found.x[:kinds] > copies / 2)


@dataclass(frozen=True, eq=False)
class AnsweredCounts:
    """A secret that each row has or not, and counting queries about it.

    Attributes:
        has: whether each row has the secret.
        kind: which queries count a row decides its kind: the number of each row's.
        counted: whether each query counts each kind.
    """

    has: Truths
    kind: Codes
    counted: Truths

    @property
    def share(self) -> float:
        """Of rows that have the secret."""
        return float(self.has.mean())

    def decoded(self, has: Truths, noise: TotalNoise | None, randomness: Randomness | None) -> Truths:
        """The guess for each row from fresh answers about a column; from exact ones without noise."""
        copies = np.bincount(self.kind).astype(np.int64)
        ones = np.bincount(self.kind, weights=has, minlength=len(copies)).astype(np.int64)
        exact = self.counted.astype(np.int64) @ ones
        if noise is None or randomness is None:
            return _decoded(self.counted, copies, exact.astype(np.float64), self.share, 0.0)[self.kind]
        drawn = np.array(noise.noisy(exact.tolist(), randomness))
        law, grid = noise.mechanism.added, noise.mechanism.span.grid
        scale = law.standard_deviation * grid / math.sqrt(2)
        return _decoded(self.counted, copies, drawn, self.share, scale)[self.kind]

    def attacked(
        self,
        noise: TotalNoise,
        randomness: Randomness,
        *,
        target: tuple[str, ...],
        knows: tuple[str, ...],
        runs: int = 20,
        confidence: float = 0.95,
        simulation_seed: int = 0,
        progress: Counting | None = None,
    ) -> tuple[Finding, int]:
        """What decoding finds in answers that are drawn so many times, and in how many of them it gets every row right.

        Without the answers everybody is guessed to have what most have. The attacker knows how the noise is drawn, so
        that it first tries the decoding on columns in random order, and keeps to what most have where that is no worse.
        In the independent release the answers are about such a column; the raw ones have no noise. Intervals are over
        runs: rows of one run share their noise.
        """
        require_decodable(*self.counted.shape)
        draws = simulation(simulation_seed)
        known: Truths = self.has == (self.share > 0.5)
        right, by_chance, tried = [], [], []
        for done in range(1, runs + 1):
            right.append(self.decoded(self.has, noise, randomness) == self.has)
            shuffled = self.has[draws.permutation(len(self.has))]
            decoded = self.decoded(shuffled, noise, randomness)
            by_chance.append(decoded == self.has)
            tried.append(float((decoded == shuffled).mean()))
            if progress is not None:
                progress(done, runs)
        if np.mean(tried) <= known.mean():
            right, by_chance = [known] * runs, [known] * runs
        without, units = np.tile(known, runs), np.repeat(np.arange(runs), len(known))
        score = scored(np.concatenate(right), without, units)
        success, baseline = score.success(confidence), float(known.mean())
        independent = independent_advantage(np.concatenate(by_chance), without, draws, confidence, units)
        raw = self.decoded(self.has, None, None) == self.has
        finding = Finding(
            Sentence("reconstruction"),
            target,
            knows,
            Quantity.estimated(success, SHARE),
            Quantity(baseline, SHARE),
            # What most have is the same in every run, so that only the success has an interval.
            Quantity(success.value - baseline, SHARE, success.low - baseline, success.high - baseline, confidence),
            Quantity.estimated(independent, SHARE),
            Quantity(max(float(raw.mean()) - baseline, 0.0), SHARE),
            round(score.gained / runs),
            # What others have may tell what somebody has, and no claim about one person limits that.
            None,
            Sentence("the column that fits the answers best, by linear programming"),
            # These answers are drawn for the attack, and are not those that anybody gets.
            judged=False,
        )
        return finding, sum(bool(one.all()) for one in right)
