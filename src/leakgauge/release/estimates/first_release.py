"""The first release of a chain of repeated jobs, from which its recipients can rebuild the channels of all of them.

A channel is rebuilt where its whole design problem was declared and what it counted as known was published: then
nothing but the released rows and declared settings enters it. Where a search on the table chose how much noise there
is, its slope enters too, rounded to two digits: with all its digits it would tell the shares more exactly than the
released rows do. Recipients then count with what the slope may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from leakgauge.artefacts import Job, Request, codec
from leakgauge.artefacts.dossier import IMPROVEMENT, JOB, RECORD
from leakgauge.artefacts.estimates import Kit
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.request import Aim
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope
from leakgauge.design.problem import Target
from leakgauge.distances import Hamming
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import InputError, VerificationError
from leakgauge.measures.countability import is_countable
from leakgauge.probability import Distribution, Joint, Label, PriorOrigin
from leakgauge.release.estimates.rebuilding import Problem, Rebuilt, rebuilt
from leakgauge.release.letters import places_among
from leakgauge.release.record import file_digest, read_record
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table, open_table

KIT_FOLDER = "kit"
LEAST_LEAKING: Final = "least leaking that keeps the shares"
"""The family of settings, as a search names it, whose channel can be rebuilt."""
_DIGITS: Final = 2
"""Of a slope that a search chose: what they leave open of the shares is no less than what released rows do."""


@dataclass(frozen=True)
class Designed:
    """How a channel was designed, as far as recipients may know it.

    Attributes:
        problem: what was put to the shares of the table.
        ends: the same with the least and the greatest slope that its digits stand for; none where it was declared.
        against_published: whether the published columns counted as known.
    """

    problem: Problem
    ends: tuple[Problem, ...] = ()
    against_published: bool = True


@dataclass(frozen=True)
class FirstRelease:
    """What the recipients of the first release of a chain were handed, and what was declared for it."""

    folder: Path
    request: Request
    kit: Kit

    @property
    def release(self) -> Path:
        """The file that they have."""
        return self.folder / KIT_FOLDER / self.kit.release

    def designed(self, column: str) -> Designed | None:
        """How a column's channel was designed; None where recipients may not know enough of it."""
        asked, limits = self.request, self.request.limits
        aim = next((one for one in asked.aims if one.columns == (column,)), None)
        if aim is None or aim.mechanism or aim.within is not None or limits.kept != Keep.SHARES.value:
            return None
        if asked.budget.accounted is not None or asked.roles.public_through:
            return None
        plan = read_record(self.folder / RECORD.name).plan
        planned = plan.columns.get(column)
        if planned is None or planned.kind != "channel" or planned.channel_prior is not PriorOrigin.THIS_TABLE:
            return None
        if not aim.is_limited:
            return None if column in plan.bins else self._searched(column)
        if set(asked.roles.seen) - set(asked.roles.public_as_is):
            # Nobody was handed what the channel was designed against.
            return None
        return Designed(partial(_problem, aim))

    def _searched(self, column: str) -> Designed | None:
        """The least leaking channel of the values alone at the slope that a search chose; of texts only."""
        place = self.folder / IMPROVEMENT.about((column,), self.request.roles.sources)
        found = codec.read(StoredImprovement, place).chosen if place.is_file() else None
        family = None if found is None else found.mechanism.fields.get("family")
        slope = None if found is None else found.mechanism.fields.get("slope")
        with open_table(self.release) as table:
            is_text = any(one.name == column and one.kind is Kind.STRING for one in table.columns())
        if not isinstance(family, Sentence) or family.template != LEAST_LEAKING or not is_text:
            return None
        if not isinstance(slope, float | int) or slope <= 0:
            return None
        rounded = float(f"{slope:.{_DIGITS}g}")
        half = 10.0 ** (math.floor(math.log10(rounded)) + 1 - _DIGITS) / 2
        middle, *ends = (partial(_at_slope, each) for each in (rounded, rounded - half, rounded + half))
        return Designed(middle, tuple(ends), against_published=False)

    def known(self, table: Table, column: str) -> tuple[str, ...] | None:
        """The published columns that the design counted as known; None where the private table chose among them."""
        roles = self.request.roles
        varied = tuple(one for one in roles.public_as_is if table.group_sizes([(one,)])[0].groups > 1)
        if not varied:
            return ()
        if roles.unit is not None and roles.rows_per_unit is None:
            # How many people there are decides how many columns count, and is not known.
            return None
        values, beside = (one.groups for one in table.group_sizes([(column,), varied]))
        return varied if is_countable(values * beside, table.rows // (roles.rows_per_unit or 1)) else None


def first_release(asked: Request) -> FirstRelease | None:
    """The first release of the chain that a job goes on; None where its recipients' kit is not at hand."""
    folder, seen = asked.repeat, set[str]()
    while folder is not None and folder not in seen:
        seen.add(folder)
        try:
            request = codec.read(Job, Path(folder) / JOB.name).request
        except (InputError, VerificationError):
            return None
        if request.repeat is None:
            return _in_folder(Path(folder))
        folder = request.repeat
    return None


def _in_folder(place: Path) -> FirstRelease | None:
    try:
        request = codec.read(Job, place / JOB.name).request
        first = FirstRelease(place, request, codec.read(Kit, place / KIT_FOLDER / "kit.json"))
        inside = Path(first.kit.release).name == first.kit.release
        return first if inside and file_digest(first.release) == first.kit.sha256 else None
    except (InputError, VerificationError, OSError):
        return None


def rebuilt_channels(asked: Request, later: Path | None = None) -> Mapping[str, Rebuilt]:
    """The channels of a repeated job that recipients of the first release can rebuild, by column.

    Args:
        later: the new release, whose values all have a place in the channel; None before it is drawn.
    """
    first = first_release(asked)
    return {} if first is None else dict(_rebuilt_columns(first, later))


def _rebuilt_columns(first: FirstRelease, later: Path | None) -> Iterator[tuple[str, Rebuilt]]:
    for name in first.request.roles.released_secrets:
        if first.designed(name) is None:
            continue
        with open_table(first.release) as table:
            values = table.counts(name).labels(name)
        found = _remembered(first.folder, str(first.kit.sha256), name, _only_later(values, later, name))
        if found is not None:
            yield name, found


def _only_later(values: tuple[Label, ...], later: Path | None, column: str) -> tuple[Label, ...]:
    if later is None:
        return ()
    with open_table(later) as table:
        found = table.counts(column).labels(column)
    return tuple(label for label, at in zip(found, places_among(values, found), strict=True) if at < 0)


@lru_cache(maxsize=32)
def _remembered(folder: Path, sha256: str, column: str, also: tuple[Label, ...]) -> Rebuilt | None:
    """The channel, rebuilt once for all stages of a job."""
    first = _in_folder(folder)
    how = None if first is None else first.designed(column)
    if first is None or how is None:
        return None
    with open_table(first.release) as table:
        known = first.known(table, column) if how.against_published else ()
        if known is None:
            return None
        return rebuilt(table, column, known, how.problem, sha256=sha256, also=also, ends=how.ends)


def _problem(aim: Aim, source: Distribution | Joint) -> RateDistortion:
    """The design problem that was declared, for some shares."""
    # With a bound on ratios alone, the most useful channel.
    target: Target = Slope(math.inf)
    if aim.max_distortion is not None:
        target = MaxDistortion(aim.max_distortion)
    elif aim.max_leakage is not None:
        target = MaxLeakage(aim.max_leakage)
    knowledge = Knowledge.ATTACKER if isinstance(source, Joint) else Knowledge.NOBODY
    distortion = distortion_named(aim.distortion)
    return RateDistortion(source, distortion, target, knowledge, local_dp=aim.local_dp, keep=Keep.SHARES)


def _at_slope(slope: float, source: Distribution | Joint) -> RateDistortion:
    """The design problem of a search: of the values alone."""
    return RateDistortion(source, Hamming(), Slope(slope), keep=Keep.SHARES)
