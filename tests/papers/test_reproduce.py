"""``leakgauge reproduce`` answers no where a published number is not met."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leakgauge.artefacts.reproduction import Reproduction
from leakgauge.papers import information_models
from tests.cli.running import run


def test_a_number_that_is_not_met_exits_1(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(capsys, "reproduce", "information-models")[0] == 0
    honest = information_models.reproduce()
    first = replace(honest.lines[0], published=honest.lines[0].published + 1)

    def misprinted() -> Reproduction:
        return replace(honest, lines=(first, *honest.lines[1:]))

    monkeypatch.setattr(information_models, "reproduce", misprinted)
    code, out, _ = run(capsys, "reproduce", "information-models")
    assert code == 1 and "DIFFERS" in out
