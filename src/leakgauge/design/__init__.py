"""The channel that leaks least for the usefulness needed, with a proof of how close to the best it is."""

from leakgauge.design.baselines import Waste, maximum_entropy_channel, symmetric_channel, waste
from leakgauge.design.channel_capacity import Capacity, capacity
from leakgauge.design.output_entropy import ENTROPY_GAP, OutputEntropy, largest_output_entropy
from leakgauge.design.problem import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, Target
from leakgauge.design.sequences import SequenceLeakage, sequence_leakage
from leakgauge.design.solution import Solution
from leakgauge.design.solving import GAP, frontier, solve
from leakgauge.design.structured import GRID_GAP, StructuredSolution, solve_on_grid

__all__ = [
    "ENTROPY_GAP",
    "GAP",
    "GRID_GAP",
    "Capacity",
    "Knowledge",
    "MaxDistortion",
    "MaxLeakage",
    "OutputEntropy",
    "RateDistortion",
    "SequenceLeakage",
    "Slope",
    "Solution",
    "StructuredSolution",
    "Target",
    "Waste",
    "capacity",
    "frontier",
    "largest_output_entropy",
    "maximum_entropy_channel",
    "sequence_leakage",
    "solve",
    "solve_on_grid",
    "symmetric_channel",
    "waste",
]
