"""The channel that leaks least for the usefulness needed, with a proof of how close to the best it is."""

from leakgauge.design.baselines import Waste, maximum_entropy_channel, symmetric_channel, waste
from leakgauge.design.channel_capacity import Capacity, capacity
from leakgauge.design.problem import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, Target
from leakgauge.design.solution import Solution
from leakgauge.design.solving import GAP, frontier, solve
from leakgauge.design.structured import GRID_GAP, StructuredSolution, solve_on_grid

__all__ = [
    "GAP",
    "GRID_GAP",
    "Capacity",
    "Knowledge",
    "MaxDistortion",
    "MaxLeakage",
    "RateDistortion",
    "Slope",
    "Solution",
    "StructuredSolution",
    "Target",
    "Waste",
    "capacity",
    "frontier",
    "maximum_entropy_channel",
    "solve",
    "solve_on_grid",
    "symmetric_channel",
    "waste",
]
