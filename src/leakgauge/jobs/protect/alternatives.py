"""Forms of release side by side: the secret withheld, fewer columns beside it, and the release itself."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.verdict import Alternative, Form, Judgement
from leakgauge.jobs.protect.actions import by_values, without
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.sources import Sources
from leakgauge.jobs.protect.tuned import Trials
from leakgauge.release import ReleasePlan


def with_alternatives(
    found: Judgement, asked: Request, sources: Sources, plan: ReleasePlan, judging: Judging
) -> Judgement:
    """The judgement with the forms beside which the release stands."""
    return structs.replace(found, alternatives=tuple(_alternatives(found, asked, sources, plan, judging)))


def _alternatives(
    found: Judgement, asked: Request, sources: Sources, plan: ReleasePlan, judging: Judging
) -> Iterator[Alternative]:
    secret = next(one for one in asked.roles.sources if ", ".join(one) == found.deciding)
    others = [one for one in asked.roles.groups if one != secret]
    if secret in asked.roles.groups:
        withheld = asked.having(withhold=(*asked.roles.withhold, *secret)) if others and len(secret) == 1 else None
        yield Alternative(
            form=Form.WITHHELD,
            scores=judging.withheld(sources, plan, secret),
            asked=None if withheld is None else StoredRequest.of(withheld),
        )
    yield from _fewer(found, asked, judging)
    yield Alternative(
        form=Form.ROWS,
        scores=found.scores[found.deciding],
        error=_error(found, found.deciding),
        recommendation=found.recommendation,
    )


def _fewer(found: Judgement, asked: Request, judging: Judging) -> Iterator[Alternative]:
    """The same job without the public column of most values; other jobs could not be judged before they are run."""
    names = by_values(asked, judging)[:1]
    if not names or asked.is_searched or asked.repeat is not None or asked.budget.accounted is not None:
        return
    setting = Trials(judging).of((), asked, without(asked, names))
    if setting is None or found.deciding not in setting.verdict.scores:
        return
    yield Alternative(
        form=Form.FEWER,
        column=names[0],
        scores=setting.verdict.scores[found.deciding],
        error=_error(setting.verdict, found.deciding),
        recommendation=setting.verdict.recommendation,
        asked=StoredRequest.of(setting.asked),
    )


def _error(found: Judgement, secret: str) -> float | None:
    statistics = found.evidence[secret].statistics if secret in found.evidence else ()
    return next((one.worst_error for one in statistics if not one.columns), None)
