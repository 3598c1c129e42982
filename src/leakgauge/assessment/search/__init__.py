"""The improvement loop by scores: the most useful setting that protects enough, by law and counts alone."""

from leakgauge.assessment.scores.usefulness import Use
from leakgauge.assessment.search.families import Stage
from leakgauge.assessment.search.found import Search, Trial
from leakgauge.assessment.search.goal import Goal, HandedOut
from leakgauge.assessment.search.searching import most_useful, searched

__all__ = ["Goal", "HandedOut", "Search", "Stage", "Trial", "Use", "most_useful", "searched"]
