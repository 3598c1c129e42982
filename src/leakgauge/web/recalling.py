"""What a folder says of its job, checked: anybody may have written it, so whatever is of another kind is left out."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from leakgauge.artefacts.codec import sentence_of
from leakgauge.errors import InputError
from leakgauge.web.asking import asked

JOB: Final = "job.json"
PAGE_SCHEMA: Final = "leakgauge/page-job/1"
_JOB_SCHEMA: Final = "leakgauge/job/1"
_LISTS: Final = ("background", "public", "mechanism", "distortion", "bins", "missing")
_NUMBERS: Final = (
    *("max_distortion", "max_leakage", "local_dp", "lower", "upper", "accounted", "releases_per_period", "confidence"),
    "simulate",
)
_TEXTS: Final = (
    *("table", "secret", "target", "ledger", "dataset", "policy", "diagram", "questionnaire", "purpose", "recipient"),
    *("review", "report_language"),
)
_GRADES: Final = ("very-poor", "poor", "medium", "good", "very-good")
_QUANTITIES: Final = ("leakage_before", "leakage_after", "floor", "epsilon", "advantage", "unchanged")
_STATES: Final = ("running", "done", "refused", "failed", "stopped")


@dataclass(frozen=True)
class Left:
    """What the job itself left in its folder.

    Attributes:
        asked: the fields of the main job's question; at least its table and its secret.
        started: when, in UTC; None where that is not known.
        outputs: the names of files by the finished stage that left them.
        ended: whether it came to its end.
        released: whether something was released.
        reason: why not, or why it should not be given away.
        headline: the numbers that matter; None where there are none.
    """

    asked: Mapping[str, Any] = field(default_factory=dict)
    started: str | None = None
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ended: bool = False
    released: bool = False
    reason: str | None = None
    headline: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Recorded:
    """What an earlier server noted beside the folder.

    Attributes:
        asked: the question for the page.
        path: of the table in the folder that was served; None where it was dropped.
        started: when, in UTC; None where that is not known.
        state: of the job.
        message: of the job.
    """

    asked: Mapping[str, Any]
    path: str | None
    started: str | None
    state: str
    message: str | None


def left_in(folder: Path) -> Left | None:
    """What a job left in its folder; None where there is nothing, or something else."""
    found = read_object(folder / JOB)
    question = _question(found.get("asked"))
    if found.get("schema") != _JOB_SCHEMA or question is None:
        return None
    outcome = found["outcome"] if isinstance(found.get("outcome"), dict) else {}
    ended = isinstance(outcome.get("released"), bool)
    released = ended and bool(outcome["released"])
    return Left(
        asked=question,
        started=_time(found.get("started")),
        outputs=_outputs(found.get("stages")),
        ended=ended,
        released=released,
        reason=_text_or_none(outcome.get("reason")),
        headline=_headline(found.get("headline")) if released else None,
    )


def recorded_in(file: Path) -> Recorded | None:
    """What a server noted of a job; None where there is nothing, or something else."""
    found = read_object(file)
    given, state = found.get("asked"), found.get("state")
    if found.get("schema") != PAGE_SCHEMA or not isinstance(given, dict) or state not in _STATES:
        return None
    try:
        question = asked(given, aims=True)
    except InputError:
        return None
    return Recorded(
        asked={"table": question.table, **question.fields()},
        path=_text_or_none(found.get("path")),
        started=_time(found.get("started")),
        state=state,
        message=_text_or_none(found.get("message")),
    )


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _question(found: object) -> dict[str, Any] | None:
    """The fields of a question of the main job that it still has; None where one is of another kind."""
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in ("table", "secret")):
        return None
    given = {name: value for name, value in found.items() if value is not None}
    kinds = (
        *((name, _is_text) for name in _TEXTS),
        *((name, _is_number) for name in _NUMBERS),
        *((name, _is_texts) for name in _LISTS),
    )
    if not all(name not in given or fits(given[name]) for name, fits in kinds):
        return None
    return {name: given[name] for name, _ in kinds if name in given}


def _outputs(found: object) -> dict[str, tuple[str, ...]]:
    stages = found if isinstance(found, dict) else {}
    kept = {}
    for name, stage in stages.items():
        outputs = stage.get("outputs") if isinstance(stage, dict) else None
        if isinstance(outputs, dict):
            kept[name] = tuple(outputs)
    return kept


def _headline(found: object) -> dict[str, Any] | None:
    if not isinstance(found, dict) or found.get("grade") not in _GRADES or not _is_number(found.get("score")):
        return None
    kinds = (
        *((name, _is_number) for name in ("privacy", "utility")),
        *((name, _is_quantity) for name in _QUANTITIES),
        ("interval", _is_interval),
        ("vetoes", _is_sentences),
    )
    if not all(found.get(name) is None or fits(found[name]) for name, fits in kinds):
        return None
    known = {name for name, _ in kinds}
    others = (_is_text, _is_number, _is_quantity)
    return {
        name: value
        for name, value in found.items()
        if name in known or value is None or any(fits(value) for fits in others)
    }


def _is_interval(found: object) -> bool:
    return isinstance(found, dict) and all(_is_number(found.get(name)) for name in ("low", "high"))


def _is_quantity(found: object) -> bool:
    value = found.get("value") if isinstance(found, dict) else None
    return _is_number(value) or value in ("infinity", "-infinity")


def _is_number(found: object) -> bool:
    # Numbers beyond those of the machine are no measurements.
    return isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) <= sys.float_info.max


def _is_text(found: object) -> bool:
    return isinstance(found, str) and "\0" not in found


def _is_texts(found: object) -> bool:
    return isinstance(found, list) and all(_is_text(one) for one in found)


def _is_sentences(found: object) -> bool:
    try:
        return isinstance(found, list) and all(_is_text(sentence_of(one).template) for one in found)
    except ValueError:
        return False


def _text_or_none(found: object) -> str | None:
    return found if isinstance(found, str) else None


def _time(found: object) -> str | None:
    """A time in UTC to the second, such as 2026-11-16T08:19:03Z."""
    try:
        moment = datetime.fromisoformat(found) if isinstance(found, str) else None
        return None if moment is None or moment.tzinfo is None else written(moment)
    except (ValueError, OverflowError):
        return None


def written(moment: datetime) -> str:
    """A time as the page reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
