"""A verb that waits for an engine shows how far it is, on a screen and nowhere else."""

from __future__ import annotations

import sys

import pytest

from leakgauge.cli.engine_bar import engine_bar
from leakgauge.cli.output import counting, working
from leakgauge.waiting import told_while_waiting, who_is_told


@pytest.mark.parametrize("screen", [True, False])
def test_a_bar_is_shown_on_a_screen_alone(
    screen: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: screen, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with engine_bar():
        tell = who_is_told()
        assert tell is not None
        for done in (1, 2, 4):
            tell(done, 4)
        with counting("Surveying"):
            inner = who_is_told()
            assert inner not in (None, tell)
            inner(1, 2)
        with working("Measuring"):
            assert (who_is_told() is tell) is not screen
        assert who_is_told() is tell
    assert who_is_told() is None
    assert ("Tasks in the engine" in capsys.readouterr().err) is screen


def test_the_inner_of_two_is_told() -> None:
    told: list[str] = []
    with told_while_waiting(lambda done, total: told.append("outer")):
        with told_while_waiting(lambda done, total: told.append("inner")):
            who_is_told()(1, 2)  # type: ignore[misc]
        who_is_told()(1, 2)  # type: ignore[misc]
    assert told == ["inner", "outer"]
