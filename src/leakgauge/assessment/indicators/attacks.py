"""Leaf 5: what the best attack gains, as a share of what it would gain from the raw data."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence, missing
from leakgauge.assessment.indicators.audits import share_of_raw
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import MOVED, Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.sentences import Sentence


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From the audit; of a histogram from its law."""
    if protected.form is Form.ANSWERS:
        return expected(protected.setting, context)
    audit = context.audit
    if audit is None:
        return (missing("5", Sentence("There is no audit; make one with leakgauge audit.")),)
    best = audit.best
    if best is None:
        return (missing("5", Sentence("No attack was tried.")),)
    return (
        INDICATORS["5"].evidence(
            protected.form,
            share_of_raw(best, best.advantage.value),
            Sentence(
                "The advantage of the best attack, {attack}, over what it has in the raw data.",
                attack=best.attack,
            ),
            between=(share_of_raw(best, best.advantage.ends[0]), audit.highest_share),
            null=0.0,
            raw=1.0,
        ),
    )


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Of a column the Bayes vulnerability beyond the best guess without the release, over what is left to gain.

    Of a histogram the chance to tell two neighbouring tables apart beyond a coin, by who knows all other rows.
    """
    if setting.form is Form.ANSWERS:
        value, how = told_apart(setting), Sentence("The total variation between two neighbouring tables, by the law.")
    elif setting.form is Form.LETTERS:
        assert setting.channel is not None
        counts = setting.source.counted(setting.mechanism, setting.channel.inputs)
        before = after = 0.0
        for known in np.unique(setting.known):
            # Who knows what is public guesses among those it leaves.
            seen = setting.known == known
            before += float(counts[:, seen].sum(axis=1).max()) / setting.source.rows
            after += float((counts[:, seen] @ setting.matrix[seen]).max(axis=0).sum()) / setting.source.rows
        value, how = _gained(before, after), Sentence("The Bayes vulnerability, by the law.")
    else:
        before, after = setting.mixture.best_guess(setting.groups[2])
        value, how = _gained(before, after), Sentence("The Bayes vulnerability of each tenth, by the law.")
    return (INDICATORS["5"].evidence(setting.form, min(value, 1.0), how, null=0.0, raw=1.0),)


def _gained(before: float, after: float) -> float:
    """As a share of what is left; nothing where the guess is certain before."""
    return max(after - before, 0.0) / (1 - before) if before < 1 else 0.0


def told_apart(setting: Setting) -> float:
    """The total variation between the noisy counts of two tables that differ in one row."""
    assert setting.noise is not None
    return setting.noise.law.told_apart(MOVED)
