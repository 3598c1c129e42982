"""What is recommended, and the scores of each secret that it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Final

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Paragraph, Points, Tile, Tiles
from leakgauge.artefacts.scores import SCORES, Grade, Scores, Statistic, grade_of
from leakgauge.artefacts.verdict import Judgement, PolicyLine, Recommendation
from leakgauge.assessment.verdict import NOBODY_CERTAIN, keeps
from leakgauge.languages import message
from leakgauge.rounding import at_most
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Inline, Number, text_of
from leakgauge.telling.figures.scores import NAMES, is_known
from leakgauge.telling.risks import met_or_not
from leakgauge.telling.voice import AS_DECLARED, NOTHING, Cell, Plain, Voice, inline_of, own

_GRADES: Final = {
    Grade.VERY_POOR: message("very poor"),
    Grade.POOR: message("poor"),
    Grade.MEDIUM: message("medium"),
    Grade.GOOD: message("good"),
    Grade.VERY_GOOD: message("very good"),
}
_MEANT: Final = {
    "protection": message(
        "How much of what an attacker could not tell about an average person stays hidden. 0: the original data; 100: "
        "nothing is revealed."
    ),
    "surest": message(
        "How much surer an attacker becomes about the most exposed tenth of those with the worst-affected value. 0: no "
        "surer; 100: certain. Lower is better."
    ),
    "usefulness": message(
        "How many of the original rows the recipient's shares, means and cross-tables are worth, on average. 0: none; "
        "100: all."
    ),
}
_OF_ROWS: Final = message(
    "How much closer the released values are to the true ones than a single fixed value would be. 0: no closer; 100: "
    "a copy."
)
_GIVEN_COUNTS: Final = message(
    "The guarantee holds for the noise only, not for what its tuning on this table's counts reveals."
)
WELL_INSIDE: Final = 5.0
"""Points from the ends of its band from which on a grade is said: nearer, chance would turn it."""
AS_REQUIRED: Final = 1.0
"""Points above a limit within which a search stops."""
_SMALLEST: Final = 0.01
"""A score below this counts as 0."""
_TONES: Final = {Recommendation.RELEASE: "good", Recommendation.RELEASE_IF: "caution"}


def judged_by(voice: Voice) -> Judgement | None:
    """The verdict on the release; where nothing was released, what it would have been by law."""
    found = voice.dossier.verdict if voice.released else voice.dossier.promise
    return None if voice.external else found


def is_of_release(voice: Voice, found: Judgement) -> bool:
    """Whether a verdict is on a release, and not on what would have been released."""
    return found.record is not None if voice.dossier.job is None else voice.released


def deciding(voice: Voice) -> Voice:
    """The same, told of the secret with the lowest protection; everybody may not know which it is."""
    found = judged_by(voice)
    return next((one for one in voice.each if found is not None and ", ".join(one.group) == found.deciding), voice)


def secret_in(voice: Voice, found: Judgement) -> str:
    """The secret that is spoken of by its name in a verdict; of several together the one that decides."""
    name = ", ".join(voice.group)
    return name if name in found.scores else found.deciding


def score(voice: Voice, scores: Scores | None, name: str) -> Cell:
    """A score with its interval, or that nothing is known of it."""
    found: Quantity | None = None if scores is None else getattr(scores, name)
    if found is None:
        return NOTHING
    if not is_known(found):
        return voice.say("not known")
    if found.low is None and 0 < found.value < _SMALLEST:
        return voice.say("less than {least:g}", least=_SMALLEST)
    rounding = ROUND_CEILING if name == "surest" else ROUND_FLOOR
    return voice.number(found, "value", interval=found, unit="", rounding=rounding)


def unfavourable(voice: Voice, found: Quantity) -> Number:
    """The lower end of a score of which more is better."""
    return voice.number(found, "value" if found.low is None else "low", rounding=ROUND_FLOOR)


def scores(voice: Voice, found: Judgement, secret: str = "") -> Iterator[Content]:
    """The scores of a secret with what they mean and their limits, by default of the one that decides; and its worst
    case."""
    secret = secret or found.deciding
    caption = message("Scores, 0 to 100")
    if not is_of_release(voice, found):
        caption = message("Scores, calculated in advance, 0 to 100")
    if len(found.scores) > 1:
        caption = message("Scores of {secret}, 0 to 100")
        if secret == found.deciding:
            caption = message("Scores of {secret} (the least protected secret), 0 to 100")
    limits = {line.name.partition("_")[2]: line for line in found.policy}
    tiles = []
    for name, (title, shown, words) in zip(SCORES, score_rows(voice, found, secret), strict=True):
        line = limits.get(name)
        # Of another secret than the one that keeps a limit least, only the deciding one's limit was looked at.
        met = None if line is None else _is_met(found, secret, name, line)
        limit = () if line is None or met is None else met_or_not(voice, _limited(voice, line), met)
        tiles.append(Tile(text_of(inline_of(title), voice.language), inline_of(shown), inline_of(words), limit, met))
    yield Tiles(voice.language.say(caption, secret=own(secret)), tuple(tiles))
    said = guaranteed(voice, found, secret)
    record = voice.dossier.record
    if len(found.scores) > 1 and record is not None and math.isfinite(record.budget.epsilon.value):
        epsilon = voice.number(record.budget, "epsilon", "value", rounding=ROUND_CEILING)
        said += (" ", *voice.say("All secrets together: ε = {epsilon}.", epsilon=epsilon))
    yield said


def guaranteed(voice: Voice, found: Judgement, secret: str) -> Inline:
    """The claim of a secret with its odds in a sentence, which says whose it is where there are several."""
    _, level, meaning = guarantee_row(voice, found.scores[secret])
    template = message("Guarantee: {shown}. {words}")
    if len(found.scores) > 1:
        template = message("Guarantee for {secret} alone: {shown}. {words}")
    return voice.say(template, secret=own(secret), shown=inline_of(level), words=inline_of(meaning))


def _is_met(found: Judgement, secret: str, name: str, line: PolicyLine) -> bool:
    least, most = getattr(found.scores[secret], name).ends
    return keeps(line.name, most if line.name.startswith("max_") else least, line.limit)


def _limited(voice: Voice, line: PolicyLine) -> Inline:
    limit = voice.number(line, "limit", digits=AS_DECLARED)
    template = message("at most {limit}") if line.name.startswith("max_") else message("at least {limit}")
    return voice.say(template, limit=limit)


def score_rows(voice: Voice, found: Judgement, secret: str) -> Iterator[tuple[Cell, ...]]:
    """Of each score of a secret its name, its number with how good that is, and what it means."""
    scores = found.scores[secret]
    for name in SCORES:
        words = voice.say(_OF_ROWS if name == "usefulness" and found.use == "rows" else _MEANT[name])
        shown, good = score(voice, scores, name), _how_good(voice, found, getattr(scores, name), name)
        yield voice.say(NAMES[name]), voice.say("{found} ({good})", found=shown, good=good) if good else shown, words


def precision(voice: Voice, found: Judgement, secret: str) -> Iterator[Content]:
    """How precise the statistics are that recipients can compute, of one secret."""
    statistics = found.evidence[secret].statistics if secret in found.evidence and found.use == "statistics" else ()
    rows = (
        (
            voice.say("with {columns}", columns=voice.listed(one.columns)) if one.columns else voice.say("by itself"),
            voice.say("not known") if one.worth is None else voice.number(one.worth, "value", percent=True),
            *(voice.cell(one, name) for name in ("largest_error", "median_error", "worst_error")),
        )
        for one in statistics
    )
    yield from voice.grid(
        "What recipients can compute of {secret}",
        "Statistic|Worth, of the rows|Error of the largest cell, points|Of the middle one|Of the worst",
        rows,
        secret=own(secret),
    )


def worth(voice: Voice, found: Judgement, secret: str) -> Iterator[Content]:
    """What readers can compute of a secret, as errors in points of a share."""
    statistics = found.evidence[secret].statistics if secret in found.evidence and found.use == "statistics" else ()
    if not statistics:
        return
    said = list[Inline]()
    alone = next((one for one in statistics if not one.columns), None)
    if alone is not None and alone.worst_error is not None:
        said.append(
            voice.say(
                "each share of {secret} to within {error} points",
                secret=own(secret),
                error=voice.number(alone, "worst_error", digits=2, rounding=ROUND_CEILING),
            )
        )
    elif alone is not None and alone.worth is not None and alone.worth.ends[0] > 0:
        share = voice.number(alone.worth, "value", percent=True, rounding=ROUND_FLOOR)
        said.append(voice.say("the mean of {secret} as from {share} of the rows", secret=own(secret), share=share))
    beside = [one for one in statistics if one.columns]
    tables = [one for one in beside if one.worst_error is not None]
    if tables:
        worst = max(tables, key=lambda one: one.worst_error or 0.0)
        error = voice.number(worst, "worst_error", digits=2, rounding=ROUND_CEILING)
        said.append(
            voice.say(
                "each cell of its cross-tables with {columns} to within {error} percentage points",
                columns=_named(voice, tables),
                error=error,
            )
        )
    nothing = [one for one in beside if one.worth is not None and not one.worth.value]
    if not said:
        yield voice.say("Worth to readers: they can compute no statistics of {secret}.", secret=own(secret))
        return
    what = tuple(part for at, one in enumerate(said) for part in ((voice.language.say("; "),) if at else ()) + one)
    # A mean is known as from so many rows, which is no error that holds 95 times in 100.
    template = message("Worth to readers: they know {what}.")
    if tables or (alone is not None and alone.worst_error is not None):
        template = message("Worth to readers: they know {what}, 95 times in 100.")
        if nothing:
            template = message(
                "Worth to readers: they know {what}, 95 times in 100; its tables with {columns} cannot be computed."
            )
    yield voice.say(template, what=what, columns=_named(voice, nothing))


def _named(voice: Voice, statistics: Iterable[Statistic]) -> Plain:
    return voice.listed(dict.fromkeys(name for one in statistics for name in one.columns))


def guarantee_row(voice: Voice, scores: Scores) -> tuple[Cell, ...]:
    """The claim with its odds: a limit, and no score."""
    found, name = scores.guarantee, voice.say("guarantee")
    if found is None:
        return name, voice.say("none"), voice.say("Nothing limits the worst case.")
    symbol = {"zcdp": "ρ", "gaussian-dp": "μ"}.get(found.notion, "ε")
    shown: Inline = (f"{symbol} = ", voice.number(found, "level", rounding=ROUND_CEILING))
    if found.delta:
        shown = (*shown, ", δ = ", voice.number(found, "delta", digits=AS_DECLARED))
    words = voice.say("A limit on the worst case, whatever is known.")
    if found.odds is not None:
        words = voice.say(
            "Whatever is known, the protected columns change the odds of {neighbours} at most {factor}-fold.",
            neighbours=Plain(voice.told(found.neighbours.said)),
            factor=own(f"{at_most(found.odds, 2):,.3g}"),
        )
    if found.given_counts:
        words += (" ", *voice.say(_GIVEN_COUNTS))
    return name, shown, words


def _how_good(voice: Voice, found: Judgement, value: Quantity, name: str) -> Inline:
    """A grade, where the limit is kept and the score is well inside the band of the grade."""
    if not is_known(value) or name == "surest":
        return ()
    least, _ = value.ends
    line = next((one for one in found.policy if one.name == f"min_{name}"), None)
    if line is not None and (0 <= least - line.limit < AS_REQUIRED or not keeps(line.name, least, line.limit)):
        return voice.say("as required") if keeps(line.name, least, line.limit) else ()
    inside = min(max(least, 0.0), 100.0)
    is_clear = WELL_INSIDE <= inside % 20 <= 20 - WELL_INSIDE or inside == 100
    return voice.say(_GRADES[grade_of(inside)]) if is_clear else ()


def recommended(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What to do with the release, and why; vetoes and limits that are not kept are loud."""
    conditions = told_all(voice, found.conditions)
    said = {
        Recommendation.RELEASE: message("Recommendation: release."),
        Recommendation.RELEASE_IF: message("Recommendation: release if you {conditions}."),
        Recommendation.DO_NOT_RELEASE: message("Recommendation: do not release."),
    }[found.recommendation]
    tone = _TONES.get(found.recommendation, "warning")
    yield Paragraph(tone, voice.say(said, conditions=in_turn(voice, conditions)))
    vetoes, failed = told_all(voice, found.vetoes), told_all(voice, found.failed)
    for one in vetoes:
        yield voice.alarm("Veto: {reason}.", reason=Plain(one))
    for one in failed:
        if one not in vetoes:
            yield voice.alarm("A limit is not met: {reason}.", reason=Plain(one))
    if found.recommendation is Recommendation.RELEASE:
        # That limits are met is said beside the scores.
        return
    yield from other_reasons(voice, found, conditions if found.recommendation is Recommendation.RELEASE_IF else ())


def other_reasons(voice: Voice, found: Judgement, said: Iterable[str] = ()) -> Iterator[Content]:
    """The reasons that are not loud by themselves, nor said already."""
    loud = {*told_all(voice, found.vetoes), *told_all(voice, found.failed), *said}
    # How many people is said in a sentence of its own.
    others = [
        one
        for one in found.reasons
        if one.template != NOBODY_CERTAIN and not {"holders", "everybody"} & one.fields.keys()
    ]
    reasons = [one for one in told_all(voice, others) if one not in loud]
    if reasons:
        yield Points(numbered=False, items=tuple((one,) for one in reasons))


def told_all(voice: Voice, sentences: Iterable[Sentence]) -> list[str]:
    """Short sentences in the report's language."""
    return [voice.told(one) for one in sentences]


def in_turn(voice: Voice, said: Iterable[str]) -> Plain:
    """Short sentences one after the other."""
    return Plain(voice.language.say("; ").join(said))
