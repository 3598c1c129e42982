"""What the release as a whole must satisfy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import ON_PAGE, Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import KEPT, USES, KeepOrder, MinUsefulness, UseOfRelease
from leakgauge.errors import OptionError, did_you_mean


class Limits(RequestPart, frozen=True):
    """What the release as a whole must satisfy.

    Attributes:
        min_protection: from 0 to 100: the most useful setting with at least this protection is searched for, and a
            release with less is refused.
        min_usefulness: from 0 to 100, likewise; alone: the most protective setting that is this useful.
        use: what readers do with the release: ``statistics`` or ``rows``.
        keep: ``shares``, the default, designs among channels that release every value as often as it occurs;
            ``associations`` among those that do so for each value of the public columns too, which they read;
            ``nothing`` among all. Named mechanisms are not changed by it.
        clamp: whether released numbers are clamped to the declared bounds.
        keep_order: whether rows are released in the table's order, which may reveal what their values do not; by
            default they leave in a random order.
        policy: a file of limits, in TOML.
    """

    min_protection: Annotated[
        float | None,
        Origin.DECLARED,
        ON_PAGE,
        Option(
            "The most useful setting with at least this protection, from 0 to 100; with another target: a limit.", "P"
        ),
    ] = None
    min_usefulness: MinUsefulness = None
    use: UseOfRelease = "statistics"
    keep: Annotated[
        str | None,
        Origin.DECLARED,
        ON_PAGE,
        Option(
            "shares: every value as often as it occurs; associations: also with each public value; nothing: least "
            "leaking.",
            choices=KEPT,
            default="shares",
        ),
    ] = None
    clamp: Annotated[bool, Origin.DECLARED, Option("Clamp released numbers to the declared bounds.")] = False
    keep_order: KeepOrder = False
    policy: Annotated[
        str | None, Names.PLACE, ON_PAGE, Option("Limits to keep, in TOML; exit 1 if one is broken.", "FILE")
    ] = None

    def require_possible(self) -> None:
        """Refuse points off the dial and words that are none of ours."""
        for name, points in (("min-protection", self.min_protection), ("min-usefulness", self.min_usefulness)):
            if points is not None and not 0 <= points <= 100:
                raise OptionError(
                    "--{name!s} {points} is not a score, which runs from 0 to 100; give a number such as 60.",
                    name=name,
                    points=points,
                )
        if self.use not in USES:
            raise OptionError("There is no use {found!r}; {hint}", found=self.use, hint=did_you_mean(self.use, USES))
        if self.keep not in (None, *KEPT):
            raise OptionError(
                "--keep {found!r} is not nothing, shares or associations; use one of them.", found=self.keep
            )

    @property
    def are_given(self) -> bool:
        """Whether the least protection or usefulness is asked for."""
        return (self.min_protection, self.min_usefulness) != (None, None)

    @property
    def kept(self) -> str:
        """What a designed channel keeps on the whole."""
        # A file that drops rare values and distorts the shares is useless to most readers.
        return "shares" if self.keep is None else self.keep


class LimitsOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    min_protection: float | None
    min_usefulness: float | None
    use: str
    keep: str | None
    clamp: bool
    keep_order: bool
    policy: str | Path | None
