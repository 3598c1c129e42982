"""The trade-off: leakage over distortion."""

from __future__ import annotations

from collections.abc import Sequence

from leakgauge.design import Knowledge, Solution
from leakgauge.report.figures.figure import Figure


def frontier_figure(points: Sequence[Solution]) -> Figure:
    """The least leakage over the mean distortion, with the floor that the background sets.

    Between two points the curve lies on or below the straight line: mixing two channels reaches the line.
    """
    known = points[0].problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH)
    what = "I(X;Y,Z), bits" if known else "I(X;Y), bits"
    values = [
        {"distortion": one.distortion, "leakage": one.objective, "epsilon": f"{one.epsilon:.4g}"} for one in points
    ]
    x = {"field": "distortion", "type": "quantitative", "title": "mean distortion"}
    y = {"field": "leakage", "type": "quantitative", "title": what}
    layers: list[dict[str, object]] = [
        {
            "data": {"values": values},
            "mark": {"type": "line", "point": True, "color": "#1f5fa8"},
            "encoding": {
                "x": x,
                "y": y,
                "tooltip": [{"field": name, "type": "nominal"} for name in ("distortion", "leakage", "epsilon")],
            },
        }
    ]
    floor = points[0].background_floor
    if known and floor is not None:
        layers.append(
            {
                "data": {"values": [{"leakage": floor}]},
                "mark": {"type": "rule", "strokeDash": [6, 4], "color": "#a33b20"},
                "encoding": {"y": y},
            }
        )
    least = f"; the background alone tells {floor:.4g} bits (dashed)" if known and floor is not None else ""
    told = (
        f"Least leakage over mean distortion, {len(points)} points from {values[0]['leakage']:.4g} to "
        f"{values[-1]['leakage']:.4g} bits{least}."
    )
    return Figure({"title": "What usefulness costs", "width": 480, "height": 320, "layer": layers}, told)
