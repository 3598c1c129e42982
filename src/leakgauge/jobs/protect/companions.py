"""Numbers beside the main artefacts: levels under the table's prior, usefulness, the grade before, the headline."""

from __future__ import annotations

import numpy as np
from msgspec.structs import asdict

from leakgauge.artefacts import (
    Audit,
    Before,
    Headline,
    JobCost,
    Levels,
    Measurement,
    Quantity,
    Record,
    Request,
    StoredAssessment,
    Utility,
)
from leakgauge.artefacts.measurement import ColumnUtility
from leakgauge.assessment import assess, expected
from leakgauge.assessment.indicators import setting_of, source_of
from leakgauge.assessment.stored import nodes_of, scores_of
from leakgauge.assessment.vetoes import every_veto
from leakgauge.jobs.protect.folder import Folder
from leakgauge.jobs.protect.sources import Sources
from leakgauge.mechanisms import through_channel
from leakgauge.notions.relation import relate_channel
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.release.priors import own_prior


def levels_of(sources: Sources, asked: Request, channel: Channel) -> Levels:
    """The exact levels of the released channel in every notion, those under the table's own prior included."""
    found = relate_channel(channel, own_prior(sources.table, asked.secret, channel).distribution).levels
    return Levels(PriorOrigin.THIS_TABLE.value, {name: level.stored() for name, level in found.items()})


def utility(sources: Sources, asked: Request, channel: Channel) -> Utility:
    """What every released column is worth, by the law of the release: nothing here was drawn."""
    p, q = own_prior(sources.table, asked.secret, channel).distribution.probabilities, channel.matrix
    place = {label: at for at, label in enumerate(channel.outputs)}
    same = [(row, place[label]) for row, label in enumerate(channel.inputs) if label in place]
    kept = sum(p[row] * q[row, column] for row, column in same)
    shares = np.zeros(len(channel.outputs))
    for row, column in same:
        shares[column] = p[row]
    lost = float(sum(p[row] for row, label in enumerate(channel.inputs) if label not in place))
    distance = (np.abs(p @ q - shares).sum() + lost) / 2
    distances = sources.distortion.between(channel.inputs, channel.outputs)
    mean = float(p @ (q * distances).sum(axis=1))
    columns = {asked.secret: _column(mean, float(kept), float(distance), protected=True)}
    return Utility(columns | dict.fromkeys(asked.public, _column(0.0, 1.0, 0.0, protected=False)))


def before(sources: Sources, asked: Request) -> Before:
    """The scores and nodes of the table released as it is, from the same indicators."""
    letters = sources.table.counts(asked.secret).labels(asked.secret)
    alike = Channel(letters, letters, np.eye(len(letters)))
    setting = setting_of(through_channel(alike), source_of(sources.table, asked.secret))
    evidence = expected(setting, questionnaire=sources.questionnaire)
    found = assess(sources.diagram, evidence, every_veto(setting, evidence), draws=0)
    return Before(**asdict(scores_of(found)), nodes=nodes_of(found))


def _column(distortion: float, unchanged: float, variation: float, *, protected: bool) -> ColumnUtility:
    return ColumnUtility(
        protected=protected,
        distortion=Quantity(distortion, "distortion"),
        unchanged=Quantity(min(unchanged, 1.0), "share"),
        total_variation=Quantity(max(variation, 0.0), "share"),
    )


_BUDGETS = ("local-dp", "dp", "approximate-dp")
_OF_THE_ATTACK = ("attack", "success", "baseline", "advantage")


def headline(folder: Folder, asked: Request) -> Headline:
    """Grade, vetoes, scores; bits told before and after, and by the background alone; ε; the strongest attack."""
    graded = folder.read(StoredAssessment, "assessment.json")
    before = folder.read(Measurement, "measurement.json")
    after = folder.get(Measurement, "leakage.json")
    worth = folder.get(Utility, "utility.json")
    levels = folder.read(Record, "release.json").claims[asked.secret].levels
    attack = folder.read(Audit, "audit.json").strongest
    return Headline(
        grade=graded.grade,
        score=graded.score,
        grade_uncapped=graded.grade_uncapped,
        interval=graded.interval,
        privacy=graded.privacy,
        utility=graded.utility,
        vetoes=graded.reasons,
        leakage_before=before.entropy,
        leakage_after=None if after is None else after.leakage_with_background or after.mutual_information,
        floor=before.background_floor,
        epsilon=next((levels[name] for name in _BUDGETS if name in levels), None),
        **({} if attack is None else {name: getattr(attack, name) for name in _OF_THE_ATTACK}),
        unchanged=None if worth is None else worth.columns[asked.secret].unchanged,
    )


def spent(folder: Folder, asked: Request) -> JobCost:
    """What the histogram and the release cost, in nats: alone and together."""
    stages = folder.job.stages
    bought = asked.accounted if "design" in stages else None
    drawn = folder.read(Record, "release.json").budget.epsilon.value if "release" in stages else None
    return JobCost(bought, drawn, sum(one for one in (bought, drawn) if one is not None))
