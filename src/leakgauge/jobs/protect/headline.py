"""The numbers that matter, taken from the artefacts of a finished job."""

from __future__ import annotations

from leakgauge.artefacts import Audit, Headline, Measurement, Record, Request, Spent, StoredAssessment, Utility
from leakgauge.jobs.protect.folder import Folder

_BUDGETS = ("local-dp", "dp", "approximate-dp")


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
        attack=None if attack is None else attack.attack,
        success=None if attack is None else attack.success,
        baseline=None if attack is None else attack.baseline,
        advantage=None if attack is None else attack.advantage,
        unchanged=None if worth is None else worth.columns[asked.secret].unchanged,
    )


def spent(folder: Folder, asked: Request) -> Spent:
    """What the histogram and the release cost, in nats: alone and together."""
    stages = folder.job.stages
    bought = asked.accounted if "design" in stages else None
    drawn = folder.read(Record, "release.json").budget.epsilon.value if "release" in stages else None
    return Spent(bought, drawn, sum(one for one in (bought, drawn) if one is not None))
