"""What an audit says of one column: the level it shows, and what attacks gain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from leakgauge.assessment.indicators.protected import Protected
from leakgauge.audit import ATTACKS, Finding, Shown, lower_bound
from leakgauge.claims import GaussianDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms import NoisyNumber
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.randomness import Simulated

AUDIT_SCHEMA = "leakgauge/audit/1"
TRIED = ("attribute-inference", "membership-inference", "record-linkage")
"""The attacks that are tried on a simulated release."""
_REPEATED = "averaging"
"""Attacks on many releases of the same values say nothing of one."""


@dataclass(frozen=True)
class Gained:
    """What an attack gains.

    Attributes:
        attack: its name.
        advantage: success beyond the baseline, as a share of the targets.
        low: of its interval.
        high: likewise.
        raw: the same where the data are released as they are.
    """

    attack: str
    advantage: float
    low: float
    high: float
    raw: float

    @property
    def share(self) -> float:
        """Of the raw advantage, at least 0."""
        return max(self.advantage, 0.0) / self.raw


@dataclass(frozen=True)
class Audited:
    """An audit of one column.

    Attributes:
        shown: the level shown at least; None where nothing is shown.
        estimate: the level estimated, above it.
        claimed: the level it was held to.
        exact: whether the level was computed and not sampled.
        attacks: what each attack gains; those that do not clearly gain something in the raw data are left out, because
            a share of next to nothing says nothing.
    """

    shown: float | None
    estimate: float | None
    claimed: float
    exact: bool
    attacks: tuple[Gained, ...]

    @property
    def best(self) -> Gained | None:
        """The attack that gains the largest share of what the raw data give."""
        return max(self.attacks, key=lambda one: one.share, default=None)

    @property
    def highest_share(self) -> float:
        """The largest upper end over all attacks, as a share of the raw advantage: any of them may be the best."""
        return max((max(one.high, 0.0) / one.raw for one in self.attacks), default=0.0)


def audited(protected: Protected, *, samples: int = 200_000, simulation_seed: int = 0) -> Audited:
    """The level that the mechanism shows, and what attacks gain from what came out; a simulation from a seed.

    The level of letters is computed from their channel; that of noise is shown by outputs drawn afresh. Of a histogram
    it is that of one count; where only a zero-concentrated level is claimed, it is the μ of Gaussian noise.

    Args:
        protected: the column.
        samples: outputs to draw on each of two inputs.
        simulation_seed: for all that is drawn.
    """
    setting = protected.setting
    if setting.channel is not None:
        level = next((one.level for one in setting.claims if isinstance(one, LocalDP)), math.inf)
        exact = exact_epsilon(setting.channel)
        shown, estimate, claimed = exact, exact, level
    else:
        assert setting.noise is not None
        found = lower_bound(
            setting.noise,
            _held_to(setting.noise),
            samples=samples,
            stop_early=False,
            randomness=Simulated(simulation_seed),
        )
        shown, estimate, claimed = found.at_least, found.at_least, found.claim.level
        if found.estimate is not None:
            estimate = found.estimate.value
    findings: list[Finding] = []
    if protected.case is not None:
        case = replace(protected.case, simulation_seed=simulation_seed)
        findings = [one for name in TRIED for one in ATTACKS[name](case)]
    names = setting.source.names
    return Audited(shown, estimate, claimed, setting.channel is not None, _gained(findings, names))


def _held_to(noise: NoisyNumber) -> Statement:
    """What noise claims first; a zero-concentrated level as the μ = √(2ρ) of Gaussian noise, which outputs show."""
    first = noise.claims[0]
    return GaussianDP(math.sqrt(2 * first.rho)) if isinstance(first, ZeroConcentratedDP) else first


def audited_by(shown: Shown | None, findings: Iterable[Finding], names: Iterable[str]) -> Audited:
    """An audit from what was shown of some columns and what attacks found in the release."""
    attacks = _gained(findings, names)
    if shown is None or not shown.claimed:
        return Audited(None, None, 0.0, False, attacks)
    estimate = shown.at_least if shown.estimate is None else shown.estimate.value
    return Audited(shown.at_least, estimate, shown.claim.level, shown.estimate is None, attacks)


def audited_from_json(fields: Mapping[str, Any], protected: Protected, file: object = "The audit") -> Audited:
    """An audit from the JSON that ``leakgauge audit`` writes.

    Raises:
        FileError: something else than the audit of a release, or one without the column.
        VerificationError: it is the audit of another release.
    """
    names = protected.setting.source.names
    try:
        if fields["schema"] != AUDIT_SCHEMA:
            raise FileError("{file} is no audit of schema {schema!r}.", file=file, schema=AUDIT_SCHEMA)
        if protected.record_digest is not None and fields["record"]["digest"] != protected.record_digest:
            raise VerificationError(
                "{file} is the audit of another release than the record's; audit this one.", file=file
            )
        shown, attacks = fields["columns"].get(", ".join(names)), _gained_json(fields["attacks"], names)
        if ", ".join(names) not in fields["columns"]:
            raise FileError("{file} has nothing on column {name!r}; audit this release.", file=file, name=names[0])
        if shown is None or shown["claim"] is None:
            return Audited(None, None, 0.0, False, attacks)
        level, claim = float(shown["lower_bound"]["value"]), float(shown["claim"]["value"])
        estimate = shown["estimate"]
        return Audited(level, level if estimate is None else float(estimate), claim, estimate is None, attacks)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            "{file} is not a whole audit of a release: a field is missing or malformed.", file=file
        ) from None


def _gained(findings: Iterable[Finding], names: Iterable[str]) -> tuple[Gained, ...]:
    wanted = set(names)
    return tuple(
        Gained(one.attack, one.advantage.value, one.advantage.low, one.advantage.high, one.raw.value)
        for one in findings
        if one.raw.low > 0 and wanted & set(one.target) and not one.attack.startswith(_REPEATED)
    )


def _gained_json(attacks: Iterable[Mapping[str, Any]], names: Iterable[str]) -> tuple[Gained, ...]:
    wanted = set(names)
    return tuple(
        Gained(
            str(one["attack"]),
            float(one["advantage"]["value"]),
            float(one["advantage"]["low"]),
            float(one["advantage"]["high"]),
            float(one["raw"]["value"]),
        )
        for one in attacks
        if float(one["raw"]["low"]) > 0 and wanted & set(one["target"]) and not one["attack"].startswith(_REPEATED)
    )
