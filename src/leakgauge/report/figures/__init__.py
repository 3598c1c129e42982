"""Charts as data (Vega-Lite), one file a chart; the same chart everywhere it is shown.

Each takes the fields of the files that a job leaves, and a language; numbers are the same in every language.
"""

from leakgauge.report.figures.attacks import attacks_figure
from leakgauge.report.figures.channel import channel_figure, require_readable
from leakgauge.report.figures.criteria import criteria_figure
from leakgauge.report.figures.decomposition import decomposition_figure
from leakgauge.report.figures.figure import Figure
from leakgauge.report.figures.frontier import frontier_figure
from leakgauge.report.figures.influence import influence_figure
from leakgauge.report.figures.levels import levels_figure
from leakgauge.report.figures.tuning import tuning_figure

__all__ = [
    "Figure",
    "attacks_figure",
    "channel_figure",
    "criteria_figure",
    "decomposition_figure",
    "frontier_figure",
    "influence_figure",
    "levels_figure",
    "require_readable",
    "tuning_figure",
]
