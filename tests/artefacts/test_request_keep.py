"""What a request may say of keeping shares."""

from __future__ import annotations

from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.errors import OptionError


@pytest.mark.parametrize(
    "asked",
    [
        {"mechanism": ("randomized-response:epsilon=1",)},
        {"max_distortion": 0.2, "keep": "everything"},
    ],
)
def test_what_is_not_designed_takes_no_word_on_keeping(asked: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"--keep"):
        Request.of("people.csv", secret=("illness",), **{"keep": "shares", **asked})


def test_designed_channels_keep_the_shares_unless_somebody_says_otherwise() -> None:
    asked = Request.of("people.csv", secret=("illness",), max_distortion=0.2, local_dp=1.0)
    assert asked.limits.kept == "shares" and "--keep" not in asked.command("out")
    otherwise = Request.of("people.csv", secret=("illness",), max_distortion=0.2, keep="nothing")
    assert otherwise.limits.kept == "nothing" and "--keep nothing" in otherwise.command("out")
    # A search designs channels too.
    assert Request.of("people.csv", secret=("illness",), min_protection=60.0, keep="nothing").limits.kept == "nothing"
    # One of two secrets is designed for, so that there is something to keep.
    both = ("illness", "wage")
    some = Request.of(
        "people.csv", secret=both, keep="nothing", local_dp=1.0, mechanism=("wage=randomized-response:epsilon=1",)
    )
    assert some.limits.kept == "nothing"
