"""What attacks find in a release made elsewhere: those that need no more than the matched rows."""

from __future__ import annotations

import msgspec

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Attack
from leakgauge.audit.attacks.catalogue import ATTACKS
from leakgauge.audit.experiment import Counting
from leakgauge.audit.foreign.release import ForeignRelease
from leakgauge.case.drawn import Drawn


def attack_foreign(release: ForeignRelease, progress: Counting | None = None) -> tuple[Finding, ...]:
    """The findings of every possible attack, in a fixed order; each uses only the matched rows."""
    findings: list[Finding] = []
    for done, one in enumerate(ATTACKS.values(), 1):
        drawn = _case(release, one)
        if drawn is not None:
            findings += [_told(one, found) for found in one.find(drawn)]
        if progress is not None:
            progress(done, len(ATTACKS))
    return tuple(findings)


def left_out(release: ForeignRelease) -> tuple[Sentence, ...]:
    """The attacks that cannot be tried."""
    return tuple(Sentence(_name(one)) for one in ATTACKS.values() if _case(release, one) is None)


def _case(release: ForeignRelease, attack: Attack) -> Drawn | None:
    """What an attack is tried on; None where it would have to make the release again, or has nothing to compare."""
    if not attack.judged:
        return None
    if attack.aim in (Aim.ROW, Aim.PERSON):
        return release.linking if release.changed else None
    return release.guessing if attack.knows_mechanism else release.seen


def _name(attack: Attack) -> str:
    return attack.title.template.partition(",")[0]


def _told(attack: Attack, found: Finding) -> Finding:
    if not attack.knows_mechanism:
        return found
    method = Sentence("{method}; the changes of values are estimated from the matched rows", method=found.method)
    return msgspec.structs.replace(found, method=method)
