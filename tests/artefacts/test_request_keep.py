"""What a request may say of keeping shares."""

from __future__ import annotations

from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.errors import OptionError


@pytest.mark.parametrize(
    "asked",
    [
        {"local_dp": 1.0},
        {"mechanism": ("randomized-response:epsilon=1",)},
        {"target": "good"},
        {"max_distortion": 0.2, "keep": "everything"},
    ],
)
def test_shares_are_kept_by_designed_channels_alone(asked: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"--keep"):
        Request("people.csv", ("illness",), **{"keep": "shares", **asked})
    kept = Request("people.csv", ("illness",), keep="shares", max_distortion=0.2, local_dp=1.0)
    assert "--keep shares" in kept.command("out")
