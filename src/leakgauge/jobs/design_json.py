"""Designed channels, frontiers and comparisons as the fields of their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leakgauge.claims.quantities import exact_json
from leakgauge.design import MaxDistortion, MaxLeakage, Solution
from leakgauge.probability import PriorOrigin

if TYPE_CHECKING:
    from leakgauge.jobs.compare import Compared, Comparison

_THIS_TABLE = PriorOrigin.THIS_TABLE.value


def solution_json(found: Solution, prior: str = _THIS_TABLE) -> dict[str, Any]:
    """The fields of a designed channel, with the witnesses of its levels."""
    told = None if found.identifiability is None else found.identifiability.stored()
    return {
        "schema": "leakgauge/design/1",
        "knowledge": found.problem.knowledge.value,
        **point_json(found),
        "epsilon": found.local_dp.stored(),
        "identifiability": told,
        "inputs_that_never_occur": len(found.never_occurring),
        "iterations": found.iterations,
        **_origin_json(prior),
    }


def point_json(found: Solution) -> dict[str, Any]:
    """The numbers of a designed channel."""
    bits = {
        "leakage": found.leakage,
        "weighted_leakage": found.weighted_leakage,
        "leakage_with_background": found.leakage_with_background,
        "background_floor": found.background_floor,
    }
    return {
        **{name: None if value is None else exact_json(value, "bits") for name, value in bits.items()},
        "distortion": exact_json(found.distortion, "distortion"),
        "epsilon": exact_json(found.epsilon, "nats"),
        "gap": exact_json(found.gap, "bits"),
        "slope": exact_json(found.slope, "nats per unit of distortion"),
        "letters": found.letters,
    }


def frontier_json(found: Sequence[Solution], prior: str = _THIS_TABLE) -> dict[str, Any]:
    """The fields of a frontier."""
    return {
        "schema": "leakgauge/frontier/1",
        "knowledge": found[0].problem.knowledge.value,
        "points": [point_json(one) for one in found],
        **_origin_json(prior),
    }


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The fields of a comparison."""
    target, floor = found.best.problem.target, found.best.background_floor
    return {
        "schema": "leakgauge/comparison/1",
        "knowledge": found.best.problem.knowledge.value,
        "max_distortion": exact_json(target.distortion, "distortion") if isinstance(target, MaxDistortion) else None,
        "max_leakage": exact_json(target.bits, "bits") if isinstance(target, MaxLeakage) else None,
        "background_floor": None if floor is None else exact_json(floor, "bits"),
        "ranking": [_row(one) for one in found.ranking],
        **_origin_json(_THIS_TABLE),
    }


def _origin_json(prior: str) -> dict[str, Any]:
    return {"prior": prior, "keep_inside": PriorOrigin(prior).keep_inside}


def _row(one: Compared) -> dict[str, Any]:
    known, weighted = one.leakage_with_background, one.weighted_leakage
    return {
        "mechanism": one.name,
        "role": one.role.value,
        "meets_target": one.meets,
        "leakage": exact_json(one.leakage, "bits"),
        "weighted_leakage": None if weighted is None else exact_json(weighted, "bits"),
        "leakage_with_background": None if known is None else exact_json(known, "bits"),
        "distortion": exact_json(one.distortion, "distortion"),
        "epsilon": exact_json(one.epsilon, "nats"),
        "waste": exact_json(one.waste, "bits"),
        "gap": exact_json(one.gap, "bits"),
    }
