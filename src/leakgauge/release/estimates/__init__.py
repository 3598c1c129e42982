"""What a recipient can compute from a release: effective rows, and estimates with intervals."""

from leakgauge.release.estimates.effective_rows import (
    EffectiveRows,
    Estimator,
    effective_rows,
    effective_rows_of_mean,
    effective_rows_of_numbers,
)
from leakgauge.release.estimates.estimating import estimate
from leakgauge.release.estimates.kit import write_kit
from leakgauge.release.estimates.kit_files.released import About
from leakgauge.release.estimates.reading import Noise, Protected
from leakgauge.release.estimates.recipient import Recipient

__all__ = [
    "About",
    "EffectiveRows",
    "Estimator",
    "Noise",
    "Protected",
    "Recipient",
    "effective_rows",
    "effective_rows_of_mean",
    "effective_rows_of_numbers",
    "estimate",
    "write_kit",
]
