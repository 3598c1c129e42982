"""Attacks on a release: what an attacker gets right with it, without it, and at most under the claim."""

from leakgauge.audit.attacks.attack import ATTACKS, Attack, Progress, attack
from leakgauge.audit.attacks.case import Case, Secret
from leakgauge.audit.attacks.finding import Score

__all__ = ["ATTACKS", "Attack", "Case", "Progress", "Score", "Secret", "attack"]
