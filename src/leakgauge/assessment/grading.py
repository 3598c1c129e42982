"""A release graded in one call."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from leakgauge.artefacts import Finding
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.collecting import collect
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.every_veto import every_veto
from leakgauge.assessment.indicators import audited_by, protected_of_release
from leakgauge.assessment.questionnaire import Questionnaire, answered_beyond
from leakgauge.audit import shown_by_rows
from leakgauge.release import Release
from leakgauge.tables import Table


def grade(
    release: Release | Path | str,
    findings: Iterable[Finding],
    original: Table,
    *,
    column: str | None = None,
    diagram: Diagram | None = None,
    questionnaire: Questionnaire | None = None,
    simulation_seed: int = 0,
) -> Assessment:
    """The grade of a column of a release, from its record, its rows and what attacks found.

    Args:
        release: the release, or the file of its record.
        findings: of ``audit.attack``.
        original: the table it was made from.
        column: the protected column; it may be left out where there is one.
        diagram: by which it is graded; the paper's by default.
        questionnaire: what people answered.
        simulation_seed: of the intervals.

    Raises:
        FileError, VerificationError, TableError, ColumnError, OptionError: something that cannot be used.
    """
    protected = protected_of_release(release, original, column=column)
    found = tuple(findings)
    assert protected.case is not None
    names = protected.setting.source.names
    made = next(one for one in protected.case.columns if one.reads == names)
    shown = shown_by_rows(made, 0.95)
    evidence = collect(
        protected,
        audit=audited_by(shown, found, names),
        questionnaire=questionnaire,
        simulation_seed=simulation_seed,
    )
    vetoes = every_veto(protected.setting, evidence, shown=shown, findings=found)
    return assess(
        diagram or default_diagram(),
        (*evidence, *answered_beyond(questionnaire)),
        vetoes,
        simulation_seed=simulation_seed,
    )
