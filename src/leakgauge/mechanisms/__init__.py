"""The catalogue of mechanisms, one file per family."""

from leakgauge.mechanisms.choice import exponential, exponential_channel, permute_and_flip
from leakgauge.mechanisms.coarser_cells import coarser_cells
from leakgauge.mechanisms.dummies import dummies
from leakgauge.mechanisms.estimated_counts import estimated_counts
from leakgauge.mechanisms.finite import randomized_response, through_channel
from leakgauge.mechanisms.gaussian import discrete_gaussian, gaussian
from leakgauge.mechanisms.laplace import geometric, laplace
from leakgauge.mechanisms.letter_sets import subset_selection, unary_encoding
from leakgauge.mechanisms.mechanism import Mechanism, spelled
from leakgauge.mechanisms.noisy_max import MaxNoise, report_noisy_max
from leakgauge.mechanisms.planar_laplace import planar_laplace
from leakgauge.mechanisms.redraw import keep_or_redraw
from leakgauge.mechanisms.sample_and_aggregate import Aggregate, sample_and_aggregate
from leakgauge.mechanisms.sampled_response import sampled_randomized_response
from leakgauge.mechanisms.sparse_vector import above_threshold, sparse_vector
from leakgauge.mechanisms.spelling import CATALOGUE, parse_mechanism

__all__ = [
    "CATALOGUE",
    "Aggregate",
    "MaxNoise",
    "Mechanism",
    "above_threshold",
    "coarser_cells",
    "discrete_gaussian",
    "dummies",
    "estimated_counts",
    "exponential",
    "exponential_channel",
    "gaussian",
    "geometric",
    "keep_or_redraw",
    "laplace",
    "parse_mechanism",
    "permute_and_flip",
    "planar_laplace",
    "randomized_response",
    "report_noisy_max",
    "sample_and_aggregate",
    "sampled_randomized_response",
    "sparse_vector",
    "spelled",
    "subset_selection",
    "through_channel",
    "unary_encoding",
]
