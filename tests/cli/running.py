"""One verb, run in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leakgauge.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Its exit code, standard output and standard error."""
    code = main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    """Its exit code and the JSON it prints."""
    code, out, err = run(capsys, *arguments, "--json")
    assert out, err
    fields: dict[str, Any] = json.loads(out)
    return code, fields


def fields(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """The JSON it prints where it succeeds without a word on standard error."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found
