"""Evidence for the scores: exact from the law of a release, or from attacks on it and measured exposure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec
import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import Attacker, ScoreEvidence, Statistic, confidence_of, share
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.assessment.scores.protection import gained, leaves_something, told
from leakgauge.assessment.scores.usefulness import statistics_of
from leakgauge.case.certainty import surest
from leakgauge.case.law import ReleaseLaw, subsets
from leakgauge.case.numbers import ranked, tenths
from leakgauge.claims import Statement
from leakgauge.distances.centres import centres
from leakgauge.errors import LabelError
from leakgauge.probability import Channel
from leakgauge.probability.cells import Codes, Floats, sums_by
from leakgauge.probability.labels import text_of


@checked
def evidence_by_law(
    law: ReleaseLaw,
    *,
    backgrounds: Iterable[str | Sequence[str]] = (),
    numbers: Floats | None = None,
    claims: Iterable[Statement] = (),
    statistics: Sequence[Statistic] | None = None,
) -> ScoreEvidence:
    """The evidence from the law of a release, exact and without making a release.

    Args:
        backgrounds: what an attacker may know, each a column or several. She may know any subset of it, so that
            declaring more never raises the protection; an attacker who knows nothing comes first.
        numbers: that the secret's values stand for, NaN where one is missing; None where they are letters.
        claims: of the mechanism, all of which hold.
        statistics: what the release is worth; by default for the shares, or the mean, and for each published column to
            recipients who are handed the channel.

    Raises:
        ModelError: a value has no number.
        OptionError: a column that the law does not have.

    Example:
        >>> from leakgauge.probability import Distribution
        >>> flip = Channel(["ill", "well"], ["ill", "well"], [[0.75, 0.25], [0.25, 0.75]])
        >>> evidence = evidence_by_law(ReleaseLaw(Distribution(["ill", "well"], [0.5, 0.5]), flip))
        >>> evidence.attackers[0].gained.value, evidence.statistics[0].worth.value
        (0.5, 0.25)
    """
    attackers, certain_to = list[Attacker](), list[tuple[str, ...]]()
    blank, merged, ranks, classes, tenth = False, None, None, None, None
    if numbers is not None:
        blank = bool(np.isnan(numbers).any())
        law, numbers = law.of_numbers(numbers)
        merged, ranks = ranked(numbers, law.shares)
        classes = tenths(ranks, sums_by(merged, law.shares, len(ranks)))
        tenth = classes[merged]
    declared = ((one,) if isinstance(one, str) else tuple(dict.fromkeys(one)) for one in backgrounds)
    for knows in dict.fromkeys(((), *chain.from_iterable(map(subsets, declared)))):
        sight = law.sight(knows) if merged is None else law.sight(knows).of_classes(merged)
        if not leaves_something(sight, ranks):
            certain_to.append(knows)
            continue
        left = None if numbers is not None else 1 - sight.before.guessed()
        sure, worst = surest(sight, classes)
        attackers.append(
            Attacker(
                knows,
                share(gained(sight, ranks)),
                share(told(sight, ranks)),
                left,
                surest=share(sure),
                worst=text_of(law.values[worst]) if tenth is None else tenth_of(numbers, tenth, worst),
            )
        )
    return ScoreEvidence(
        attackers=tuple(attackers),
        certain_to=tuple(certain_to),
        guarantee=guaranteed(claims),
        statistics=tuple(statistics_of(law, numbers) if statistics is None else statistics),
        blank=blank,
    )


def evidence_on_blanks(law: ReleaseLaw, numbers: Floats, background: Sequence[str]) -> tuple[Attacker, ...]:
    """What somebody learns about which numbers are missing, for each subset of the background."""
    is_blank, found = np.isnan(numbers).astype(np.int64), list[Attacker]()
    for knows in subsets(background) if 0 < is_blank.sum() < len(is_blank) else ():
        sight = law.sight(knows).of_classes(is_blank)
        if leaves_something(sight):
            sure, worst = surest(sight)
            left = 1 - sight.before.guessed()
            gains = (share(gained(sight)), share(told(sight)), left)
            found.append(Attacker(knows, *gains, surest=share(sure), worst="blank" if worst else "not blank"))
    return tuple(found)


def at_least(found: Attacker, part: Attacker) -> Attacker:
    """An attacker with at least the gains of one who sees a part of what she sees."""
    names = ("gained", "told", "surest")
    raised = {name: _raised(getattr(found, name), getattr(part, name)) for name in names}
    worst = part.worst if raised["surest"] == part.surest else found.worst
    return msgspec.structs.replace(found, **raised, worst=worst)


def _raised(found: Quantity | None, least: Quantity | None) -> Quantity | None:
    if least is None:
        return found
    if found is None:
        return share(least.value, least.value, 1.0)
    if found.low is None and found.high is None:
        return found if found.value >= least.value else least
    low, high = found.ends
    value = least.value
    return share(max(found.value, value), max(low, value), max(high, value), found.confidence)


def tenth_of(numbers: Floats | None, classes: Codes, worst: int) -> str:
    """The numbers of a class, from the least to the largest."""
    assert numbers is not None
    of = numbers[classes == worst]
    return f"{of.min():.3g} … {of.max():.3g}"


def gained_in_attack(advantage: Quantity, baseline: Quantity) -> Quantity:
    """A of an attack that was tried: what it gains over the baseline, beside what the baseline leaves to gain.

    It grows with both, so that its ends are those of both; a negative advantage is chance.
    """
    pairs = zip((advantage.value, *advantage.ends), (baseline.value, *baseline.ends), strict=True)
    value, low, high = (0.0 if gain <= 0 else gain / (1 - base) if base < 1 else 1.0 for gain, base in pairs)
    return share(value, low, high, confidence_of((advantage, baseline)))


def told_at_most(everything: Quantity, known: Quantity, entropy: Quantity) -> Quantity:
    """B of a release that was measured: (I(X;W) − I(X;known)) / (H(X) − I(X;known)), in one unit.

    Where everything is a bracket, its upper end decides. The ends of the three go against each other: in doubt more is
    told, and less was known.
    """

    def ratio(all_told: float, known_before: float, whole: float) -> float:
        left = whole - known_before
        return 1.0 if left <= 0 else max(all_told - known_before, 0.0) / left

    (least, most), (known_low, known_high), (whole_low, whole_high) = everything.ends, known.ends, entropy.ends
    # (I − k)/(H − k) falls with k where I ≤ H, so that the least that is known is the unfavourable end.
    value = ratio(everything.value, known.value, entropy.value)
    low, high = ratio(least, min(known_high, least), whole_high), ratio(most, known_low, whole_low)
    return share(value, min(low, value), max(high, value), confidence_of((everything, known, entropy)))


def readings_of(channel: Channel | None) -> Floats:
    """The number that each released value is read as; NaN where it is none."""
    if channel is None:
        return np.full(1, np.nan)
    try:
        return centres(channel.outputs)
    except LabelError:
        return np.full(len(channel.outputs), np.nan)
