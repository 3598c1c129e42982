"""What an audit shows for one column: its level, and the advantage of the best attack relative to the raw data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leakgauge.artefacts import Audit, Finding, Shown
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.indicator import SHARE, Context, Family, Form, Indicator
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.errors import FileError, VerificationError
from leakgauge.sentences import Sentence

ADVANTAGE = Indicator("attack-advantage", 5, "success of inference attacks", "share of the raw advantage", SHARE)


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """From the audit."""
    if context.audit is None:
        return (ADVANTAGE.missing(Sentence("There is no audit; make one with leakgauge audit.")),)
    return (advantage(protected.setting.form, context.audit),)


def advantage(form: Form, audit: Audited) -> Evidence:
    """What the best attack of an audit gains of what the raw data give."""
    best = audit.best
    if best is None:
        return ADVANTAGE.missing(Sentence("No attack was tried."))
    how = Sentence(
        "The advantage of the best attack ({attack}), divided by its advantage in the raw data.", attack=best.attack
    )
    low, value = (_share_of_raw(best, one) for one in (best.advantage.ends[0], best.advantage.value))
    return ADVANTAGE.evidence(form, value, how, between=(low, audit.highest_share), null=0.0, raw=1.0)


FAMILY = Family((ADVANTAGE,), measured)


LEAST_GAIN, LEAST_GAIN_OF_ROWS = 0.02, 0.1
"""Of people: what an attack must gain in the raw data for a share of it to say anything; a row, or whether somebody is
in the data, is guessed of few targets, so that a small gain is mostly chance."""


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


def audited_by(shown: Shown | None, findings: Iterable[Finding], names: Iterable[str]) -> Audited:
    """An audit from what was shown of some columns and what attacks found in the release."""
    attacks = _gaining(findings, names)
    if shown is None or shown.claim is None:
        return Audited(None, None, 0.0, False, attacks)
    estimate = shown.at_least if shown.estimate is None else shown.estimate
    return Audited(shown.at_least, estimate, shown.claim.value, shown.estimate is None, attacks)


def audited_in(audit: Audit, protected: ProtectedColumn) -> Audited:
    """What an audit of a release says of one of its columns; an audit of another release or column is refused."""
    source = protected.setting.source
    audited = None if audit.record is None else audit.record.digest
    if protected.record_digest is not None and protected.record_digest != audited:
        raise VerificationError("The audit is not of the record's release; audit this one.")
    if source.name not in audit.columns:
        raise FileError("The audit does not cover column {name!r}; audit this release.", name=source.names[0])
    names = [name for name in source.names if name not in source.public]
    return audited_by(audit.columns[source.name], audit.attacks, names)


def _gaining(findings: Iterable[Finding], names: Iterable[str]) -> tuple[Finding, ...]:
    """Of attacks on some of the columns, and on one release of them, those that gain something in the raw data."""
    wanted, found = set(names), list[Finding]()
    for one in findings:
        attack = attack_of(one.attack)
        least = LEAST_GAIN if attack is None or attack.aim is Aim.SECRET else LEAST_GAIN_OF_ROWS
        # What is not judged, of an attack that otherwise is, was not tried on what this attacker sees of the release.
        tried = one.judged or (attack is not None and not attack.judged)
        repeated = attack is not None and attack.repeated
        if one.raw.ends[0] > least and wanted & set(one.target) and tried and not repeated:
            found.append(one)
    return tuple(found)
