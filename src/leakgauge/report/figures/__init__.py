"""Charts as data (Vega-Lite), one file a chart; the same chart everywhere it is shown."""

from leakgauge.report.figures.channel import channel_figure, require_readable
from leakgauge.report.figures.figure import Figure
from leakgauge.report.figures.frontier import frontier_figure
from leakgauge.report.figures.influence import influence_figure

__all__ = ["Figure", "channel_figure", "frontier_figure", "influence_figure", "require_readable"]
