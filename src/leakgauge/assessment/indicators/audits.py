"""What an audit says of one column: the level it shows, and what attacks gain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from leakgauge.artefacts import Audit, Finding, Shown
from leakgauge.assessment.indicators.protected import Protected, ProtectedColumn
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.audit import ATTACKS, lower_bound
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.claims import GaussianDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.randomness import Simulated


@dataclass(frozen=True)
class Audited:
    """An audit of one column.

    Attributes:
        shown: the level shown at least; None where nothing is shown.
        estimate: the level estimated, above it.
        claimed: the level it was held to.
        exact: whether the level was computed and not sampled.
        attacks: what each attack found; those that do not clearly gain something in the raw data are left out, because
            a share of next to nothing says nothing.
    """

    shown: float | None
    estimate: float | None
    claimed: float
    exact: bool
    attacks: tuple[Finding, ...]

    @property
    def best(self) -> Finding | None:
        """The attack that gains the largest share of what the raw data give."""
        return max(self.attacks, key=lambda one: share_of_raw(one, one.advantage.value), default=None)

    @property
    def highest_share(self) -> float:
        """The largest upper end over all attacks, as a share of the raw advantage: any of them may be the best."""
        return max((share_of_raw(one, one.advantage.ends[1]) for one in self.attacks), default=0.0)


def share_of_raw(attack: Finding, advantage: float) -> float:
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
    attacks = _gained(findings, setting.source.names)
    if isinstance(setting, LetterSetting):
        exact = setting.exact_level
        claimed = next((one.level for one in setting.claims if isinstance(one, LocalDP)), math.inf)
        return Audited(exact, exact, claimed, True, attacks)
    claim = _held_to(setting.noise)
    shown = lower_bound(setting.noise, claim, samples=samples, stop_early=False, randomness=Simulated(simulation_seed))
    estimate = shown.at_least if shown.estimate is None else shown.estimate
    return Audited(shown.at_least, estimate, claim.level, False, attacks)


def _held_to(noise: NoisyNumber) -> Statement:
    """What noise claims first; a zero-concentrated level as the μ = √(2ρ) of Gaussian noise, which outputs show."""
    first = noise.claims[0]
    return GaussianDP(math.sqrt(2 * first.rho)) if isinstance(first, ZeroConcentratedDP) else first


def audited_by(shown: Shown | None, findings: Iterable[Finding], names: Iterable[str]) -> Audited:
    """An audit from what was shown of some columns and what attacks found in the release."""
    attacks = _gained(findings, names)
    if shown is None or shown.claim is None:
        return Audited(None, None, 0.0, False, attacks)
    estimate = shown.at_least if shown.estimate is None else shown.estimate
    return Audited(shown.at_least, estimate, shown.claim.value, shown.estimate is None, attacks)


def audited_in(audit: Audit, protected: Protected) -> Audited:
    """What an audit of a release says of one of its columns.

    Raises:
        FileError: it has nothing on the column.
        VerificationError: it is the audit of another release.
    """
    names = protected.setting.source.names
    if protected.record_digest not in (None, audit.record.digest):
        raise VerificationError("The audit is of another release than the record's; audit this one.")
    if ", ".join(names) not in audit.columns:
        raise FileError("The audit has nothing on column {name!r}; audit this release.", name=names[0])
    return audited_by(audit.columns[", ".join(names)], audit.attacks, names)


def _gained(findings: Iterable[Finding], names: Iterable[str]) -> tuple[Finding, ...]:
    wanted = set(names)
    return tuple(one for one in findings if one.raw.ends[0] > 0 and wanted & set(one.target) and not _is_repeated(one))


def _is_repeated(finding: Finding) -> bool:
    attack = attack_of(finding.attack)
    return attack is not None and attack.repeated
