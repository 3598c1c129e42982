"""What a release is worth to its readers, by what they are handed and not by what its law contains.

For each statistic it is the share of the table's rows that would serve as well: 1 for a raw copy, and 0 where nothing
can be computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from statistics import NormalDist

import numpy as np

from leakgauge.artefacts.scores import Statistic, share
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ModelError, OptionError, did_you_mean
from leakgauge.probability import Joint
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.offered import Offered, Precision
from leakgauge.release.estimates.reading import Protected

SURE = NormalDist().inv_cdf(0.975)
"""Standard errors within which 95 of 100 estimates lie."""


class Use(Enum):
    """What readers do with a release, which decides what it is worth."""

    STATISTICS = "statistics"
    ROWS = "rows"


def use_named(use: str | Use) -> Use:
    """The use of that name."""
    if isinstance(use, Use):
        return use
    names = [one.value for one in Use]
    if use not in names:
        raise OptionError("There is no use {found!r}; {hint}", found=use, hint=did_you_mean(use, names))
    return Use(use)


def statistic(
    law: ReleaseLaw,
    columns: tuple[str, ...] = (),
    *,
    numbers: Floats | None = None,
    offered: Offered | None = None,
    rows: int | None = None,
    beside: tuple[str, ...] = (),
) -> Statistic | None:
    """The worth of a release for the shares of a secret, or its mean, alone or with columns; None where nothing varies.

    Args:
        numbers: that the values stand for; NaN where one is missing.
        offered: what recipients are handed; by default the channel, which was not fitted to the table.
        rows: of the release; None where the errors do not matter.
        beside: other columns of the secret itself.
    """
    if law.channel is None:
        return Statistic(columns, share(0.0))
    if numbers is not None:
        law, numbers = law.of_numbers(numbers)
    channel, source, by = law.channel, law.source, (*columns, *beside)
    assert channel is not None
    kit = offered or Offered(Protected("", channel))
    onto = law.combinations(columns) if isinstance(source, Joint) else None
    if numbers is None:
        found = kit.of_cells(channel, source, by, onto)
    else:
        found = kit.of_mean(channel, source, numbers, rows or 0, by, onto)
    return None if found is None else precision_said(columns, found, rows)


def statistics_of(
    law: ReleaseLaw, numbers: Floats | None = None, offered: Offered | None = None, rows: int | None = None
) -> Iterator[Statistic]:
    """The worth for the shares, or the mean, and with each published column."""
    for columns in ((), *((name,) for name in law.published)):
        found = statistic(law, columns, numbers=numbers, offered=offered, rows=rows)
        if found is not None:
            yield found


def precision_said(columns: tuple[str, ...], found: Precision, rows: int | None) -> Statistic:
    """A statistic of this precision, with the errors of a release of so many rows."""
    if found.errors is None or rows is None:
        return Statistic(columns, share(found.worth))
    points = np.minimum(100 * SURE * np.sqrt(found.errors / rows), 100.0)
    middle = float(points[len(points) // 2])
    return Statistic(columns, share(found.worth), float(points[0]), middle, float(points.max()))


def worth_of_rows(shares: Floats, channel: Floats, distances: Floats, constants: Floats) -> float | None:
    """1 − E d / least E d of a constant, at least 0; None where a constant serves every row.

    Args:
        shares: p(x).
        channel: q(y|x).
        distances: d(x, y) of what is released.
        constants: d(x, c) of the values that a constant may have.
    """
    if channel.shape != distances.shape or not len(shares) == len(channel) == len(constants):
        raise ModelError(
            "The distances have shape {found} for a channel of {wanted}; give one for each pair.",
            found=str(distances.shape),
            wanted=str(channel.shape),
        )
    least = float((shares @ constants).min())
    own = float(shares @ (channel * distances).sum(axis=1))
    return max(1 - own / least, 0.0) if least > 0 else None
