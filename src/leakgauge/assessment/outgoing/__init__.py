"""Evidence for the dials from a whole release: by its law if it can be counted, else by what is learnt from it."""

from leakgauge.assessment.dials.usefulness import Use
from leakgauge.assessment.outgoing.foreign import evidence_of_foreign
from leakgauge.assessment.outgoing.release import Outgoing, with_attacks

__all__ = ["Outgoing", "Use", "evidence_of_foreign", "with_attacks"]
