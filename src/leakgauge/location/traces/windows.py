"""Online release of a trace, and what a window of it tells as a whole: I(X₁…X_w; Y₁…Y_w), in bits.

At each step a report is made from the present area and from nothing that comes later.

H(Y₁…Y_w) is summed over all sequences of reports while these are few, and H(Y₁…Y_w | X₁…X_w) has a closed form. Beyond,
the last entropies are bounded from both sides: to forget all but the latest reports leaves a report less certain, to
learn an earlier area leaves it more certain (Cover and Thomas, Elements of information theory, theorem 4.4.1). Drawn
traces give an estimate between the bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.large_maps import averaged
from leakgauge.location.tracking.markov import log_evidence
from leakgauge.location.tracking.movement import Movement, whose_areas
from leakgauge.measures import shannon
from leakgauge.mechanisms.mechanism import Law, Outputs
from leakgauge.probability import Channel, Distribution, Estimate, Scenario
from leakgauge.probability.cells import Codes, Floats, as_codes, log_or_zero
from leakgauge.probability.labels import same_alphabet
from leakgauge.randomness import Randomness
from leakgauge.randomness.sources import Simulated, simulation
from leakgauge.sentences import Sentence

MOST = 1 << 22
"""Numbers, one per sequence of reports and area, that are held at once (32 MiB)."""
CORRELATED = 1e-6
"""Bits that an area tells of the next one, from which on movement counts as correlated."""


@dataclass(frozen=True, eq=False)
class WindowLeakage:
    """What a window tells of all its areas, at least and at most, in bits: one number where the sum is exact.

    ``parts`` are I(X_t;Y_t) of each step alone, ``correlation`` is the largest I(X_t;X_(t+1)), both in bits.
    """

    parts: Floats
    low: float
    high: float
    correlation: float

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one number."""
        return self.low == self.high

    @property
    def warning(self) -> Sentence | None:
        """Where movement is correlated, a step is given away by the reports of others too."""
        if self.correlation < CORRELATED:
            return None
        return Sentence(
            "Consecutive areas are correlated: one reveals up to {bits:.2f} bits about the next. Reports of "
            "other steps give an area away too, so judge the whole trace, not each report.",
            bits=self.correlation,
        )


@checked
def window_leakage(movement: Movement, channel: Channel, steps: int, *, repeated: bool = False) -> WindowLeakage:
    """What so many steps tell, exactly while the sequences of reports are few, between bounds beyond.

    Args:
        channel: q(y|x) of each report.
        repeated: whether a report is repeated as long as someone stays, see ``release_trace``.

    Raises:
        OptionError: fewer than 1 step.
        LabelError: the areas of movement and channel differ.

    Example:
        >>> from leakgauge.probability import Distribution
        >>> bit, noisy = Distribution.uniform("ab"), Channel("ab", "ab", [[0.9, 0.1], [0.1, 0.9]])
        >>> [round(window_leakage(Movement.independent(bit), noisy, steps).high, 4) for steps in (1, 2)]
        [0.531, 1.062]
        >>> [round(window_leakage(Movement.resting(bit), noisy, steps).high, 4) for steps in (1, 2)]
        [0.531, 0.7421]
    """
    if steps < 1:
        raise OptionError("A window of {steps} steps has no steps; give 1 or more.", steps=steps)
    same_alphabet(movement.areas, channel.inputs, "areas of the movement", "inputs of the channel")
    laws = movement.marginals(steps)
    sources = (Scenario(Distribution(channel.inputs, law / law.sum()), channel) for law in laws)
    parts = np.array([shannon.mutual_information(one) for one in sources])
    chain = _Sequences(movement, channel, repeated)
    given = chain.entropies_given_areas(laws)
    whole = min(chain.longest(1), steps)
    above = below = chain.entropies(chain.started(laws[0]), whole)[-1] - float(given[:whole].sum())
    part = max(below, float(parts.max()), 0.0)
    # As many short sums as there are steps take as long as one long sum.
    length = min(chain.longest(steps), whole)
    for step in range(whole, steps):
        begin = step - length + 1
        *_, before, window = 0.0, *chain.entropies(chain.started(laws[begin]), length)
        part = max(part, window - float(chain.entropies_given_areas(laws[begin : step + 1]).sum()))
        above += window - before - given[step]
        below += chain.last_entropy_after(laws, step) - given[step]
    moves = _entropies_of_moves(movement, laws)
    if whole < steps:
        above = min(above, _entropy(laws[0]) + float(moves.sum()))
    # No window tells less than a part of it, whatever sums of floats say.
    low = max(below, part)
    told_of_next = [_entropy(law) - still for law, still in zip(laws[1:], moves.tolist(), strict=True)]
    return WindowLeakage(parts, low, max(above, low) if whole < steps else low, max(told_of_next, default=0.0))


@checked
def drawn_window_leakage(
    movement: Movement,
    law: Law,
    steps: int,
    *,
    repeated: bool = False,
    traces: int = 400,
    simulation_seed: int = 0,
) -> Estimate:
    """What so many steps tell, averaged over drawn traces, in bits: the mean of log p(y|x) − log p(y) of sequences.

    For windows and maps of any size; p(y) of a sequence of reports comes from the filter.

    Raises:
        OptionError: fewer than 1 step or 2 traces.
    """
    if steps < 1 or traces < 2:
        raise OptionError(
            "{traces} traces of {steps} steps reveal nothing; give at least 2 traces of 1 step or more.",
            traces=traces,
            steps=steps,
        )
    generator = simulation(simulation_seed)
    truth = movement.simulate(traces, steps, int(generator.integers(1 << 62)))
    whose = np.repeat(np.arange(traces), steps)
    randomness = Simulated(int(generator.integers(1 << 62)))
    reports = release_trace(truth.ravel(), law, randomness, repeated=repeated, traces=whose)
    told = np.empty(traces)
    for at, path in enumerate(truth):
        own = reports[at * steps : (at + 1) * steps]
        evidence = Evidence.through_law(law, len(movement.areas), own, repeated=repeated)
        fresh = np.ones(steps, dtype=bool)
        fresh[1:] = (path[1:] != path[:-1]) | (not repeated)
        given = sum(float(evidence.logs(step)[path[step]]) for step in np.flatnonzero(fresh).tolist())
        told[at] = given - log_evidence(movement, evidence)
    return averaged(told / math.log(2), 0.0, math.inf)


@checked
def release_trace(
    areas: object, law: Law, randomness: Randomness, *, repeated: bool = False, traces: object = None
) -> Outputs:
    """One report per step.

    Fresh reports of one place can be averaged until the place is known. A report that is repeated while someone stays
    tells no more of that place, however long they stay; but it tells when they moved, which fresh ones do not.

    Args:
        areas: the true areas in order of time, by position.
        law: how the mechanism draws reports.
        repeated: whether a report is repeated as long as the area is the same.
        traces: whose each area is, of the same length, in unbroken runs; by default all are of one trace.

    Raises:
        OptionError: a trace that does not have one entry per area, or a position below 0.

    Example:
        >>> from leakgauge.mechanisms.finite import randomized_response
        >>> from leakgauge.randomness import Simulated
        >>> law = randomized_response(1.0, letters="abcdefgh").law
        >>> release_trace([3, 3, 3, 5, 5], law, Simulated(1)).tolist()
        [3, 4, 6, 7, 0]
        >>> release_trace([3, 3, 3, 5, 5], law, Simulated(1), repeated=True).tolist()
        [3, 3, 3, 4, 4]
    """
    codes = as_codes(areas)  # type: ignore[arg-type]
    if len(codes) and codes.min() < 0:
        raise OptionError("A position of an area is below 0; leave out steps outside all areas.")
    if not repeated:
        return law.draw(codes, randomness)
    whose = whose_areas(traces, codes)
    fresh = np.ones(len(codes), dtype=bool)
    fresh[1:] = (codes[1:] != codes[:-1]) | (whose[1:] != whose[:-1])
    return np.asarray(law.draw(codes[fresh], randomness)[np.cumsum(fresh) - 1])


class _Sequences:
    """Weights p(reports so far, present area): one row per sequence of reports."""

    def __init__(self, movement: Movement, channel: Channel, repeated: bool) -> None:
        self._law, self._repeated = channel.matrix, repeated
        moves = movement.transitions.matrix
        self._stays = np.diag(moves).copy() if repeated else np.zeros(len(moves))
        self._moves = moves - np.diag(self._stays)
        logs = log_or_zero(self._law)
        self._rows = -(self._law * logs).sum(axis=1) / math.log(2)

    def longest(self, sums: int) -> int:
        """Reports that so many sums together may run over; the last one needs no area."""
        areas, outputs = self._law.shape
        base = math.log(max(outputs, 2))
        with_areas, reports = (math.floor(math.log(max(MOST / held, 1)) / base) for held in (areas * sums, sums))
        return max(min(with_areas + 1, reports), 1)

    def started(self, law: Floats) -> tuple[Floats, Codes]:
        """The weights of the first report of someone whose area has a law, and the last report of each row."""
        return np.ascontiguousarray((law[:, None] * self._law).T), np.arange(self._law.shape[1])

    def entropies(self, rows: tuple[Floats, Codes], length: int) -> list[float]:
        """H of the sequences of rows, then with each further report, in bits, so many of them."""
        found = [_entropy(rows[0].sum(axis=1))]
        for further in range(1, length):
            found.append(_entropy(self._next_reports(*rows).ravel()))
            if further < length - 1:
                rows = self._extended(*rows)
        return found

    def last_entropy_after(self, laws: Floats, step: int) -> float:
        """H of the report of a step given an earlier area, and its report where these are repeated."""
        outputs = self._law.shape[1]
        starts = self._law.shape[0] * (outputs if self._repeated else 1)
        back = min(self.longest(starts * len(laws)), step)
        law = laws[step - back]
        areas = np.arange(len(law))
        if self._repeated:
            rows = np.zeros((len(law) * outputs, len(law)))
            rows[np.arange(len(rows)), np.repeat(areas, outputs)] = (law[:, None] * self._law).ravel()
            last = np.tile(np.arange(outputs), len(law))
        else:
            rows, last = np.diag(law), np.full(len(law), -1)
        *_, before, after = self.entropies((rows, last), back + 1)
        return after - before

    def entropies_given_areas(self, laws: Floats) -> Floats:
        """H of each report given all areas and the reports before it; someone who stayed repeats what is known."""
        fresh = laws.copy()
        fresh[1:] -= laws[:-1] * self._stays
        return np.asarray(fresh @ self._rows)

    def _next_reports(self, rows: Floats, last: Codes) -> Floats:
        """The chance of each sequence and each report after it."""
        chances = rows @ self._moves @ self._law
        if self._repeated:
            chances[np.arange(len(last)), last] += rows @ self._stays
        return np.asarray(chances)

    def _extended(self, rows: Floats, last: Codes) -> tuple[Floats, Codes]:
        outputs = self._law.shape[1]
        moved = rows @ self._moves
        following = moved[:, None, :] * self._law.T
        if self._repeated:
            following[np.arange(len(last)), last] += rows * self._stays
        following = following.reshape(-1, self._law.shape[0])
        latest = np.tile(np.arange(outputs), len(rows))
        occurs = following.any(axis=1)
        return (following, latest) if occurs.all() else (following[occurs], latest[occurs])


def _entropy(chances: Floats) -> float:
    return max(-float(chances @ log_or_zero(chances)) / math.log(2), 0.0)


def _entropies_of_moves(movement: Movement, laws: Floats) -> Floats:
    """H(X_(t+1)|X_t) of each step but the last."""
    rows, _, chances = movement.transitions.cells.nonzero()
    return np.asarray(laws[:-1] @ np.bincount(rows, -chances * np.log2(chances), len(movement.areas)))
