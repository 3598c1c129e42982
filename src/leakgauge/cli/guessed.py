"""``leakgauge design --least guess``: what it is not combined with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leakgauge.errors import OptionError

_ALONE = (
    "slope",
    "max_leakage",
    "curve",
    "through",
    "after",
    "keep_at_least",
    "never_changed",
    "local_dp",
    "identifiability",
    "weights",
    "gap",
)
"""Parameters of options that ask for more than a largest distortion, or for another proof."""


def require_distortion_alone(given: Mapping[str, Any]) -> None:
    """Refuse options, by their names where they are not their defaults, that the least chance of a right guess is not
    found for."""
    others = [f"--{name.replace('_', '-')}" for name in _ALONE if name in given]
    others += [f"--keep {given['keep']}"] if "keep" in given else []
    others += [f"--knowledge {given['knowledge']}"] if given.get("knowledge") in ("both", "published") else []
    if others:
        raise OptionError(
            "--least guess is found for a largest distortion alone and cannot be combined with {other!s}; leave one "
            "of the two out.",
            other=others[0],
        )
    if "max_distortion" not in given and "within" not in given:
        raise OptionError("--least guess needs a largest distortion; give it with --max-distortion, or --within.")
