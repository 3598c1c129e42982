"""Which earlier releases a repeated job shares its noise with, and whether its people are who they were."""

from __future__ import annotations

from collections.abc import Sequence

from leakgauge.artefacts.job import EarlierRelease
from leakgauge.errors import TableError
from leakgauge.jobs.protect.sources import Sources
from leakgauge.release.bound import RecordedPlan
from leakgauge.release.kept import can_keep
from leakgauge.release.ledger import Entry

FEW_STAY = 0.05
"""The share of people below which keys, and not people, are taken to have changed."""


class Keeping:
    """Which earlier releases add no draw: their mechanisms and key are those of the new release, or of one before.

    Args:
        plan: of the new release, where it repeats the chain; None where its mechanisms are not known yet.
    """

    def __init__(self, sources: Sources, chain: Sequence[EarlierRelease], plan: RecordedPlan | None) -> None:
        can = () if plan is None else tuple(one for one in plan.columns if can_keep(one))
        self._names = {one.reads: one.name for one in can}
        counted = sources.ledger is not None and sources.dataset is not None
        entries = sources.ledger.entries(sources.dataset) if sources.ledger is not None and counted else ()
        kept = {one.reference: one.kept for one in entries if one.kept is not None}
        self._draws = {cost.draw for one in chain if one.reference in kept for cost in kept[one.reference].costs}
        # An account has one key. A release with fresh noise keeps nobody's.
        self._keys = {one.key for one in kept.values()} if plan is not None and plan.kept else set[str]()

    def in_chain(self, release: EarlierRelease) -> tuple[str, ...]:
        """The mechanisms of the next release of the chain whose noise was counted before."""
        if release.noise_key is None:
            return ()
        found = tuple(self._names.values()) if release.noise_key in self._keys else ()
        self._keys.add(release.noise_key)
        return found

    def of_entry(self, entry: Entry) -> tuple[str, ...]:
        """The mechanisms of a release that only the ledger knows whose noise was counted before."""
        if entry.kept is None or entry.kept.key not in self._keys:
            return ()
        found = (one.reads for one in entry.kept.costs if one.draw in self._draws)
        return tuple(self._names[reads] for reads in found if reads in self._names)


def require_same_people(sources: Sources, chain: Sequence[EarlierRelease]) -> None:
    """Refuse, where noise is kept, a table in which hardly anybody is who they were: their noise would be redrawn.

    Raises:
        TableError: almost nobody of the table is in any earlier one.
    """
    roles, last = sources.asked.roles, chain[-1] if chain else None
    if sources.noise != "kept" or last is None or last.shared is None or roles.unit is None:
        return
    units = sources.original.group_sizes([(roles.unit,)])[0].groups
    shared = max(one.shared for one in chain if one.shared is not None)
    # Of the smaller table: a panel may grow.
    people = min(units, max(last.rows // (roles.rows_per_unit or 1), 1))
    if shared < FEW_STAY * people:
        raise TableError(
            "Only {shared} of {units} people of the new table are in that of {path!s}, so that hardly anybody would "
            "keep their noise; name people as before if {unit!r} was renumbered, or add --noise fresh if they are "
            "others.",
            shared=shared,
            units=units,
            path=last.folder,
            unit=roles.unit,
        )
