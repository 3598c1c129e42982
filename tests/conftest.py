"""Settings every test shares."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.grids import EVERY_RUN

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.jobs.finished import Finished

# Workers of a parallel run are told to write in 80 columns, which would fold what tests read.
os.environ.pop("COLUMNS", None)
# A run in the background ignores Ctrl-C, which some tests send to themselves and then wait for.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("default", derandomize=True, deadline=None, max_examples=EVERY_RUN)
settings.register_profile(
    "nightly", derandomize=False, deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow]
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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all: a process can drive no second one beside it. Every visit has a context of its own."""
    from tests.web.browsing import browser

    with browser() as one:
        yield one


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server, with a password that it does not ask for; every test makes its own tables."""
    from tests.postgres import running_server

    with running_server() as address:
        yield address


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """``once(name, make)``: a folder that one process of a test run fills by ``make(folder)``, and all of them read."""
    base = tmp_path_factory.getbasetemp()
    # The processes of a parallel run have folders of their own beside each other.
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once"
    shared.mkdir(exist_ok=True)

    def folder(name: str, make: Callable[[Path], None]) -> Path:
        place, whole = shared / name, shared / f"{name}.whole"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                # What a process that failed has left is made again, so that each one tells of the failure.
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                make(place)
                whole.touch()
        return place

    return folder


@pytest.fixture(scope="session")
def finished_job(once: Callable[[str, Callable[[Path], None]], Path]) -> Finished:
    """One finished job for all: nobody may change it."""
    from tests.jobs.finished import finished_once

    return finished_once(once)


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Reports without pictures."""
    from tests.jobs.stubs import no_pictures

    with no_pictures():
        yield


LONG_FIRST = ("tests/engines/", "tests/web/", "tests/jobs/", "tests/cli/", "tests/audit/", "tests/design/")
"""Folders with the longest files, one scope or file of which takes from half a minute to several; engines are one.

The others follow, with pages of the documentation after them: each is by itself, so that both processes of a parallel
run end with short ones.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What cannot be divided comes first, so that no process of a parallel run ends long after the other."""

    def turn(item: pytest.Item) -> int:
        if "::test_page[" in item.nodeid:
            return len(LONG_FIRST) + 1
        return next((at for at, folder in enumerate(LONG_FIRST) if item.nodeid.startswith(folder)), len(LONG_FIRST))

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Thousands of collected tests live until the end: to look through them for garbage again and again takes long."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One process takes all tests that share what is made for them."""
    from xdist.scheduler import LoadFileScheduling

    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = _sharing
    return scheduler


def _sharing(test: str) -> str:
    """The tests of a file; pages share nothing, and all that need Spark or PostgreSQL one application and server."""
    name = test.lower()
    if name.startswith("tests/engines/") or "spark" in name or "postgresql" in name:
        return "tests/engines"
    return test if "::test_page[" in test else test.split("::", 1)[0]
