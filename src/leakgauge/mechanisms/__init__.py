"""The catalogue of mechanisms, one file each."""

from leakgauge.mechanisms.discrete_gaussian import discrete_gaussian
from leakgauge.mechanisms.estimated_counts import estimated_counts
from leakgauge.mechanisms.exponential import exponential, exponential_channel
from leakgauge.mechanisms.finite import through_channel
from leakgauge.mechanisms.gaussian import gaussian
from leakgauge.mechanisms.geometric import geometric
from leakgauge.mechanisms.laplace import laplace
from leakgauge.mechanisms.mechanism import Mechanism, spelled
from leakgauge.mechanisms.permute_and_flip import permute_and_flip
from leakgauge.mechanisms.randomized_response import randomized_response
from leakgauge.mechanisms.sample_and_aggregate import Aggregate, sample_and_aggregate
from leakgauge.mechanisms.spelling import CATALOGUE, parse_mechanism
from leakgauge.mechanisms.subset_selection import subset_selection
from leakgauge.mechanisms.unary_encoding import unary_encoding

__all__ = [
    "CATALOGUE",
    "Aggregate",
    "Mechanism",
    "discrete_gaussian",
    "estimated_counts",
    "exponential",
    "exponential_channel",
    "gaussian",
    "geometric",
    "laplace",
    "parse_mechanism",
    "permute_and_flip",
    "randomized_response",
    "sample_and_aggregate",
    "spelled",
    "subset_selection",
    "through_channel",
    "unary_encoding",
]
