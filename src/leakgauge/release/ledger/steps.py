"""Steps of a composition as JSON and back, without any value of a table.

Labels of a channel may be values of the table, so they are not kept: inputs and outputs come back as 0, 1, 2 …, and
without the name of their secret, because two channels without labels cannot be known to list their inputs alike.
Each is then taken at its own worst pair, which is never too little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from leakgauge.artefacts.codec import encode
from leakgauge.claims import NOTIONS, LocalDP, Statement
from leakgauge.errors import FileError, OptionError
from leakgauge.mechanisms.finite import LARGEST_CHANNEL
from leakgauge.mechanisms.steps import (
    Claimed,
    ClaimedCurve,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Step,
)
from leakgauge.probability import Channel
from leakgauge.release.ledger.cost import pure_epsilon

_PLAIN: dict[str, type[Step]] = {
    "laplace-noise": LaplaceNoise,
    "discrete-laplace-noise": DiscreteLaplaceNoise,
    "gaussian-noise": GaussianNoise,
    "discrete-gaussian-noise": DiscreteGaussianNoise,
    "randomized-response": RandomizedResponse,
    "exponential-choice": ExponentialChoice,
    "permute-and-flip": PermuteAndFlip,
}
"""Kinds whose fields are all numbers."""
_NAMES = {kind: name for name, kind in _PLAIN.items()}


def step_to_json(step: Step) -> dict[str, object]:
    """The fields a ledger keeps of a step; numbers read back exactly.

    Raises:
        OptionError: a curve given as a function, or a kind of step that is not known here.
    """
    runs = {"count": int(step.count), "sampling_probability": float(step.sampling_probability)}
    match step:
        case KnownChannel(channel=channel):
            if len(channel.inputs) * len(channel.outputs) > LARGEST_CHANNEL:
                return _claimed(LocalDP(pure_epsilon(step))) | runs
            return {"kind": "known-channel", "matrix": channel.matrix.tolist(), **runs}
        case Claimed(statement=statement):
            return _claimed(statement) | runs
        case ClaimedCurve(name=name, points=points) if points:
            return {"kind": "claimed-curve", "name": name, "points": encode(points), **runs}
        case _ if type(step) in _NAMES:
            return {"kind": _NAMES[type(step)], **encode(step), **runs}
    raise OptionError(
        "A step of kind {kind} cannot be kept in a ledger; give a claim, or a curve by its points.",
        kind=type(step).__name__,
    )


def step_from_json(kept: Mapping[str, object]) -> Step:
    """The step that was kept.

    Raises:
        FileError: a kind that this version does not know, or fields that are not those of its kind.
    """
    values = {name: _read(value) for name, value in kept.items() if name != "kind"}
    kind = kept.get("kind")
    try:
        if kind == "known-channel":
            matrix = values.pop("matrix")
            return KnownChannel(Channel(range(len(matrix)), range(len(matrix[0])), matrix), **values)
        if kind == "claimed":
            notion = NOTIONS[values.pop("notion")]
            return Claimed(notion(**values.pop("levels")), **values)
        if kind == "claimed-curve":
            points = tuple((order, epsilon) for order, epsilon in values.pop("points"))
            return ClaimedCurve(values.pop("name"), points, **values)
        return _PLAIN[str(kind)](**values)
    except (KeyError, TypeError, ValueError, IndexError):
        raise FileError(
            "The ledger has a step of kind {kind!r} from a newer version of Leakgauge; install that version.", kind=kind
        ) from None


def _claimed(statement: Statement) -> dict[str, object]:
    return {"kind": "claimed", "notion": statement.name, "levels": encode(statement)}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(one) for one in value]
    if isinstance(value, dict):
        return {name: _read(one) for name, one in value.items()}
    return math.inf if value == "infinity" else value
