"""What the attacker of an audit gains: the strongest attack on a secret, and the most that the release reveals about
it."""

from __future__ import annotations

from leakgauge.artefacts import Audit, Finding
from leakgauge.artefacts.scores import Attacker
from leakgauge.assessment.scores.evidence import gained_in_attack, told_at_most
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.errors import OptionError


def attacker_of_audit(audit: Audit, secret: tuple[str, ...]) -> Attacker:
    """The one attacker that an audit tried, who knows all of the declared background.

    If a background was declared, an attacker without it was not tried: the law says what that one gains.
    """
    exposure = next((one for one in audit.exposures if one.secret == secret), None)
    if exposure is None:
        raise OptionError("The audit does not cover {secret!s}; audit a release that contains it.", secret=secret)
    told = told_at_most(exposure.everything.information, exposure.known.information, exposure.entropy)
    tried = [one for one in audit.attacks if _is_on(one, secret)]
    # Any of them may be the strongest, so that the one with the highest upper end stands for all.
    gains = [gained_in_attack(one.advantage, one.baseline) for one in tried]
    gained = max(gains, key=lambda gain: gain.ends[1], default=None)
    return Attacker(tried[0].knows if tried else (), gained, told)


def _is_on(finding: Finding, secret: tuple[str, ...]) -> bool:
    """Whether it guesses the secret, from this release and no others."""
    attack = attack_of(finding.attack)
    aims = attack is None or (attack.aim is Aim.SECRET and not attack.repeated)
    return aims and finding.judged and finding.target == secret
