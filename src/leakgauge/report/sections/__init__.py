"""The sections of a report, each left out where a job has nothing to say in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from leakgauge.report.document import Content
from leakgauge.report.sections.attacks import attacks
from leakgauge.report.sections.coarsening import coarsening
from leakgauge.report.sections.criteria import criteria
from leakgauge.report.sections.data import context, data
from leakgauge.report.sections.earlier import earlier
from leakgauge.report.sections.guarantee import guarantee
from leakgauge.report.sections.headline import headline
from leakgauge.report.sections.leakage import leakage
from leakgauge.report.sections.limits import assumptions, left_out, limitations, residual
from leakgauge.report.sections.places import behind_maps, compared, protected, surveyed, tracked
from leakgauge.report.sections.recipients import recipients
from leakgauge.report.sections.reproduction import crosswalk, reproduction
from leakgauge.report.sections.search import tuning
from leakgauge.report.sections.statement import statement
from leakgauge.report.sections.survey import survey
from leakgauge.report.sections.teller import Teller
from leakgauge.report.sections.telling import telling
from leakgauge.report.sections.usefulness import frontier, usefulness
from leakgauge.report.sections.verdict import verdict

SECTIONS: Final[Mapping[str, Callable[[Teller], Iterator[Content]]]] = {
    "statement": statement,
    "headline": headline,
    "verdict": verdict,
    "left-out": left_out,
    "limitations": limitations,
    "assumptions": assumptions,
    "context": context,
    "data": data,
    "survey": survey,
    "coarsening": coarsening,
    "telling": telling,
    "guarantee": guarantee,
    "places": protected,
    "places-survey": surveyed,
    "places-comparison": compared,
    "places-track": tracked,
    "places-maps": behind_maps,
    "earlier": earlier,
    "leakage": leakage,
    "attacks": attacks,
    "recipients": recipients,
    "usefulness": usefulness,
    "frontier": frontier,
    "criteria": criteria,
    "tuning": tuning,
    "residual": residual,
    "reproduction": reproduction,
    "crosswalk": crosswalk,
}
"""In the order of the report; a new one is a function, a line here and a title."""
OF_A_SECRET: Final = frozenset({"leakage", "usefulness", "frontier", "criteria", "tuning"})
"""Those that speak of one secret: of several there is one for each."""
