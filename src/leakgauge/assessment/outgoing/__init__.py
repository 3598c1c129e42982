"""Evidence of the dials from what goes out: by its law where it can be counted, by what is learnt from it elsewhere."""

from leakgauge.assessment.dials.usefulness import Use
from leakgauge.assessment.outgoing.foreign import evidence_of_foreign
from leakgauge.assessment.outgoing.release import Outgoing, with_attacks

__all__ = ["Outgoing", "Use", "evidence_of_foreign", "with_attacks"]
