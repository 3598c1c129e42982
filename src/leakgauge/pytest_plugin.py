"""The fixture ``leakgauge_audit`` for the tests of other projects; nothing is loaded until a test asks for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from leakgauge.artefacts import Shown


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--leakgauge-samples N`` and ``--leakgauge-seconds S``."""
    group = parser.getgroup("leakgauge")
    group.addoption(
        "--leakgauge-samples",
        type=int,
        metavar="N",
        help="Outputs that leakgauge_audit draws on each of two inputs, at most.",
    )
    group.addoption(
        "--leakgauge-seconds", type=float, metavar="S", help="How long leakgauge_audit draws for one test, at most."
    )


@pytest.fixture
def leakgauge_audit(request: pytest.FixtureRequest) -> Callable[..., Shown]:
    """``assert_satisfies(mechanism, claim, pairs=…)``: fails the test where the claim is disproved.

    What a test asks for itself, such as ``samples`` or ``seconds``, goes before the options.
    """
    from leakgauge.audit import assert_satisfies

    given = {name: request.config.getoption(f"--leakgauge-{name}") for name in ("samples", "seconds")}
    return partial(assert_satisfies, **{name: value for name, value in given.items() if value is not None})
