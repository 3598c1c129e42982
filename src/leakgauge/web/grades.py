"""The grade of a job for the page: names in its language, stored sentences told again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from leakgauge.languages import Language

_SENTENCES: Final = ("source", "unit", "reason", "graded", "blocked", "why_not", "line")
"""Fields that hold sentences or words of ours, not data."""


def grade_fields(graded: Mapping[str, Any], language: Language) -> dict[str, Any]:
    """The fields of ``assessment.json``, and ``names``: each node's name by its key, in the language."""
    told: dict[str, Any] = _retold(dict(graded), language)
    return {**told, "names": {key: _name(node, language) for key, node in (graded.get("nodes") or {}).items()}}


def _name(node: Mapping[str, Any], language: Language) -> str:
    chinese = node.get("chinese") if language.code == "zh" else None
    return str(chinese or node.get("name", ""))


def _retold(value: Any, language: Language, name: str = "") -> Any:
    """The same data with its sentences in the language."""
    if isinstance(value, Mapping):
        return {key: _retold(one, language, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_retold(one, language, name) for one in value]
    return language.retell(value) if isinstance(value, str) and name in _SENTENCES else value
