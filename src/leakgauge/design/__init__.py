"""The channel that leaks least for the usefulness needed, with a certified distance from the optimum."""

from leakgauge.design import rounds as rounds
from leakgauge.design import vulnerability as vulnerability
from leakgauge.design.baselines import symmetric_channel, waste
from leakgauge.design.output_entropy import largest_output_entropy
from leakgauge.design.problem import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope
from leakgauge.design.solution import Solution
from leakgauge.design.solving import frontier, solve
from leakgauge.design.structured import solve_on_grid
from leakgauge.measures.channel_capacity import capacity
from leakgauge.measures.sequences import sequence_leakage

__all__ = [
    "Keep",
    "Knowledge",
    "MaxDistortion",
    "MaxLeakage",
    "RateDistortion",
    "Slope",
    "Solution",
    "capacity",
    "frontier",
    "largest_output_entropy",
    "sequence_leakage",
    "solve",
    "solve_on_grid",
    "symmetric_channel",
    "waste",
]
