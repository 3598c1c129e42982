"""A release that repeats earlier ones on a new table: who is in several of them, and what they reveal together."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.quantity import Origin, Part, Quantity, Real
from leakgauge.sentences import Sentence


class EarlierRelease(Part, frozen=True):
    """A release by the same mechanism, made before.

    Attributes:
        folder: of its job.
        reference: its name in its record.
        epsilon: what it cost a unit of protection, a histogram that was bought for it included.
        shared: how many persons of the new table are also in its table; None if unknown, and then all are assumed to
            be.
        unchanged: of these, for each secret, the share whose secret is the same in both tables.
        unknown: why it is unknown.
    """

    folder: str
    created: Annotated[str, Origin.PUBLIC]
    reference: str
    rows: Annotated[int, Origin.PUBLIC]
    epsilon: Quantity
    shared: int | None = None
    unchanged: dict[str, Quantity] | None = None
    unknown: Sentence | None = None


class RepeatedSecret(Part, frozen=True):
    """What the releases reveal, in bits, about the secret of a person who is in all of them with the same value.

    Other columns, and what is known, come on top: they may have changed from one table to the next.

    Attributes:
        entropy: of the secret: the most that can be revealed.
        alone: by its column of the new release, and by the public columns that its channel reads.
        together: by its columns of all these releases; at most that where it is not ``exact``.
        guessed_alone: the chance of guessing it in one try from its column of the new release.
        guessed: from its columns of all of them.
        distortion: of the mechanism, on average over the new table; ``max_distortion`` is what was asked for.

    Numbers are None of a mechanism without a finite alphabet.
    """

    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    entropy: Quantity
    alone: Quantity | None = None
    together: Quantity | None = None
    exact: bool = True
    guessed_alone: Quantity | None = None
    guessed: Quantity | None = None
    distortion: Quantity | None = None
    max_distortion: Annotated[Real | None, Origin.DECLARED] = None


class Repeated(Part, frozen=True):
    """The earlier releases, and what all of them reveal together with this one.

    Attributes:
        before: the oldest first.
        releases: how many there are, this one included.
        counted: how many of them one person may be in: not those whose tables are known to share nobody with this one.
        units: how many persons are in the new table; None where no column names them.
        epsilon: of a person who is in all that are counted: their ε add up.
        spent: what the account of the ledger has spent, this release included; None without one.
    """

    before: tuple[EarlierRelease, ...]
    releases: Annotated[int, Origin.PUBLIC]
    counted: int
    secrets: tuple[RepeatedSecret, ...]
    epsilon: Quantity
    unit: Annotated[str | None, Origin.DECLARED] = None
    units: int | None = None
    dataset: Annotated[str | None, Origin.DECLARED] = None
    spent: Quantity | None = None
