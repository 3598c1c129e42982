"""The facts that everybody may know: what is public, declared or accounted for, and no number of the table.

A few numbers of a table, however coarse, can be solved together for the count of a rare value: the program and what it
was asked for are known, so that every count can be tried. So nothing is shown but what this file names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from leakgauge.artefacts.codec import decode
from leakgauge.artefacts.record import PlannedColumn
from leakgauge.report.facts import Facts

_LEVELS: Final = (
    "local-dp",
    "dp",
    "approximate-dp",
    "renyi-dp",
    "zcdp",
    "gaussian-dp",
    "maximal-leakage",
    "mutual-information-dp",
    "metric-privacy",
)
"""Notions that do not depend on how frequent the values are."""
_QUANTITY: Final = ("value", "unit", "order", "delta")
"""The fields of a level; its witness names values."""
_PUBLIC: Final = {
    "job.json": (
        "asked/secret",
        "asked/background",
        "asked/public",
        "asked/bins",
        "asked/max_distortion",
        "asked/max_leakage",
        "asked/local_dp",
        "asked/accounted",
        "asked/target",
        "asked/releases_per_period",
        "asked/purpose",
        "asked/recipient",
        "asked/review",
        "table/name",
        "table/rows",
        "table/columns/*/name",
        "table/columns/*/kind",
        "outcome/released",
        "spent/histogram",
        "versions",
    ),
    "measurement.json": ("secret", "background"),
    "release.json": (
        "rows",
        "private",
        "output/file",
        "output/sha256",
        "plan/public",
        "plan/bins/*/binning",
        "plan/bins/*/learnt",
        "plan/columns/*/reads",
        "plan/columns/*/writes",
        "unit_of_protection",
        "neighbours",
        "budget/ledger/dataset",
        "budget/ledger/entry",
        "versions",
    ),
    "release.public.json": ("digest",),
    # Counted in the columns that are released as they are: everybody can count them again.
    "audit.json": (
        "anonymity/quasi_identifiers",
        "anonymity/rows",
        "anonymity/classes",
        "anonymity/k",
        "anonymity/unique",
        "checks/*/name",
        "checks/*/holds",
    ),
}
"""What was declared, or can be seen in the release itself."""
_PROMISED: Final = {
    "job.json": ("spent/together",),
    "release.json": (
        "plan/columns/*/mechanism",
        "plan/columns/*/channel_prior",
        "claims/*/exact",
        *(f"claims/*/levels/{level}/{field}" for level in _LEVELS for field in _QUANTITY),
        *(f"together/*/{field}" for field in _QUANTITY),
        *(f"budget/{spent}/{field}" for spent in ("epsilon", "rho") for field in _QUANTITY),
        "assumptions",
    ),
    # A promise that is printed comes with what speaks against it.
    "audit.json": ("violated",),
}
"""What the mechanism promises; shown only where it follows from no private count."""


def shareable(facts: Facts) -> Facts:
    """The part of the facts that everybody may know; whatever is not named in this file is left out."""
    tables = (_PUBLIC, _PROMISED) if has_shareable_mechanism(facts) else (_PUBLIC,)
    places = {file: [tuple(place.split("/")) for table in tables for place in table.get(file, ())] for file in _PUBLIC}
    files = {file: _part(facts.files[file], wanted) for file, wanted in places.items() if file in facts.files}
    return Facts(files, facts.diagram)


def has_shareable_mechanism(facts: Facts) -> bool:
    """Whether the mechanisms, and so what they promise, follow from declared settings or from accounted counts alone.

    A channel designed from this table does not, nor a mechanism that was chosen among several by what it does to this
    table, nor a channel that does not say where it comes from.
    """
    asked = facts.get("job.json", "asked")
    if asked and asked.get("accounted") is None and len(asked.get("mechanism") or ()) != 1:
        return False
    planned: Mapping[str, Any] = facts.get("release.json", "plan", "columns") or {}
    return not any(decode(PlannedColumn, one, "release.json").follows_from_counts for one in planned.values())


def _part(found: Any, places: Collection[tuple[str, ...]]) -> Any:
    """What stands at some places of parsed JSON, and nothing else; ``*`` is every name, and every entry of a list."""
    if () in places:
        return found
    if isinstance(found, list):
        below = [place[1:] for place in places if place[0] == "*"]
        return [_part(one, below) for one in found]
    if not isinstance(found, dict):
        return None
    named = {name: [place[1:] for place in places if place[0] in (name, "*")] for name in found}
    return {name: _part(found[name], below) for name, below in named.items() if below}
