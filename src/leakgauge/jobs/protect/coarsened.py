"""The worth of public columns that are released coarser, or with small groups suppressed."""

from __future__ import annotations

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.measurement import ColumnUtility
from leakgauge.jobs.protect.sources import Sources
from leakgauge.measures.coarsening import information_lost, values_covered
from leakgauge.probability.labels import text_of
from leakgauge.tables import Kind
from leakgauge.tables.pairing import paired_counts


def coarsened(sources: Sources, column: str) -> ColumnUtility | None:
    """The worth of a public column that is coarsened; None for one released unchanged.

    A coarser value is not wrong: the set of values it stands for contains the true one, and a missing value stands for
    all. Its cost is the information lost, and the number of values it stands for.
    """
    hidden = sources.suppression is not None
    kinds = {one.name: one.kind for one in sources.original.columns()}
    if (column not in sources.bins and not hidden) or kinds[column] is Kind.OTHER:
        return None
    pairs = paired_counts(sources.original, sources.table, column)
    values, released = (pairs.labels(name) for name in pairs.names)
    together = list(zip(*pairs.codes.tolist(), pairs.counts.tolist(), strict=True))
    same = sum(count for value, made, count in together if text_of(values[value]) == text_of(released[made]))
    gone = sum(count for value, made, count in together if values[value] is not None and released[made] is None)
    return ColumnUtility(
        protected=False,
        distortion=Quantity(0.0, "distortion"),
        unchanged=Quantity(same / pairs.n, "share"),
        total_variation=Quantity(gone / pairs.n, "share"),
        lost=Quantity(information_lost(pairs), "bits"),
        covered=Quantity(values_covered(pairs), "letters"),
    )
