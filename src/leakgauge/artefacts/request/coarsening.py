"""How columns are made coarser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypedDict

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import Bins, Levels
from leakgauge.errors import OptionError

MAX_SUPPRESSED: Final = 0.05


class Coarsening(RequestPart, frozen=True):
    """How columns are made coarser, in the release and in everything measured.

    Attributes:
        bins: how numbers and dates are binned, such as ``age=width:10``.
        levels: coarser values of columns, such as ``job=jobs.csv:2``: level 2 of an ARX-style file, whose lines have a
            value and then ever coarser ones; without a number ``min_k`` chooses.
        suppress_below: public values of rows in groups of fewer rows than this are left out of the release.
        min_k: the least rows, or persons if there is a unit, in every group that agrees in the public columns: the
            levels, and the bins if several are given from fine to coarse, that lose least are chosen.
        max_suppressed: the share of rows whose public values may be left out for that.
    """

    bins: Bins = ()
    levels: Levels = ()
    suppress_below: Annotated[
        int | None, Origin.DECLARED, Option("Suppress public values of groups smaller than this.", "K")
    ] = None
    min_k: Annotated[
        int | None, Origin.DECLARED, Option("Coarsen public columns just enough that every group has K rows.", "K")
    ] = None
    max_suppressed: Annotated[
        float, Origin.DECLARED, Option("The largest share of rows suppressed, for --min-k.", "SHARE")
    ] = MAX_SUPPRESSED

    def require_possible(self) -> None:
        """Refuse numbers that hide nobody, and options that exclude each other."""
        if self.suppress_below is not None and self.suppress_below < 2:
            raise OptionError(
                "--suppress-below {found} suppresses nothing; give a whole number of at least 2.",
                found=self.suppress_below,
            )
        if not 0 <= self.max_suppressed < 1:
            raise OptionError(
                "--max-suppressed {found} is not a share of the rows; give a number from 0 to below 1, such as 0.05.",
                found=self.max_suppressed,
            )
        if self.min_k is None:
            if self.max_suppressed != MAX_SUPPRESSED:
                raise OptionError("--max-suppressed goes with --min-k; give both, or leave it out.")
            return
        if self.min_k < 2:
            raise OptionError("--min-k {found} hides nobody; give a whole number of at least 2.", found=self.min_k)
        if self.suppress_below is not None:
            raise OptionError("--min-k itself suppresses groups that are too small; leave --suppress-below out.")


class CoarseningOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    bins: Sequence[str]
    levels: Sequence[str]
    suppress_below: int | None
    min_k: int | None
    max_suppressed: float
