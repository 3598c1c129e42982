"""Online release of a trace: at each step a report, made from the present area and from nothing that comes later."""

from __future__ import annotations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.location.tracking.movement import whose_areas
from leakgauge.mechanisms.mechanism import Law, Outputs
from leakgauge.probability.cells import as_codes
from leakgauge.randomness import Randomness


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
