"""Forms of release side by side: the secret withheld, coarser or fewer columns beside it, and the release itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from msgspec import structs

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.request.aim import numbers_asked
from leakgauge.artefacts.verdict import Alternative, Form, Judgement
from leakgauge.errors import InputError
from leakgauge.jobs.protect.actions import FEW_BINS, by_values, without
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.sources import Sources
from leakgauge.jobs.protect.tuned import Change, Trials
from leakgauge.release import ReleasePlan
from leakgauge.tables import Kind
from leakgauge.tables.binnings import Calendar, CalendarUnit, Quantiles, Width, parse_binning, spelled_binning
from leakgauge.tables.levels import named_levels

LEAST_GROUP: Final = 10
"""The smallest groups that are left of public columns which cannot be made coarser: counts below it are small."""
_LONGER: Final = {
    CalendarUnit.HOUR: CalendarUnit.DAY,
    CalendarUnit.DAY: CalendarUnit.MONTH,
    CalendarUnit.WEEK: CalendarUnit.MONTH,
    CalendarUnit.MONTH: CalendarUnit.QUARTER,
    CalendarUnit.QUARTER: CalendarUnit.YEAR,
}
_FEWEST_BINS: Final = 2


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
    yield from _of_public_columns(found, asked, judging)
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


def _of_public_columns(found: Judgement, asked: Request, judging: Judging) -> Iterator[Alternative]:
    """The same job with coarser public columns, and without the one of most values.

    What follows from another job, or from a histogram that is not bought yet, cannot be judged before it is run.
    """
    names = by_values(asked, judging)
    if not names or asked.repeat is not None or asked.budget.accounted is not None:
        return
    trials = Trials(judging)
    fewer = (Form.FEWER, names[0], without(asked, names[:1]))
    for changes in (_coarser(found, asked, names, judging), (fewer,)):
        for form, column, change in changes:
            setting = trials.of((), asked, change) if trials.may_learn(asked) else None
            if setting is None or found.deciding not in setting.verdict.scores:
                continue
            yield Alternative(
                form=form,
                column=column,
                scores=setting.verdict.scores[found.deciding],
                error=_error(setting.verdict, found.deciding),
                recommendation=setting.verdict.recommendation,
                asked=StoredRequest.of(setting.asked),
            )
            break


def _coarser(
    found: Judgement, asked: Request, names: list[str], judging: Judging
) -> Iterator[tuple[Form, str | None, Change]]:
    """How the public columns could be coarser: a column in wider bins or at the next level, or larger groups of all."""
    coarsening = asked.coarsening
    if coarsening.min_k is not None:
        yield Form.GROUPED, None, {"min_k": 2 * coarsening.min_k}
        return
    for name in names:
        if change := _coarser_column(asked, name, judging):
            yield Form.COARSER, name, change
    if coarsening.suppress_below is not None:
        yield Form.GROUPED, None, {"suppress_below": 2 * coarsening.suppress_below}
    elif found.facts.smallest is not None and found.facts.smallest < LEAST_GROUP:
        yield Form.GROUPED, None, {"suppress_below": LEAST_GROUP}


def _coarser_column(asked: Request, name: str, judging: Judging) -> Change | None:
    """One public column in wider bins or at the next level; None where neither is known of it."""
    bins, levels = asked.coarsening.bins, asked.coarsening.levels
    others = tuple(text for text in bins if text.rpartition("=")[0] != name)
    own = [text for text in bins if text not in others]
    if own:
        wider = _wider(own[0].rpartition("=")[2])
        return None if wider is None else {"bins": (*others, f"{name}={wider}")}
    named = named_levels(levels, (*asked.roles.secrets, *asked.roles.seen))
    if name in named:
        file, number = named[name]
        rest = tuple(text for one, text in zip(named, levels, strict=True) if one != name)
        # A level that its file does not have is refused where it is judged.
        return None if number is None else {"levels": (*rest, f"{name}={file}:{number + 1}")}
    kind = next(one.kind for one in judging.table.columns() if one.name == name)
    return {"bins": (*bins, f"{name}={FEW_BINS}")} if kind in (Kind.INT, Kind.FLOAT) else None


def _wider(bins: str) -> str | None:
    """Bins of twice the width, half as many, or the next longer unit of the calendar; None of edges and the like."""
    with suppress(InputError):
        match parse_binning(bins):
            case Width(width):
                return spelled_binning(Width(2 * width))
            case Quantiles(number) if number >= 2 * _FEWEST_BINS:
                return spelled_binning(Quantiles(number // 2))
            case Calendar(unit) if unit in _LONGER:
                return _LONGER[unit].value
    return None


def _error(found: Judgement, secret: str) -> float | None:
    statistics = found.evidence[secret].statistics if secret in found.evidence else ()
    return next((one.worst_error for one in statistics if not one.columns), None)
