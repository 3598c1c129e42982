"""What a job answers to the items of an assessment, by the names that items call it by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Final

from leakgauge.artefacts.dossier import AUDIT, JOB, PUBLIC_RECORD, RECORD, SURVEY, VERDICT
from leakgauge.artefacts.report import Tile, Tiles
from leakgauge.artefacts.risks import RiskKind
from leakgauge.languages import message
from leakgauge.telling.attacks import strongest_attack
from leakgauge.telling.blocks import Content, Inline, Number, blocks_of, inlines
from leakgauge.telling.clauses.level import DEGREE_NAMES, effect_level, likelihood
from leakgauge.telling.clauses.special import suggested
from leakgauge.telling.columns import asked_of, by_coarseness, keeps_order, known_columns, plan_columns
from leakgauge.telling.data import neighbours
from leakgauge.telling.guarantee import guarantee, in_ledger, mechanism
from leakgauge.telling.limits import found_by, residual
from leakgauge.telling.promises import epsilon_of, promises_nothing, unit_of_protection, unprotected
from leakgauge.telling.risks import none_earlier, risks
from leakgauge.telling.scores import deciding, guaranteed, judged_by, recommended, score, secret_in, worth
from leakgauge.telling.statement import made_elsewhere, table_of
from leakgauge.telling.titles import title
from leakgauge.telling.voice import ROWS, Plain, Voice, inline_of, own

Answer = Callable[[Voice], Iterator[Inline]]
YEARS_KEPT: Final = 3
"""Years for which PIPL Art. 56 has the report and the processing record kept."""


def _data(voice: Voice) -> Iterator[Inline]:
    """The table, and the columns by what becomes of them."""
    if voice.foreign is not None:
        yield made_elsewhere(voice, voice.foreign)
    job, asked, found = voice.dossier.job, asked_of(voice), judged_by(voice)
    counted = voice.dossier.record if job is None else job.table
    if counted is not None:
        rows = voice.number(counted, "rows", unit=ROWS, count=True)
        yield voice.say("Table {table} with {rows}.", table=table_of(voice), rows=rows)
    if found is not None and found.risks:
        yield voice.say("{people} people.", people=voice.number(found.risks[0].of, "value", count=True, digits=12))
    if asked is None:
        return
    said = (
        (asked.secret, message("Secret: {columns}.")),
        (asked.public, message("To be published: {columns}.")),
        (known_columns(voice), message("Assumed to be known to an attacker: {columns}.")),
        (() if asked.unit is None else (asked.unit,), message("Says whose row it is: {columns}.")),
    )
    for columns, template in said:
        if columns:
            yield voice.say(template, columns=voice.listed(columns))


def _withheld(voice: Voice) -> Iterator[Inline]:
    columns = () if voice.dossier.job is None else voice.dossier.job.withheld
    if columns:
        yield voice.say("Not released: {columns}.", columns=voice.listed(columns))


def _special_categories(voice: Voice) -> Iterator[Inline]:
    for column, category, by in suggested(voice):
        yield voice.say(
            "{column} may be about {category}: suggested by {what}, for you to decide.",
            column=own(column),
            category=voice.language.say(category),
            what=voice.language.say(by),
        )


def _options(voice: Voice) -> Iterator[Inline]:
    found = judged_by(voice)
    if found is not None and len(found.alternatives) > 1:
        count = voice.counted(found, "alternatives")
        yield voice.say(
            "Forms of release that are compared under “{section}”: {count}.",
            count=count,
            section=_section(voice, "statement"),
        )


def _limits(voice: Voice) -> Iterator[Inline]:
    found = judged_by(voice)
    if found is not None:
        count = voice.counted(found, "policy")
        yield voice.say(
            "Limits that it is judged by, listed under “{section}”: {count}.",
            count=count,
            section=_section(voice, "verdict"),
        )


def _scores(voice: Voice) -> Iterator[Inline]:
    found, lead = judged_by(voice), deciding(voice)
    if found is None:
        return
    scores = found.scores[secret_in(lead, found)]
    shown = {name: inline_of(score(lead, scores, name)) for name in ("protection", "surest", "usefulness")}
    yield voice.say(
        "Scores, 0 to 100: protection {protection}, surest {surest} (lower is better), usefulness {usefulness}.",
        **shown,
    )


def _worth(voice: Voice) -> Iterator[Inline]:
    found, lead = judged_by(voice), deciding(voice)
    if found is None:
        return
    scores = found.scores[secret_in(lead, found)]
    yield voice.say("Usefulness {usefulness} of 100.", usefulness=inline_of(score(lead, scores, "usefulness")))
    yield from _texts(worth(lead, found, secret_in(lead, found)))


def _risks(voice: Voice) -> Iterator[Inline]:
    if not voice.released:
        yield from _nothing_released(voice)
        return
    for tile in _tiles(voice):
        template = message("{risk}: {people} ({limit}).") if tile.limit else message("{risk}: {people}.")
        yield voice.say(template, risk=Plain(tile.title), people=tile.shown, limit=tile.limit)


def _risk(kind: RiskKind) -> Answer:
    """One risk with what it means, for whom it holds, and its limit."""

    def answer(voice: Voice) -> Iterator[Inline]:
        found = judged_by(voice)
        for one, tile in zip(() if found is None else found.risks, _tiles(voice), strict=True):
            if one.kind is kind:
                template = message("{people} {words} {limit}.") if tile.limit else message("{people} {words}")
                yield voice.say(template, people=tile.shown, words=tile.words, limit=tile.limit)

    return answer


def _tiles(voice: Voice) -> tuple[Tile[Number], ...]:
    found = judged_by(voice)
    blocks = () if found is None else risks(voice, found)
    return next((one.tiles for one in blocks if isinstance(one, Tiles)), ())


def _strongest_attack(voice: Voice) -> Iterator[Inline]:
    for one in voice.each:
        attack = strongest_attack(one)
        if attack is not None and voice.released:
            yield found_by(one, attack)


def _unchecked(voice: Voice) -> Iterator[Inline]:
    if judged_by(voice) is not None:
        yield voice.say("What was not checked is listed under “{section}”.", section=_section(voice, "statement"))


def _measures(voice: Voice) -> Iterator[Inline]:
    """How columns are changed, how rows leave, and where the cost was entered."""
    if not voice.released:
        yield from _nothing_released(voice)
    elif voice.foreign is not None:
        yield from _unknown_mechanism(voice)
    else:
        for column, planned in plan_columns(voice).items():
            yield mechanism(voice, column, planned)
        _, binned, coarser = by_coarseness(voice)
        if binned:
            yield voice.say("Released in bins: {columns}.", columns=voice.listed(binned))
        if coarser:
            yield voice.say("Released at a coarser level: {columns}.", columns=voice.listed(coarser))
        order = message("Rows are released in a random order.")
        yield voice.say(message("Rows are released in the order of the table.") if keeps_order(voice) else order)
        yield from in_ledger(voice)


def _guarantee(voice: Voice) -> Iterator[Inline]:
    found, lead = judged_by(voice), deciding(voice)
    if found is not None and voice.released and voice.foreign is None:
        yield guaranteed(lead, found, secret_in(lead, found))


def _recommendation(voice: Voice) -> Iterator[Inline]:
    found = judged_by(voice)
    yield from () if found is None else tuple(_texts(recommended(voice, found)))[:1]


def _use(voice: Voice) -> Iterator[Inline]:
    asked = asked_of(voice)
    if asked is not None:
        rows, statistics = message("For readers of single rows."), message("For readers of statistics.")
        yield voice.say(rows if asked.use == "rows" else statistics)


def _earlier_releases(voice: Voice) -> Iterator[Inline]:
    job = voice.dossier.job
    if job is not None and job.repeated is not None:
        count = voice.counted(job.repeated, "before")
        yield voice.say("Earlier releases by the same mechanism that are counted too: {count}.", count=count)
    elif job is not None and job.before:
        count = voice.counted(job, "before")
        yield voice.say("Earlier releases of the same secret that are counted too: {count}.", count=count)
    else:
        yield none_earlier(voice)
    yield from in_ledger(voice)


def _identifiers(voice: Voice) -> Iterator[Inline]:
    survey = voice.dossier.survey
    if survey is None:
        return
    identify = [one.name for one in survey.columns if one.identifier is not None]
    if identify:
        yield voice.say("These columns identify people by themselves: {columns}.", columns=voice.listed(identify))
    else:
        yield voice.say("No column identifies people by itself.")
    if survey.combinations:
        yield voice.say(
            "Combinations of columns that identify people: {count}; the main ones are listed under “{section}”.",
            count=voice.counted(survey, "combinations"),
            section=_section(voice, "survey"),
        )


def _dp_claim(voice: Voice) -> Iterator[Inline]:
    """The claim with its odds, and what it does not cover; that there is none, where there is none."""
    if not _claims(voice):
        yield from _no_claim(voice)
        return
    found, lead, level = judged_by(voice), deciding(voice), epsilon_of(voice)
    assert level is not None
    epsilon = voice.number(level)
    if found is not None:
        yield guaranteed(lead, found, secret_in(lead, found))
    if level.delta:
        delta = voice.number(level, "delta")
        yield voice.say("For all protected columns together: ε = {epsilon}, δ = {delta}.", epsilon=epsilon, delta=delta)
    else:
        yield voice.say("For all protected columns together: ε = {epsilon}, δ = 0.", epsilon=epsilon)
    yield from _texts(unprotected(voice))


def _dp_unit(voice: Voice) -> Iterator[Inline]:
    yield from (unit_of_protection(voice),) if _claims(voice) else _no_claim(voice)


def _dp_neighbours(voice: Voice) -> Iterator[Inline]:
    record = voice.dossier.record
    if not _claims(voice):
        yield from _no_claim(voice)
    elif record is not None and record.neighbours == "replace-one":
        yield voice.say("They {difference}.", difference=Plain(neighbours(voice)))


def _trust(voice: Voice) -> Iterator[Inline]:
    if voice.released and voice.foreign is None:
        yield voice.say(
            "Whoever runs the release holds the original table and adds the noise, and must be trusted with it; "
            "recipients need not be."
        )


def _assumptions(voice: Voice) -> Iterator[Inline]:
    record = voice.dossier.record
    if record is not None and record.assumptions and voice.released:
        yield voice.say(
            "Assumptions, listed under “{section}”: {count}.",
            count=voice.counted(record, "assumptions"),
            section=_section(voice, "assumptions"),
        )
    yield voice.say("What the computer's timing and memory reveal while it runs is not covered.")


def _documents(voice: Voice) -> Iterator[Inline]:
    yield from _recorded_in(AUDIT.name, VERDICT.name, RECORD.name)(voice)
    if strongest_attack(voice) is not None:
        yield voice.say("Methods of the attacks are under “{section}”.", section=_section(voice, "attacks"))


def _keep_until(voice: Voice) -> Iterator[Inline]:
    made = None if voice.dossier.job is None else voice.dossier.job.finished
    if made:
        yield voice.say(
            "To be kept until {date} at least, three years from the day of this job: this report and the files "
            "beside it.",
            date=own(kept_until(date.fromisoformat(made[:10])).isoformat()),
        )


def kept_until(made: date) -> date:
    """The last day of the years for which a report is kept; of a leap day, the day after."""
    try:
        return made.replace(year=made.year + YEARS_KEPT)
    except ValueError:
        return date(made.year + YEARS_KEPT, 3, 1)


def _effect_level(voice: Voice) -> Iterator[Inline]:
    yield effect_level(voice).reason


def _risk_level(voice: Voice) -> Iterator[Inline]:
    found = likelihood(voice)
    if found is not None:
        yield voice.say("Likelihood of harm, proposed from the risks: {degree}.", degree=DEGREE_NAMES[found])


def _recorded_in(*names: str) -> Answer:
    """The files of the job that hold a step."""

    def answer(voice: Voice) -> Iterator[Inline]:
        files = [name for name in names if name in voice.dossier.files()]
        if files:
            yield voice.say("Recorded in {files}.", files=voice.listed(files))

    return answer


ANSWERS: Final[Mapping[str, Answer]] = {
    "data": _data,
    "withheld": _withheld,
    "special-categories": _special_categories,
    "identifiers": _identifiers,
    "use": _use,
    "options": _options,
    "limits": _limits,
    "scores": _scores,
    "worth": _worth,
    "risks": _risks,
    "singling-out": _risk(RiskKind.SINGLING_OUT),
    "linking": _risk(RiskKind.LINKING),
    "inferring": _risk(RiskKind.INFERRING),
    "strongest-attack": _strongest_attack,
    "risk-level": _risk_level,
    "unchecked": _unchecked,
    "measures": _measures,
    "guarantee": _guarantee,
    "dp-claim": _dp_claim,
    "dp-unit": _dp_unit,
    "dp-neighbours": _dp_neighbours,
    "trust": _trust,
    "assumptions": _assumptions,
    "earlier-releases": _earlier_releases,
    "recommendation": _recommendation,
    "effect-level": _effect_level,
    "keep-until": _keep_until,
    "documents": _documents,
    "file-goal": _recorded_in(JOB.name),
    "file-identify": _recorded_in(SURVEY.name),
    "file-process": _recorded_in(RECORD.name, PUBLIC_RECORD.name),
    "file-verify": _recorded_in(AUDIT.name, VERDICT.name),
}
"""Each yields sentences, and nothing where the job does not say."""


def _claims(voice: Voice) -> bool:
    """Whether the release claims differential privacy with a finite ε."""
    return voice.released and voice.foreign is None and epsilon_of(voice) is not None and not promises_nothing(voice)


def _no_claim(voice: Voice) -> Iterator[Inline]:
    if voice.released:
        yield voice.say("Not a claim of differential privacy: nothing bounds ε.")
    else:
        yield voice.say("Not a claim of differential privacy: nothing was released.")


def _nothing_released(voice: Voice) -> Iterator[Inline]:
    return _texts([next(residual(voice))])


def _unknown_mechanism(voice: Voice) -> Iterator[Inline]:
    return _texts([next(guarantee(voice))])


def _texts(contents: Iterable[Content]) -> Iterator[Inline]:
    """The texts of paragraphs and lists."""
    for block in blocks_of(contents):
        yield from inlines(block)


def _section(voice: Voice, key: str) -> Plain:
    return Plain(title(voice, key))
