"""Forms of release side by side: the secret withheld, fewer columns beside it, and the release itself."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.request.aim import numbers_asked
from leakgauge.artefacts.verdict import Alternative, Form, Judgement
from leakgauge.errors import InputError
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
    if secret in asked.roles.groups:
        scores = judging.withheld(sources, plan, secret)
        yield Alternative(form=Form.WITHHELD, scores=scores, asked=_withholding(asked, secret))
    yield from _fewer(found, asked, judging)
    yield Alternative(
        form=Form.ROWS,
        scores=found.scores[found.deciding],
        error=_error(found, found.deciding),
        recommendation=found.recommendation,
    )


def _withholding(asked: Request, secret: tuple[str, ...]) -> StoredRequest | None:
    """The same job without a secret; None where nothing would be left to protect."""
    if len(secret) > 1 or asked.roles.groups == (secret,):
        return None
    (name,), options = secret, {**asked.options()}
    for option, value in options.items():
        # What is asked of this secret alone goes with it.
        if isinstance(value, dict) and option in numbers_asked():
            options[option] = {column: limit for column, limit in value.items() if column != name}
        elif option in ("mechanism", "distortion") and isinstance(value, tuple):
            options[option] = tuple(text for text in value if not text.startswith(f"{name}="))
    options["secret"] = tuple(one for one in asked.roles.secret if one != name)
    try:
        return StoredRequest.of(Request.of(asked.table, **{**options, "withhold": (*asked.roles.withhold, name)}))  # type: ignore[arg-type]
    except InputError:
        return None


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
