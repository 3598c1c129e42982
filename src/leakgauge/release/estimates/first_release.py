"""The first release of a chain of repeated jobs, from which its recipients can rebuild the channels of all of them.

A channel is rebuilt only where its whole design problem was declared and what it counted as known was published: then
nothing but the released rows and declared settings enters it. How much noise a search on the table chose is not
declared, and even rounded it would tell of the table: the slope at which a fair coin has protection 60, rounded to two
digits, leaves 0.4 points of its share open, and 2,000 released rows leave 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from leakgauge.artefacts import Job, Request, codec
from leakgauge.artefacts.dossier import JOB, RECORD
from leakgauge.artefacts.estimates import Kit
from leakgauge.artefacts.request import Aim
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope
from leakgauge.design.problem import Target
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import InputError, VerificationError
from leakgauge.measures.countability import is_countable
from leakgauge.probability import Distribution, Joint, Label, PriorOrigin
from leakgauge.release.estimates.rebuilding import Rebuilt, rebuilt
from leakgauge.release.letters import places_among
from leakgauge.release.record import file_digest, read_record
from leakgauge.tables import Table, open_table

KIT_FOLDER = "kit"


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

    def declared(self, column: str) -> Aim | None:
        """What was declared for the design of a column's channel; None where more than that entered it."""
        asked, limits = self.request, self.request.limits
        aim = next((one for one in asked.aims if one.columns == (column,)), None)
        if (
            aim is None
            or not aim.is_limited
            or aim.mechanism
            or aim.within is not None
            or limits.kept != Keep.SHARES.value
        ):
            return None
        if asked.budget.accounted is not None or asked.roles.public_through:
            return None
        if set(asked.roles.seen) - set(asked.roles.public_as_is):
            # Nobody was handed what the channel was designed against.
            return None
        planned = read_record(self.folder / RECORD.name).plan.columns.get(column)
        if planned is None or planned.kind != "channel":
            return None
        return aim if planned.channel_prior is PriorOrigin.THIS_TABLE else None

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
        if first.declared(name) is None:
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
    aim = None if first is None else first.declared(column)
    if first is None or aim is None:
        return None
    with open_table(first.release) as table:
        known = first.known(table, column)
        if known is None:
            return None
        return rebuilt(table, column, known, partial(_problem, aim), sha256=sha256, also=also)


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
