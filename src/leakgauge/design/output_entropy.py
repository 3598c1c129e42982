"""The channel with the most varied output: largest H(Y) within a distortion and a bound on its leakage.

Without a distortion the question has an empty answer: always releasing a uniform letter has the largest H(Y) there is,
tells nothing, and is of no use. Within one it is concave, and no channel has more than

    λδ + μb − min over channels of (Σ_y r(y) ln r0(y) + λ E d + μ I(X;Y)),

for any output law r0 and any prices λ, μ ≥ 0, since −Σ r ln r ≤ −Σ r ln r0. The minimum is a linear problem, or with
μ > 0 the rate-distortion problem of the costs (ln r0 + λd)/μ; both have bounds of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from leakgauge.design.arrays import ProblemArrays, arrays_of
from leakgauge.design.barrier import Centre, EntropyBounds, LeakageBounds, RatioBounds
from leakgauge.design.cones import Window
from leakgauge.design.ends import least_distortion
from leakgauge.design.problem import MaxDistortion, MaxLeakage, RateDistortion
from leakgauge.design.solution import exact_level
from leakgauge.design.solving import solve
from leakgauge.distances import Distortion
from leakgauge.errors import OptionError, RefusalError, UnprovedError
from leakgauge.measures import entropy, mutual_information
from leakgauge.notions import Level
from leakgauge.probability import Channel, Distribution, Label, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.rounding import from_above, from_below

ENTROPY_GAP = 1e-6
"""How far in nats the output's entropy may be from the largest, unless the caller asks otherwise."""
ENTROPY_CELLS = 900
"""The largest channel, inputs × outputs: one dense linear system of about that size a step."""
CLOSEST = 1e-7
"""The least share of the uniform channel in the start: with less it could not be told from the edge."""
STEEPER = 4.0
SHARPEST = 1e14


@dataclass(frozen=True, eq=False)
class OutputEntropy:
    """A channel of multiples of 2^-53 with a varied output, and the numbers of just this channel.

    ``bits`` is H(Y) and ``leakage`` I(X;Y), in bits; no channel within the distortion and the bound has an H(Y) above
    ``bits`` + ``gap``. The local ε is in nats, with its witness.
    """

    channel: Channel = field(repr=False)
    bits: float
    leakage: float
    distortion: float
    local_dp: Level = field(repr=False)
    gap: float
    iterations: int


def largest_output_entropy(
    source: Distribution,
    distortion: Distortion,
    max_distortion: float,
    *,
    local_dp: float | None = None,
    max_leakage: float | None = None,
    outputs: Sequence[Label] | None = None,
    gap: float = ENTROPY_GAP,
) -> OutputEntropy:
    """The channel of largest H(Y) within a mean distortion and one bound on its leakage.

    Args:
        local_dp: the largest local ε in nats; this or the next.
        max_leakage: the largest I(X;Y) in bits.
        gap: in nats; the only rule by which the search stops.

    Raises:
        OptionError: not just one bound, a bound or gap that is not above 0, or more than 900 inputs × outputs.
        RefusalError: no channel keeps the bound within this distortion; the message names the least.
        UnprovedError: the gap was not reached; the message says how close it came.

    Example:
        >>> from leakgauge.distances import Hamming
        >>> stars = Distribution(range(1, 6), np.array([2, 6, 19, 8, 4]) / 39)
        >>> found = largest_output_entropy(stars, Hamming(), 0.4, local_dp=2.0)
        >>> round(found.bits, 4), found.distortion <= 0.4, found.local_dp.value <= 2
        (2.276, True, True)
    """
    bound = _one_bound(local_dp, max_leakage, gap)
    problem = RateDistortion(source, distortion, MaxDistortion(max_distortion), outputs=outputs)
    arrays = arrays_of(problem)
    prior, distances = source.probabilities[arrays.occurring], arrays.distances[arrays.occurring]
    if distances.size > ENTROPY_CELLS:
        raise OptionError(
            "The largest entropy can be found for up to {limit} inputs × outputs, but there are {found}; merge rare "
            "letters.",
            limit=ENTROPY_CELLS,
            found=distances.size,
        )
    if np.isinf(distances).any():
        raise OptionError("The largest entropy needs finite distances, but some are infinite; give finite ones.")
    # Rounded at once, so that what is compared with the target is what would be handed over.
    alike = arrays.channel(np.full(distances.shape, 1 / distances.shape[1]), problem.letters)
    uniform = alike.matrix[arrays.occurring]
    if prior @ (uniform * distances).sum(axis=1) <= max_distortion:
        return _described(problem, arrays, uniform, math.log(distances.shape[1]), 0, gap)
    bounds: EntropyBounds
    if max_leakage is None:
        bounds = RatioBounds(bound)
        least = least_distortion(prior, distances, Window.within_ratio(np.ones(len(prior)), bounds.epsilon)).channel
    else:
        bounds = LeakageBounds(bound * math.log(2))
        best = solve(problem.with_target(MaxLeakage(bound)), gap=1e-7)
        least = best.channel.matrix[arrays.occurring]
    start = _inside(prior, distances, least, uniform, max_distortion)
    search = Centre(prior, distances, max_distortion, bounds, start)
    upper, sharpness = math.log(distances.shape[1]), 1.0
    while upper - search.entropy > 0.9 * gap and sharpness < SHARPEST and search.centre(sharpness):
        upper, sharpness = min(upper, search.upper_bound()), STEEPER * sharpness
    found = _described(problem, arrays, search.channel, upper, search.steps, gap)
    told = found.local_dp.value if max_leakage is None else found.leakage
    if told > bound or found.distortion > max_distortion:
        raise UnprovedError("No channel of multiples of 2^-53 keeps this distortion and this bound; relax one of them.")
    return found


def _inside(prior: Floats, distances: Floats, least: Floats, uniform: Floats, most: float) -> Floats:
    """A channel within the distortion and strictly within the bound: the least distortion, made a little noisier."""
    low, high = (float(prior @ (rows * distances).sum(axis=1)) for rows in (least, uniform))
    share = 0.5 * (most - low) / (high - low)
    if share < CLOSEST:
        raise RefusalError(
            "A mean distortion of {asked:.9g} is below the least within this bound, or too close to it; ask for at "
            "least {least:.9g}.",
            asked=from_below(most),
            least=from_above(low + 2 * CLOSEST * (high - low) * (1 + 1e-6)),
        )
    return np.asarray((1 - share) * least + share * uniform)


def _described(
    problem: RateDistortion, arrays: ProblemArrays, rows: Floats, upper: float, iterations: int, gap: float
) -> OutputEntropy:
    channel = arrays.channel(rows, problem.letters)
    bits = entropy(channel.output(problem.prior))
    open_gap = max(upper / math.log(2) - bits, 0.0)
    distortion = float(problem.prior.probabilities @ (channel.matrix * arrays.distances).sum(axis=1))
    if open_gap > gap / math.log(2):
        raise UnprovedError(
            "The output found is proven to be within {found:.3g} nats of the largest entropy, not within {asked:.3g}; "
            "ask for a larger gap.",
            found=open_gap * math.log(2),
            asked=gap,
        )
    leakage = mutual_information(Scenario(problem.prior, channel))
    return OutputEntropy(channel, bits, leakage, distortion, exact_level(channel), open_gap, iterations)


def _one_bound(local_dp: float | None, max_leakage: float | None, gap: float) -> float:
    bounds = [bound for bound in (local_dp, max_leakage) if bound is not None]
    if len(bounds) != 1:
        raise OptionError("No bound or two bounds are given; give one: local_dp in nats or max_leakage in bits.")
    for name, value in (("bound", bounds[0]), ("gap", gap)):
        if not (isinstance(value, Real) and 0 < value < math.inf):
            raise OptionError(
                "A {name} of {found} is impossible; give a finite number above 0.", name=name, found=value
            )
    return float(bounds[0])
