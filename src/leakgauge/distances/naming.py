"""Distortions by the names they have on the command line."""

from __future__ import annotations

from leakgauge.distances.by_label import Hamming, read_distortion
from leakgauge.distances.by_position import Absolute, Squared
from leakgauge.distances.distances import Distortion

DISTORTIONS: dict[str, type[Distortion]] = {"hamming": Hamming, "absolute": Absolute, "squared": Squared}


def distortion_named(text: str) -> Distortion:
    """The distortion of a name, or in a file.

    Raises:
        FileError: it is no name, and no file of distances either.
    """
    return DISTORTIONS[text]() if text in DISTORTIONS else read_distortion(text)
