"""The fixture ``leakgauge_audit`` for the tests of other projects; nothing is loaded until a test asks for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from leakgauge.audit import Shown


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--leakgauge-samples N``."""
    parser.getgroup("leakgauge").addoption(
        "--leakgauge-samples",
        type=int,
        metavar="N",
        help="Outputs that leakgauge_audit draws on each of two inputs, at most.",
    )


@pytest.fixture
def leakgauge_audit(request: pytest.FixtureRequest) -> Callable[..., Shown]:
    """``assert_satisfies(mechanism, claim, pairs=…)``: fails the test where the claim is disproved."""
    from leakgauge.audit import assert_satisfies

    samples = request.config.getoption("--leakgauge-samples")
    return assert_satisfies if samples is None else partial(assert_satisfies, samples=samples)
