"""What the best attack gains, as a share of what it would gain from the raw data."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.audits import share_of_raw
from leakgauge.assessment.indicators.family import Context, Family
from leakgauge.assessment.indicators.indicator import SHARE, TOLD, Indicator
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import MOVED, AnswerSetting, LetterSetting, Setting
from leakgauge.sentences import Sentence


def _tells_all(share: float, of_rows: bool) -> Sentence | None:
    if share < TOLD:
        return None
    # An attack on a sample may come out above what it estimates, which is at most the whole.
    return Sentence(
        "the release tells nearly everything: the best attack gains {share:.4g} of what the raw data give",
        share=min(share, 1.0),
    )


ADVANTAGE = Indicator(
    "attack-advantage",
    5,
    "success of inference attacks",
    "share of the raw advantage",
    SHARE,
    limit="max_attack_advantage",
    needed=Sentence("what attacks gain (leaf 5)"),
    veto=_tells_all,
)


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From the audit; of a histogram from its law."""
    setting, audit = protected.setting, context.audit
    if isinstance(setting, AnswerSetting):
        return expected(setting, context)
    if audit is None:
        return (ADVANTAGE.missing(Sentence("There is no audit; make one with leakgauge audit.")),)
    best = audit.best
    if best is None:
        return (ADVANTAGE.missing(Sentence("No attack was tried.")),)
    how = Sentence("The advantage of the best attack, {attack}, over what it has in the raw data.", attack=best.attack)
    low, value = (share_of_raw(best, one) for one in (best.advantage.ends[0], best.advantage.value))
    return (ADVANTAGE.evidence(setting.form, value, how, between=(low, audit.highest_share), null=0.0, raw=1.0),)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Of a column the Bayes vulnerability beyond the best guess without the release, over what is left to gain.

    Of a histogram the chance to tell two neighbouring tables apart beyond a coin, by who knows all other rows.
    """
    if isinstance(setting, AnswerSetting):
        value = setting.noise.law.told_apart(MOVED)
        how = Sentence("The total variation between two neighbouring tables, by the law.")
    elif isinstance(setting, LetterSetting):
        before = after = 0.0
        for known in np.unique(setting.known):
            # Who knows what is public guesses among those it leaves.
            seen = setting.known == known
            before += float(setting.counted[:, seen].sum(axis=1).max()) / setting.source.rows
            after += float((setting.counted[:, seen] @ setting.matrix[seen]).max(axis=0).sum()) / setting.source.rows
        value, how = _gained(before, after), Sentence("The Bayes vulnerability, by the law.")
    else:
        value = _gained(*setting.mixture.best_guess(setting.groups[2]))
        how = Sentence("The Bayes vulnerability of each tenth, by the law.")
    return (ADVANTAGE.evidence(setting.form, min(value, 1.0), how, null=0.0, raw=1.0),)


FAMILY = Family((ADVANTAGE,), expected, measured)


def _gained(before: float, after: float) -> float:
    """As a share of what is left; nothing where the guess is certain before."""
    return max(after - before, 0.0) / (1 - before) if before < 1 else 0.0
