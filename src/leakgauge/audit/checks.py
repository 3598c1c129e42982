"""Grey-box checks: what is wrong with a mechanism beyond the odds of its outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.artefacts import Check, Sentence
from leakgauge.audit.outputs import Outputs, codes_of
from leakgauge.errors import OptionError
from leakgauge.mechanisms.noise import GridNoise
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability.cells import Floats

FRESH = Sentence("fresh noise")
_FINE = 64
"""Steps to the scale from which on noise on a grid is as good as noise between its points."""
_ATOM = 0.02
"""The share of one value above which outputs must be rounded, clipped or on a coarse grid."""


@dataclass(frozen=True)
class DeclaredNoise:
    """The noise a mechanism says it adds.

    It is not checked if one output makes up a fiftieth of all: outputs rounded to a coarse grid or clipped to bounds
    spread less than their noise, yet keep its claim.

    Attributes:
        scale: the scale b of Laplace's law or the standard deviation.
        sensitivity: how far two neighbouring inputs may move the centre.
    """

    law: type[GridNoise]
    scale: float
    sensitivity: float

    def __post_init__(self) -> None:
        for name, value in (("scale", self.scale), ("sensitivity", self.sensitivity)):
            if not 0 < value < math.inf:
                raise OptionError(
                    "A declared {name} of {value} is not a finite number above 0; give one that is.",
                    name=name,
                    value=value,
                )


def declared_noise(mechanism: NoisyNumber) -> DeclaredNoise | None:
    """What a numeric mechanism of the catalogue declares, in the units of its outputs; None on a coarse grid, or if
    outputs are clamped to bounds.
    """
    grid, law = mechanism.span.grid, mechanism.added
    if law.scale < _FINE or mechanism.clamps:
        return None
    # On a grid the mean distance from the centre is smaller by up to 1/(6 scale²) of it.
    fair = law.scale * (1 - law.scale**-2)
    return DeclaredNoise(type(law), fair * grid, mechanism.span.steps * grid)


def noise_checks(first: Outputs, second: Outputs, declared: DeclaredNoise, miss: float) -> list[Check]:
    """Whether the noise is as large and the centres as near as declared; a right mechanism fails with at most ``miss``.

    There is no check where outputs are rounded or clipped, so that they no longer have the noise's law.
    """
    if any(np.unique(numbers, return_counts=True)[1].max() > _ATOM * len(numbers) + 5 for numbers in (first, second)):
        return []
    least = min(declared.law.largest_scale(numbers.astype(np.float64), miss / 4) for numbers in (first, second))
    apart = _least_distance(first.astype(np.float64), second.astype(np.float64), miss / 2)
    too_small = Sentence("at most {scale:.4g}, declared {declared:.4g}", scale=least, declared=declared.scale)
    too_far = Sentence(
        "the centres are at least {apart:.4g} apart, declared {declared:.4g}",
        apart=apart,
        declared=declared.sensitivity,
    )
    enough, near = least >= declared.scale, apart <= declared.sensitivity
    return [
        Check(Sentence("scale of the noise"), enough, Sentence() if enough else too_small),
        Check(Sentence("sensitivity of the inputs"), near, Sentence() if near else too_far),
    ]


def repetition_checks(once: Outputs, again: Outputs) -> list[Check]:
    """Whether two draws from the same input, taken one after the other, are the same in every place.

    Where every output is the same there is no noise that could repeat, and nothing to look at.
    """
    length = min(len(once), len(again))
    codes = codes_of(np.concatenate([once[:length], again[:length]]))
    if not length or not np.array_equal(codes[:length], codes[length:]):
        return [Check(FRESH, True)]
    counts = np.unique(codes[:length], return_counts=True)[1]
    if len(counts) == 1:
        return []
    # By chance two draws agree in one place with Σ p², estimated from the draw itself, and one more of each kind so
    # that a short draw of one letter is no proof.
    agree = float((((counts + 1) / (length + len(counts))) ** 2).sum())
    if length * math.log(min(agree, 1.0)) > math.log(1e-12):
        return [Check(FRESH, True)]
    repeated = Sentence("{count:d} outputs occurred again in the same order: the noise repeats", count=length)
    return [Check(FRESH, False, repeated)]


def _least_distance(first: Floats, second: Floats, miss: float) -> float:
    """Medians are nearer than this with a chance of at most ``miss``: order statistics, whatever the law."""
    from scipy.special import bdtrik

    ends = []
    for ordered in (np.sort(first), np.sort(second)):
        rank = math.ceil(bdtrik(miss / 4, len(ordered), 0.5)) - 1
        ends.append((float(ordered[rank]), float(ordered[-1 - rank])) if rank >= 0 else (-math.inf, math.inf))
    return max(ends[1][0] - ends[0][1], ends[0][0] - ends[1][1], 0.0)
