"""What is recommended, and the scores of each secret that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Final

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.artefacts.scores import SCORES, Grade, Scores, grade_of
from leakgauge.artefacts.verdict import Judgement, Recommendation
from leakgauge.assessment.verdict import keeps
from leakgauge.languages import message
from leakgauge.rounding import at_most
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.figures.scores import NAMES, is_known
from leakgauge.telling.voice import AS_DECLARED, NOTHING, Cell, Plain, Voice, own

_GRADES: Final = {
    Grade.VERY_POOR: message("very poor"),
    Grade.POOR: message("poor"),
    Grade.MEDIUM: message("medium"),
    Grade.GOOD: message("good"),
    Grade.VERY_GOOD: message("very good"),
}
_MEANT: Final = {
    "protection": message(
        "Of what an attacker could not tell about an average person before, how much is still hidden afterwards. 0: "
        "the original data; 100: nothing is revealed."
    ),
    "surest": message(
        "How much surer an attacker becomes about the most exposed tenth of those who share a value, for the value "
        "worst affected. 0: no surer; 100: certain of people of whom nothing was known. Lower is better."
    ),
    "usefulness": message(
        "How many rows of the original data the recipient's numbers are worth, averaged over shares, means and "
        "cross-tables. 0: nothing can be computed; 100: as much as from the original data."
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


def scores(voice: Voice, found: Judgement, secret: str = "", *, short: bool = False) -> Iterator[Content]:
    """The scores of a secret, by default of the one that decides; without what they mean where it is to be short."""
    secret = secret or found.deciding
    caption = message("Scores, 0 to 100")
    if not is_of_release(voice, found):
        caption = message("Scores, calculated in advance, 0 to 100")
    if len(found.scores) > 1:
        caption = message("Scores of {secret}, 0 to 100")
        if secret == found.deciding:
            caption = message("Scores of {secret} (the least protected secret), 0 to 100")
    every = (*score_rows(voice, found, secret), guarantee_row(voice, found.scores[secret]))
    rows = (row[:2] if short else row for row in every)
    yield from voice.grid(caption, "Score|Found|In plain words", rows, secret=own(secret))


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
            "Whatever is known, the odds of {neighbours} change at most {factor}-fold.",
            neighbours=Plain(voice.told(found.neighbours.said)),
            factor=own(f"{at_most(found.odds, 2):,.3g}"),
        )
    if found.given_counts:
        words += (" ", *voice.say(_GIVEN_COUNTS))
    return name, shown, words


def _how_good(voice: Voice, found: Judgement, value: Quantity, name: str) -> Inline:
    """Whether the unfavourable end keeps its limit; without one a grade, where the score is well inside its band."""
    if not is_known(value):
        return ()
    least, most = value.ends
    prefix, end = ("max", most) if name == "surest" else ("min", least)
    line = next((one for one in found.policy if one.name == f"{prefix}_{name}"), None)
    if line is not None:
        if 0 <= end - line.limit < AS_REQUIRED and prefix == "min":
            return voice.say("as required")
        kept = keeps(line.name, end, line.limit)
        if prefix == "max" or not kept:
            return voice.say("within the limit") if kept else voice.say("NOT MET")
    inside = min(max(end, 0.0), 100.0)
    is_clear = (prefix == "min" and WELL_INSIDE <= inside % 20 <= 20 - WELL_INSIDE) or inside == 100
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
    yield from other_reasons(voice, found, conditions if found.recommendation is Recommendation.RELEASE_IF else ())


def other_reasons(voice: Voice, found: Judgement, said: Iterable[str] = ()) -> Iterator[Content]:
    """The reasons that are not loud by themselves, nor said already."""
    loud = {*told_all(voice, found.vetoes), *told_all(voice, found.failed), *said}
    reasons = [one for one in told_all(voice, found.reasons) if one not in loud]
    if reasons:
        yield Points(numbered=False, items=tuple((one,) for one in reasons))


def told_all(voice: Voice, sentences: Iterable[Sentence]) -> list[str]:
    """Short sentences in the report's language."""
    return [voice.told(one) for one in sentences]


def in_turn(voice: Voice, said: Iterable[str]) -> Plain:
    """Short sentences one after the other."""
    return Plain(voice.language.say("; ").join(said))
