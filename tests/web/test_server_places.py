"""The page on places: a form, and a map in its report."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from leakgauge.location.traces.mobility import places_csv
from tests.web.serving import Served, running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("town")
    (folder / "pings.csv").write_text(places_csv(), encoding="utf-8")
    with running(folder) as server:
        yield server


def ask(served: Served, **given: str) -> str:
    return served.get(f"/places?{urlencode(given)}").body.decode()


def test_a_form_suggests_columns_and_a_report_has_the_map(served: Served) -> None:
    table = served.open("pings.csv")
    assert "<option selected>lat</option>" in ask(served, table=table)
    page = ask(served, table=table, lat="lat", lon="lon", cell="6x6", box="47.0,47.072,8.0,8.1056", show="1")
    assert "↑ north" in page and "3,840" in page and "<script" not in page


def test_what_is_wrong_is_said_above_the_form(served: Served) -> None:
    page = ask(served, table=served.open("pings.csv"), lat="lat", lon="lon", cell="<b>", show="1")
    assert 'role="alert"' in page and "is not a size" in page and "<b>" not in page
