"""Settings every test shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", derandomize=True, deadline=None, max_examples=100)
settings.register_profile(
    "nightly", derandomize=False, deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def data() -> Path:
    """Where the larger data are; tests that need them are skipped without."""
    place = Path(os.environ.get("LEAKGAUGE_DATA", "../shared/data"))
    if not (place / "adult_train.parquet").exists():
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail(f"LEAKGAUGE_REQUIRE=all but there is no data in {place}")
        pytest.skip("the larger data are not here; set LEAKGAUGE_DATA")
    return place
