"""Arrow as ``pa``, loaded when something of it is first used: it takes longer than all of ours."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_APART = ("compute", "parquet")
"""Modules that pyarrow does not load by itself."""


def __getattr__(name: str) -> Any:
    """What pyarrow has under this name."""
    if name.startswith("__"):
        raise AttributeError(name)  # Python asks for such, of this module and not of pyarrow
    return import_module(f"pyarrow.{name}") if name in _APART else getattr(import_module("pyarrow"), name)
