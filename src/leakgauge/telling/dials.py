"""What is recommended, and the scores of each secret that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Final

from leakgauge.artefacts.dials import DIALS, Dials, Grade, grade_of
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.artefacts.verdict import Judgement, Recommendation
from leakgauge.assessment.verdict import keeps
from leakgauge.languages import message
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.figures.dials import NAMES, is_known
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own

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
    "exposed": message(
        "Of the people who share a value, how many become nearly certain: each counts from 0 at 90% certain to 1 at "
        "certain. For the value worst affected; lower is better."
    ),
    "guarantee": message(
        "How strong the proven worst-case limit is, whatever the attacker knows. 0: no limit; 100: nothing can be "
        "learnt."
    ),
    "usefulness": message(
        "How well the released values predict the true ones, averaged over shares, means and cross-tables. 0: not at "
        "all; 100: perfectly."
    ),
    "effect": message(
        "Twice the geometric mean of protection and usefulness, at most 100. 0: the original data, or pure noise."
    ),
    "efficiency": message(
        "What the best possible design with the same distortion would reveal, relative to this one; it may be less "
        "useful."
    ),
}
_OF_ROWS: Final = message(
    "How much closer the released values are to the true ones than a single fixed value would be. 0: no closer; 100: "
    "a copy."
)
_GIVEN_COUNTS: Final = message(
    "The guarantee holds for the noise only, not for what its tuning on this table's counts reveals."
)
_SMALLEST: Final = 0.01
"""A dial below this counts as 0."""
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
    return name if name in found.dials else found.deciding


def dial(voice: Voice, dials: Dials | None, name: str) -> Cell:
    """A dial with its interval, or that nothing is known of it."""
    found: Quantity | None = None if dials is None else getattr(dials, name)
    if found is None:
        return NOTHING
    if not is_known(found):
        return voice.say("not known")
    exposed = name == "exposed"
    if found.low is None and 0 < found.value < _SMALLEST:
        small = message("less than {least:g}%") if exposed else message("less than {least:g}")
        return voice.say(small, least=_SMALLEST)
    # As many as are exposed at most, and no more points than there are.
    rounding = ROUND_CEILING if exposed else ROUND_FLOOR
    return voice.number(found, "value", interval=found, unit="%" if exposed else "", rounding=rounding)


def unfavourable(voice: Voice, found: Quantity) -> Number:
    """The lower end of a dial of which more is better."""
    return voice.number(found, "value" if found.low is None else "low", rounding=ROUND_FLOOR)


def dials(voice: Voice, found: Judgement, secret: str = "", *, short: bool = False) -> Iterator[Content]:
    """The scores of a secret, by default of the one that decides; without what they mean where it is to be short."""
    secret = secret or found.deciding
    caption = message("Scores, 0 to 100")
    if not is_of_release(voice, found):
        caption = message("Scores, calculated in advance, 0 to 100")
    if len(found.dials) > 1:
        caption = message("Scores of {secret}, 0 to 100")
        if secret == found.deciding:
            caption = message("Scores of {secret} (the least protected secret), 0 to 100")
    rows = (row[:2] if short else row for row in dial_rows(voice, found, secret))
    yield from voice.grid(caption, "Score|Found|In plain words", rows, secret=own(secret))
    if short and found.dials[secret].given_counts:
        yield voice.note(_GIVEN_COUNTS)


def dial_rows(voice: Voice, found: Judgement, secret: str) -> Iterator[tuple[Cell, ...]]:
    """Of each score of a secret its name, its number with how good that is, and what it means."""
    scores = found.dials[secret]
    for name in DIALS:
        words = voice.say(_OF_ROWS if name == "usefulness" and found.use == "rows" else _MEANT[name])
        if name == "guarantee" and scores.given_counts:
            words += (" ", *voice.say(_GIVEN_COUNTS))
        shown, good = dial(voice, scores, name), _how_good(voice, found, getattr(scores, name), name)
        yield voice.say(NAMES[name]), voice.say("{found} ({good})", found=shown, good=good) if good else shown, words


def _how_good(voice: Voice, found: Judgement, value: Quantity, name: str) -> Inline:
    """The grade of a dial at its unfavourable end; what is exposed is a limit and no mean, so that it has none."""
    if not is_known(value):
        return ()
    least, most = value.ends
    if name == "exposed":
        line = next((one for one in found.policy if one.name == "max_exposed"), None)
        if line is None:
            return ()
        kept = keeps(line.name, most, line.limit)
        return voice.say("within the limit") if kept else voice.say("above the limit")
    return voice.say(_GRADES[grade_of(min(max(least, 0.0), 100.0))])


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
