"""The result of a search: every setting with its scores, the chosen one, and the limits that block better ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from leakgauge.artefacts.scores import Scores
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.search.families import Family, Stage
from leakgauge.assessment.verdict import short_of
from leakgauge.errors import RefusalError
from leakgauge.mechanisms import Mechanism, spelled
from leakgauge.probability import Channel
from leakgauge.probability.labels import Label
from leakgauge.rounding import at_least
from leakgauge.sentences import Sentence, in_turn

_SHORT = {
    "min_protection": "its protection is {found:.3g}, but {asked:g} is required",
    "max_surest": "it makes somebody surer by {found:.3g}, but at most {asked:g} is allowed",
    "max_epsilon": "its ε is {found:.3g}, but at most {asked:g} is allowed",
    "min_usefulness": "its usefulness is {found:.3g}, but {asked:g} is required",
    "max_lost": "{found:.2%} of the rows have values that are never released, more than {asked:.2%}",
}
_ASKED = {
    "min_protection": "a protection of {asked:g}",
    "max_surest": "nobody surer by more than {asked:g}",
    "max_epsilon": "an ε of at most {asked:g}",
    "min_usefulness": "a usefulness of {asked:g}",
    "max_lost": "at most {asked:.3g} of the rows lost",
}
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting and its scores by law.

    Attributes:
        parameter: where it stands in its family.
        lost: the share of rows whose values are never released.
    """

    family: Family
    parameter: float
    mechanism: Mechanism = field(repr=False)
    scores: Scores
    lost: float
    goal: Policy = field(repr=False)

    @property
    def said(self) -> Sentence:
        """The setting in words."""
        return self.family.said(self.mechanism, self.parameter)

    @property
    def text(self) -> str | None:
        """As in a plan, with the values of the column; None of what is fitted to the counts, which is a channel."""
        return None if self.family.is_fitted else spelled(self.mechanism)

    @property
    def channel(self) -> Channel | None:
        """From values to releases, of what is fitted to the counts; None where a text says it."""
        return self.mechanism.channel() if self.family.is_fitted else None

    @property
    def values(self) -> tuple[Label, ...]:
        """The values, or bins, that it reads by name; none of numbers that get noise."""
        return tuple(self.mechanism.letters or ()) if self.channel is None else self.channel.inputs

    @property
    def usefulness(self) -> float:
        """At its unfavourable end."""
        return self.scores.usefulness.ends[0]

    @cached_property
    def found(self) -> dict[str, float]:
        """Of each limit of the goal what the setting has, at the unfavourable end."""
        scores = self.scores
        values = {
            "min_protection": scores.protection.ends[0],
            "max_surest": scores.surest.ends[1],
            "max_epsilon": claimed_epsilon(scores),
            "min_usefulness": self.usefulness,
            "max_lost": self.lost,
        }
        return {name: value for name, value in values.items() if name in self.goal.limits()}

    @cached_property
    def short(self) -> dict[str, float]:
        """By how many points each limit that is not kept is missed; shares count in percent."""
        limits, missed = self.goal.limits(), {}
        for name, found in self.found.items():
            by = limits[name] - found if name.startswith("min_") else found - limits[name]
            if by > _ROUNDING:
                missed[name] = 100 * by if name == "max_lost" else by
        return missed

    @property
    def useless(self) -> bool:
        """Whether it misses what readers need."""
        return bool(self.short.keys() & {"min_usefulness", "max_lost"})


def claimed_epsilon(scores: Scores) -> float:
    """The ε that a setting claims for itself; infinite where it claims none, or was fitted to private counts, which it
    reveals outright."""
    claim = scores.guarantee
    return claim.level if claim is not None and claim.odds is not None and not claim.given_counts else math.inf


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found.

    Attributes:
        trials: every setting that was tried, in the order of the search.
        chosen: the most useful setting that keeps the limits, or the most protective if no protection is asked for; of
            two equally good ones, the cheaper change. Rows come before counts. None if no setting keeps them.
        closest: the chosen one, else the one that misses the limits by least.
        answers: counts with noise that keep the limits, the most useful; None where none do.
        start: the mechanism of today; None where none was given, or it is not one of a family here.
        withheld: what the published columns reveal although the secret is not released; None where there are none.
    """

    secret: str
    goal: Policy
    trials: tuple[Trial, ...] = field(repr=False)
    chosen: Trial | None
    closest: Trial
    answers: Trial | None = None
    start: Trial | None = None
    withheld: Scores | None = field(default=None, repr=False)

    @property
    def stages(self) -> dict[Stage, tuple[Trial, ...]]:
        """The trials of each stage that has any, the best first, and the cheapest change first."""
        found = {stage: [one for one in self.trials if one.family.stage is stage] for stage in Stage}
        return {stage: tuple(sorted(trials, key=self._rank)) for stage, trials in found.items() if trials}

    def _rank(self, trial: Trial) -> tuple[bool, float, float]:
        """The chosen one comes first, then what misses the limits by least, then what serves the goal best."""
        by_protection = self.goal.min_protection is None
        worth = trial.scores.protection.ends[0] if by_protection else trial.usefulness
        return trial is not self.chosen, sum(trial.short.values()), -worth

    @property
    def blocking(self) -> tuple[Sentence, ...]:
        """What the closest one misses, the farthest first, in short sentences without a full stop."""
        limits, closest = self.goal.limits(), self.closest
        names = sorted(closest.short, key=lambda name: -closest.short[name])
        told = {name: short_of(name, closest.found[name]) for name in names}
        return tuple(Sentence(_SHORT[name], found=told[name], asked=limits[name]) for name in names)

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """What a reader should know besides, in whole sentences."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[Sentence]:
        best, answers, least = self.chosen, self.answers, self.goal.min_protection
        if answers is not None and best is not None and answers.usefulness > best.usefulness:
            yield Sentence(
                "If only shares are needed, a table of counts serves better than rows: {answers} as a "
                "histogram has a usefulness of {useful:.3g} and a protection of {safe:.3g}.",
                answers=answers.said,
                useful=at_least(answers.usefulness),
                safe=at_least(answers.scores.protection.ends[0]),
            )
        if best is not None and best is answers:
            yield Sentence("Only noisy counts meet the limits; no release of rows does.")
        if self.withheld is not None and least is not None and self.withheld.protection.ends[0] < least:
            yield Sentence(
                "The published columns alone leave a protection of {found:.3g}, so no release of "
                "{secret!r} along with them reaches {asked:g}; publish fewer or coarser columns.",
                found=at_least(self.withheld.protection.ends[0]),
                secret=self.secret,
                asked=least,
            )
        if (
            best is not None
            and best.family.is_fitted
            and best.scores.guarantee is not None
            and best.scores.guarantee.given_counts
        ):
            yield Sentence(
                "{setting} is tuned on this table's counts and reveals them to anyone who sees it.", setting=best.said
            )

    def require(self) -> Trial:
        """The chosen setting.

        Raises:
            RefusalError: no setting keeps the limits; the message says how close the best came.
        """
        if self.chosen is not None:
            return self.chosen
        asked = tuple(Sentence(_ASKED[name], asked=limit) for name, limit in self.goal.limits().items())
        raise RefusalError(
            "No setting that was tried for {secret!r} meets {asked}; the closest of {count} is {closest} ({form}): "
            "{blocking}.",
            secret=self.secret,
            asked=asked,
            count=len(self.trials),
            closest=self.closest.said,
            form=self.closest.family.form,
            blocking=in_turn(self.blocking),
        )
