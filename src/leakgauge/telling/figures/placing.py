"""Where labels stand in a picture of falling curves, in pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from leakgauge.telling.figures.chart import Fields, apart, width_of

Area: TypeAlias = Mapping[str, int]
AREA: Area = {"width": 670, "height": 320}
_CLOSE, _NEAR = 15, 50
"""Pixels between two labels, and between points whose labels could meet."""

Box: TypeAlias = tuple[float, float, float, float]
"""From the left to the right and from the top to the bottom, in pixels."""


def label_places(
    marked: list[dict[str, Any]], most: Mapping[str, float], *, below: bool, area: Area = AREA
) -> list[dict[str, Any]]:
    """Where the labels stand, in pixels: beside their points, or a little off with a line to them.

    ``below`` says whether another curve runs above the one of the release.
    """
    places: list[dict[str, Any]] = []
    for one in marked:
        across = one["distortion"] / most["distortion"] * area["width"]
        down = (1 - one["leakage"] / most["leakage"]) * area["height"]
        near = (place for place in places if max(abs(place["across"] - across), abs(place["down"] - down)) < 3)
        here = next(near, None)
        if here is None:
            places.append({"label": one["label"], "own": one["own"], "across": across, "down": down})
        else:
            here["label"] += f", {one['label']}"
    groups: list[list[dict[str, Any]]] = []
    for place in sorted(places, key=lambda one: one["across"]):
        if groups and place["across"] - groups[-1][-1]["across"] < _NEAR:
            groups[-1].append(place)
        else:
            groups.append([place])
    for group in groups:
        wanted = [place["down"] for place in group]
        right = max(place["across"] for place in group)
        crowded = not np.allclose(apart(wanted, _CLOSE, 8, area["height"] - 8), wanted)
        # Below the lowest point the labels would meet the curve.
        moved = apart(wanted, _CLOSE, 8, max(wanted) - 6) if crowded else wanted
        for place, height in zip(group, moved, strict=True):
            # Alone, the release is named above the curve, which falls, or below it on the left.
            alone = place["own"] and not crowded
            beside = place["across"] - 11 - width_of(place["label"]) if alone and below else place["across"] + 11
            place |= {
                "label_across": right + 34 if crowded else beside,
                "label_down": height + (12 if below else -12) * alone,
                "line_across": right + 31 if crowded else place["across"],
                "line_down": height,
            }
    return places


def distortion_at(line: list[dict[str, Any]], leakage: float) -> float:
    """Where a curve, whose points go from no leakage on, has a leakage."""
    return float(np.interp(leakage, [one["leakage"] for one in line], [one["distortion"] for one in line]))


def room_beside(
    line: list[dict[str, Any]],
    name: str,
    most: Mapping[str, float],
    taken: Sequence[Box],
    *,
    above: bool,
    area: Area = AREA,
) -> Box | None:
    """Where a name fits beside its curve, near the middle of its height; None where it fits nowhere."""
    width, highest = width_of(name), max(one["leakage"] for one in line)
    for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9):
        leakage = part * highest
        across = distortion_at(line, leakage) / most["distortion"] * area["width"]
        down = (1 - leakage / most["leakage"]) * area["height"]
        left = across + 10 if above else across - 10 - width
        box = (left, left + width, down - 18, down - 2) if above else (left, left + width, down + 2, down + 18)
        inside = box[0] >= 4 and box[1] <= area["width"] - 4 and box[2] >= 2 and box[3] <= area["height"] - 2
        left, right, top, bottom = box
        meets = (left < one[1] and one[0] < right and top < one[3] and one[2] < bottom for one in taken)
        if inside and not any(meets):
            return box
    return None


def box_of(place: Fields) -> Box:
    """What a marked point and its label cover."""
    return (
        min(place["across"], place["label_across"]) - 9,
        max(place["across"], place["label_across"] + width_of(place["label"])) + 9,
        min(place["down"], place["label_down"]) - 9,
        max(place["down"], place["label_down"]) + 9,
    )
