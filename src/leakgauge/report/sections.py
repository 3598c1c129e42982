"""The sections of a report, each left out where a job has nothing to say in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from leakgauge.telling.attacks import attacks
from leakgauge.telling.blocks import Content
from leakgauge.telling.clauses.walk import clauses
from leakgauge.telling.criteria import criteria
from leakgauge.telling.data import context, data
from leakgauge.telling.earlier import earlier
from leakgauge.telling.guarantee import guarantee
from leakgauge.telling.headline import headline
from leakgauge.telling.leakage import leakage
from leakgauge.telling.limits import assumptions, left_out, limitations, residual
from leakgauge.telling.places import behind_maps, compared, protected, surveyed, tracked
from leakgauge.telling.public_columns import coarsening, telling
from leakgauge.telling.recipients import recipients
from leakgauge.telling.reproduction import reproduction
from leakgauge.telling.search import tuning
from leakgauge.telling.statement import statement
from leakgauge.telling.survey import survey
from leakgauge.telling.usefulness import frontier, usefulness
from leakgauge.telling.verdict import verdict
from leakgauge.telling.voice import Voice

Tell: TypeAlias = Callable[[Voice], Iterator[Content]]

ANNEX: Final[Mapping[str, Mapping[str, Tell]]] = {
    "who": {
        "context": context,
        "data": data,
        "survey": survey,
        "coarsening": coarsening,
        "telling": telling,
    },
    "what": {
        "headline": headline,
        "verdict": verdict,
        "guarantee": guarantee,
        "leakage": leakage,
        "recipients": recipients,
        "places": protected,
        "places-survey": surveyed,
        "places-comparison": compared,
        "places-track": tracked,
        "places-maps": behind_maps,
    },
    "how-sure": {
        "attacks": attacks,
        "assumptions": assumptions,
        "limitations": limitations,
        "left-out": left_out,
        "criteria": criteria,
    },
    "what-if": {
        "earlier": earlier,
        "usefulness": usefulness,
        "frontier": frontier,
        "tuning": tuning,
        "residual": residual,
        "reproduction": reproduction,
    },
    "rules": {
        "clauses": clauses,
    },
}
"""By the questions that they answer, in the order of the report; a new one is a function, a line here and a title."""
SECTIONS: Final[Mapping[str, Tell]] = {"statement": statement} | {
    key: tell for group in ANNEX.values() for key, tell in group.items()
}
"""All of them: the decision, and what it rests on."""
QUESTION_OF: Final[Mapping[str, str]] = {key: question for question, group in ANNEX.items() for key in group}
OF_A_SECRET: Final = frozenset({"leakage", "usefulness", "frontier", "criteria", "tuning"})
"""Those that speak of one secret: of several there is one for each."""
