"""What an attacker may know besides a report, as p(area, what is known): the source of ``infer`` and of a scenario.

An hour, a weekday or a user group come from counts (``Visits.joint``); here are an earlier place, and the report of a
companion.
"""

from __future__ import annotations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.location.tracking.movement import Movement
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.labels import same_alphabet


@checked
def earlier_place(movement: Movement, steps: int = 1) -> Joint:
    """p(area now, area so many steps ago), known to whoever saw someone there and knows how people move.

    With transitions of a speed limit nothing out of reach is believed any more.

    Example:
        >>> from leakgauge.location.tracking.movement import speed_limit
        >>> street = speed_limit("abc", [[0, 0], [1, 0], [2, 0]], reach=1)
        >>> earlier_place(Movement(Distribution.uniform("abc"), street)).row_given_column("a").support
        ('a', 'b')
    """
    if steps < 1:
        raise OptionError("{steps} steps ago is not earlier; give 1 or more.", steps=steps)
    return movement.over(steps).transpose()


@checked
def often_together(prior: Distribution, companion: Distribution, share: float) -> Joint:
    """p(area, area of a companion) of two people who are in one area for this share of the time, from 0 to 1.

    Together they are where both go; otherwise each goes their own way.

    Raises:
        OptionError: a share that is not between 0 and 1, or two who are never in the same area.
    """
    same_alphabet(companion.outcomes, prior.outcomes, "areas of the companion", "areas of the prior")
    both = np.sqrt(prior.probabilities * companion.probabilities)
    if not 0 <= share <= 1 or (share > 0 and not both.any()):
        raise OptionError(
            "They cannot be together for {share} of the time; give a share from 0 to 1, and areas that both visit.",
            share=share,
        )
    apart = np.outer(prior.probabilities, companion.probabilities)
    together = np.diag(both / both.sum()) if share else np.zeros(apart.shape)
    return Joint(prior.outcomes, companion.outcomes, share * together + (1 - share) * apart)


@checked
def report_of_companion(together: Joint, channel: Channel) -> Joint:
    """p(area, report of a companion): what someone's own area has to do with what another reports.

    Its leakage without any report of their own is the ``floor`` of ``infer`` through a channel that says nothing.
    """
    return together.second_through(channel)
