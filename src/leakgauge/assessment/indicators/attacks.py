"""What an audit says of one column: the level it shows, and what the best attack gains of what the raw data give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.artefacts import Audit, Finding, Shown
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.indicator import SHARE, TOLD, Context, Family, Form, Indicator
from leakgauge.assessment.indicators.protected import Protected, ProtectedColumn
from leakgauge.assessment.indicators.setting import MOVED, AnswerSetting, LetterSetting, Setting
from leakgauge.audit import ATTACKS, lower_bound
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.claims import GaussianDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import FileError, VerificationError
from leakgauge.randomness import Simulated
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
    return (advantage(setting.form, audit),)


def advantage(form: Form, audit: Audited) -> Evidence:
    """What the best attack of an audit gains of what the raw data give."""
    best = audit.best
    if best is None:
        return ADVANTAGE.missing(Sentence("No attack was tried."))
    how = Sentence("The advantage of the best attack, {attack}, over what it has in the raw data.", attack=best.attack)
    low, value = (_share_of_raw(best, one) for one in (best.advantage.ends[0], best.advantage.value))
    return ADVANTAGE.evidence(form, value, how, between=(low, audit.highest_share), null=0.0, raw=1.0)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Of a column the Bayes vulnerability beyond the best guess without the release, over what is left to gain.

    Of a histogram the chance to tell two neighbouring tables apart beyond a coin, by who knows all other rows.
    """
    if isinstance(setting, AnswerSetting):
        value = setting.noise.added.told_apart(MOVED)
        how = Sentence("The total variation between two neighbouring tables, by the law.")
    elif isinstance(setting, LetterSetting):
        before = after = 0.0
        for known in np.unique(setting.known):
            # Who knows what is public guesses among those it leaves.
            seen = setting.known == known
            before += float(setting.counted[:, seen].sum(axis=1).max()) / setting.source.rows
            after += (
                float((setting.counted[:, seen] @ setting.channel.matrix[seen]).max(axis=0).sum()) / setting.source.rows
            )
        value, how = _gained(before, after), Sentence("The Bayes vulnerability, by the law.")
    else:
        value = _gained(*setting.mixture.best_guess(setting.groups[2]))
        how = Sentence("The Bayes vulnerability of each tenth, by the law.")
    return (ADVANTAGE.evidence(setting.form, min(value, 1.0), how, null=0.0, raw=1.0),)


FAMILY = Family((ADVANTAGE,), expected, measured)


def _supposes_more(one: Finding) -> bool:
    """Whether an attack on a secret was not tried on what this attacker sees of the release."""
    attack = attack_of(one.attack)
    return not one.judged and (attack is None or attack.judged)


LEAST_GAIN, LEAST_GAIN_OF_ROWS = 0.02, 0.1
"""Of people: what an attack must gain in the raw data for a share of it to say anything; a row, or whether somebody is
in the data, is guessed of few targets, so that a small gain is mostly chance."""


def _least_gain(one: Finding) -> float:
    attack = attack_of(one.attack)
    return LEAST_GAIN if attack is None or attack.aim is Aim.SECRET else LEAST_GAIN_OF_ROWS


def _gained(before: float, after: float) -> float:
    """As a share of what is left; nothing where the guess is certain before."""
    return max(after - before, 0.0) / (1 - before) if before < 1 else 0.0


@dataclass(frozen=True)
class Audited:
    """An audit of one column: the level shown at least, the one estimated above it, and the one claimed.

    The level is exact where it was computed and not sampled. Attacks that do not clearly gain something in the raw data
    are left out, because a share of next to nothing says nothing.
    """

    shown: float | None
    estimate: float | None
    claimed: float
    exact: bool
    attacks: tuple[Finding, ...]

    @property
    def best(self) -> Finding | None:
        """The attack that gains the largest share of what the raw data give."""
        return max(self.attacks, key=lambda one: _share_of_raw(one, one.advantage.value), default=None)

    @property
    def highest_share(self) -> float:
        """The largest upper end over all attacks, as a share of the raw advantage: any of them may be the best."""
        return max((_share_of_raw(one, one.advantage.ends[1]) for one in self.attacks), default=0.0)


def _share_of_raw(attack: Finding, advantage: float) -> float:
    """An advantage as a share of that which the attack has in the raw data, at least 0."""
    return max(advantage, 0.0) / attack.raw.value


def audited(protected: Protected, *, samples: int = 200_000, simulation_seed: int = 0) -> Audited:
    """The level that the mechanism shows, and what attacks gain from what came out; a simulation from a seed.

    The level of letters is computed from their channel; that of noise is shown by so many samples drawn afresh on each
    of two inputs. Of a histogram it is that of one count; where only a zero-concentrated level is claimed, it is the μ
    of Gaussian noise.
    """
    setting = protected.setting
    findings: list[Finding] = []
    if isinstance(protected, ProtectedColumn):
        case = replace(protected.case, simulation_seed=simulation_seed)
        # Who knows the mechanism does best; attacks on many releases of the same values say nothing of one.
        tried = [one for one in ATTACKS.values() if one.knows_mechanism and not one.repeated]
        findings = [finding for one in tried for finding in one.find(case)]
    attacks = _gaining(findings, setting.source.names)
    if isinstance(setting, LetterSetting):
        exact = setting.exact_level
        claimed = next((one.level for one in setting.claims if isinstance(one, LocalDP)), math.inf)
        return Audited(exact, exact, claimed, True, attacks)
    claim = setting.noise.claims[0]
    if isinstance(claim, ZeroConcentratedDP):
        # What outputs show is the μ = √(2ρ) of Gaussian noise.
        claim = GaussianDP(math.sqrt(2 * claim.rho))
    shown = lower_bound(setting.noise, claim, samples=samples, stop_early=False, randomness=Simulated(simulation_seed))
    estimate = shown.at_least if shown.estimate is None else shown.estimate
    return Audited(shown.at_least, estimate, claim.level, False, attacks)


def audited_by(shown: Shown | None, findings: Iterable[Finding], names: Iterable[str]) -> Audited:
    """An audit from what was shown of some columns and what attacks found in the release."""
    attacks = _gaining(findings, names)
    if shown is None or shown.claim is None:
        return Audited(None, None, 0.0, False, attacks)
    estimate = shown.at_least if shown.estimate is None else shown.estimate
    return Audited(shown.at_least, estimate, shown.claim.value, shown.estimate is None, attacks)


def audited_in(audit: Audit, protected: Protected) -> Audited:
    """What an audit of a release says of one of its columns; an audit of another release or column is refused."""
    source = protected.setting.source
    audited = None if audit.record is None else audit.record.digest
    if protected.record_digest is not None and protected.record_digest != audited:
        raise VerificationError("The audit is of another release than the record's; audit this one.")
    if source.name not in audit.columns:
        raise FileError("The audit has nothing on column {name!r}; audit this release.", name=source.names[0])
    names = [name for name in source.names if name not in source.public]
    return audited_by(audit.columns[source.name], audit.attacks, names)


def _gaining(findings: Iterable[Finding], names: Iterable[str]) -> tuple[Finding, ...]:
    """Of attacks on some of the columns, and on one release of them, those that gain something in the raw data."""
    wanted = set(names)
    return tuple(
        one
        for one in findings
        if one.raw.ends[0] > _least_gain(one)
        and wanted & set(one.target)
        and ((attack := attack_of(one.attack)) is None or not attack.repeated)
        and not _supposes_more(one)
    )
