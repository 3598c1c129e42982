"""Plans of sequences: steps with their counts and sampling, δ, neighbours and a target, as a TOML file says them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from leakgauge.claims import NOTIONS, Statement, parse_statement
from leakgauge.errors import FileError, InputError, OptionError, did_you_mean
from leakgauge.mechanisms.mechanism import escaped
from leakgauge.mechanisms.spelling import CATALOGUE, split_at, unescaped
from leakgauge.mechanisms.step_spelling import CURVE, OPEN, is_claim, parameters_of, parse_step, takes_several
from leakgauge.mechanisms.steps import Batch, Step
from leakgauge.mechanisms.steps.step import require_some
from leakgauge.notions.composition.groups import Neighbours
from leakgauge.notions.composition.open_numbers import COUNT, LEVEL, OPENABLE, SAMPLING, TRIAL
from leakgauge.probability.files import parsed_toml, require_schema

PLAN_SCHEMA: Final = "leakgauge/sequence/1"
_KEYS: Final = ("delta", "neighbours", "target", "step", "schema")
_KINDS: Final = ("mechanism", "claim")
_CHANNEL: Final = "channel"
BATCH: Final = "batch-size"
POPULATION: Final = "population"
_RUNS: Final = (COUNT, SAMPLING, BATCH, POPULATION)
"""What a step says of its runs, whatever runs."""


@dataclass(frozen=True)
class PlannedStep:
    """A step as it is written; one number of it may be open."""

    text: str  # a mechanism or a claim as ``parse_step`` reads it; an open value is ``?``
    count: int | None = 1  # how often it runs; None where that is open
    sampling_probability: float | None = 1.0  # with which it sees a record; None where that is open
    batch: tuple[int, int] | None = None  # how many of how many records a run sees, without replacement; None where all

    def __post_init__(self) -> None:
        names = self.open_numbers
        _require_openable(names)
        if len(names) < 2:
            self.step(TRIAL if names else None)

    @property
    def open_numbers(self) -> tuple[str, ...]:
        """The names of the numbers left open."""
        _, _, rest = self.text.partition(":")
        pairs = [part.strip().rpartition("=")[::2] for part in split_at(rest, ",")]
        within = [key or LEVEL for key, value in pairs if value == OPEN]
        beside = {COUNT: self.count, SAMPLING: self.sampling_probability}
        return (*within, *(name for name, value in beside.items() if value is None))

    @property
    def file(self) -> Path | None:
        """The channel file that it names; None where it names none."""
        name, _, rest = self.text.partition(":")
        if name != _CHANNEL:
            return Path(self.text) if self.text.lower().endswith(".json") else None
        return next((Path(unescaped(part[5:])) for part in split_at(rest, ",") if part.startswith("file=")), None)

    def spelled(self, value: float | None = None) -> str:
        """The text with its open number in place."""
        name, colon, rest = self.text.partition(":")
        parts = [re.sub(r"(^|=)\?$", rf"\g<1>{value!r}", part.strip()) for part in split_at(rest, ",")]
        return f"{name}{colon}{','.join(parts)}"

    def step(self, value: float | None = None) -> Step:
        """The step with its open number in place; a count is rounded down, which is the private side."""
        count, probability = self.count, self.sampling_probability
        if value is not None:
            count = math.floor(value) if count is None else count
            probability = float(value) if probability is None else probability
        assert count is not None and probability is not None
        if self.batch is None:
            return parse_step(self.spelled(value), count=count, sampling_probability=probability)
        one = parse_step(self.spelled(value), sampling_probability=probability)
        return Batch(one, *self.batch, count=count)


@dataclass(frozen=True)
class SequencePlan:
    """Steps that are fixed in advance, and what is asked of the whole sequence.

    Raises:
        OptionError: no steps, several open numbers, one that is open without a target, or a target without one.

    Example:
        >>> plan = SequencePlan((PlannedStep("laplace:epsilon=0.1", count=20),))
        >>> plan.sequence()
        (LaplaceNoise(count=20, sampling_probability=1.0, epsilon=0.1),)
    """

    steps: tuple[PlannedStep, ...]
    deltas: tuple[float, ...] = ()  # where ε is asked for; where there are none, at δ = 0
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    target: Statement | None = None  # what the whole sequence must satisfy, by the choice of the one open number

    def __post_init__(self) -> None:
        require_some(self.steps, "steps")
        names = [name for step in self.steps for name in step.open_numbers]
        if len(names) > 1:
            raise OptionError(
                "{count} numbers are left open ({names!s}); leave one of them open, because only one is searched for.",
                count=len(names),
                names=tuple(names),
            )
        if names and self.target is None:
            raise OptionError(
                "{name!r} is left open, but nothing says what the sequence must satisfy; give a target such as "
                "dp:1,delta=1e-6.",
                name=names[0],
            )
        if self.target is not None and not names:
            raise OptionError(
                'The target {target!s} is given, but no number is left open to reach it; write "?" in place of one, '
                "such as noise-multiplier.",
                target=str(self.target),
            )

    @property
    def open_number(self) -> tuple[int, str] | None:
        """The place of the step whose number is open, and the name of the number; None where all are given."""
        return next(((at, step.open_numbers[0]) for at, step in enumerate(self.steps) if step.open_numbers), None)

    @property
    def files(self) -> tuple[Path, ...]:
        """The channel files that the steps name."""
        return tuple(step.file for step in self.steps if step.file is not None)

    def sequence(self, value: float | None = None) -> tuple[Step, ...]:
        """The steps, with the open number in place."""
        return tuple(step.step(value if step.open_numbers else None) for step in self.steps)


def read_sequence(
    path: Path | str,
    *,
    deltas: Sequence[float] = (),
    neighbours: Neighbours | None = None,
    target: Statement | None = None,
) -> SequencePlan:
    """The plan in a TOML file: ``[[step]]`` with ``mechanism`` or ``claim``, ``delta``, ``neighbours`` and ``target``.

    A step has its ``count``, its ``sampling-probability`` or its ``batch-size`` and ``population``, and the parameters
    of its mechanism where the text of the mechanism does not have them. Paths of channels are relative to the plan.

    Args:
        path: of the file.
        deltas, neighbours, target: where given, they take the place of what the file says.

    Raises:
        FileError: the file cannot be read.
        OptionError: it is not such a plan; the message names the step.
    """
    place = Path(path)
    fields = parsed_toml(place)
    try:
        if "schema" in fields:
            require_schema(fields, PLAN_SCHEMA, place)
        for key in fields:
            if key not in _KEYS:
                raise OptionError("there is no key {key!r}; {hint}", key=key, hint=did_you_mean(key, _KEYS))
        steps = fields.get("step", [])
        if not isinstance(steps, list) or not all(isinstance(one, dict) for one in steps):
            raise OptionError("'step' is not a list of tables; write [[step]] before each step.")
        planned = tuple(_planned(at, one, place.parent) for at, one in enumerate(steps, 1))
        said = _deltas(fields), _neighbours(fields), _target(fields)
        return SequencePlan(planned, tuple(deltas) or said[0], neighbours or said[1], target or said[2])
    except FileError:
        raise
    except InputError as error:
        raise OptionError("The plan {path}: {reason}", path=place, reason=error) from None


def _deltas(fields: Mapping[str, Any]) -> tuple[float, ...]:
    if "delta" not in fields:
        return ()
    found = fields["delta"]
    # An empty list is no δ either, and does not say that δ is 0.
    deltas = found if isinstance(found, list) and found else [found]
    for delta in deltas:
        if isinstance(delta, bool) or not isinstance(delta, int | float):
            raise OptionError("delta is {found!r}, not a number; write e.g. delta = 1e-6.", found=delta)
    return tuple(map(float, deltas))


def _neighbours(fields: Mapping[str, Any]) -> Neighbours:
    found, known = fields.get("neighbours", Neighbours.REPLACE_ONE.value), [one.value for one in Neighbours]
    if found not in known:
        raise OptionError("neighbours is {found!r}; {hint}", found=found, hint=did_you_mean(str(found), known))
    return Neighbours(found)


def _target(fields: Mapping[str, Any]) -> Statement | None:
    found = fields.get("target")
    if found is not None and not isinstance(found, str):
        raise OptionError('target is {found!r}, not a notion; write e.g. target = "dp:1,delta=1e-6".', found=found)
    return None if found is None else parse_statement(found)


def _planned(at: int, fields: Mapping[str, Any], folder: Path) -> PlannedStep:
    try:
        text = _written(fields)
        beside = {key: value for key, value in fields.items() if key not in (*_KINDS, *_RUNS)}
        known = (*_RUNS, *parameters_of(text))
        unknown = next((key for key in beside if key not in known), None)
        if unknown is not None:
            raise OptionError("there is no key {key!r}; {hint}", key=unknown, hint=did_you_mean(unknown, known))
        count, probability = fields.get(COUNT, 1), fields.get(SAMPLING, 1.0)
        return PlannedStep(
            _spelled(text, beside, folder),
            None if count == OPEN else count,
            None if probability == OPEN else probability,
            _batch(fields),
        )
    except FileError:
        raise
    except InputError as error:
        raise OptionError("step {at}: {reason}", at=at, reason=error) from None


def _batch(fields: Mapping[str, Any]) -> tuple[int, int] | None:
    given = [key for key in (BATCH, POPULATION) if key in fields]
    if len(given) == 1:
        (missing,) = {BATCH, POPULATION}.difference(given)
        raise OptionError("it has {key!r} without {missing!r}; give both.", key=given[0], missing=missing)
    _require_openable(key for key in given if fields[key] == OPEN)
    return (fields[BATCH], fields[POPULATION]) if given else None


def _require_openable(names: Iterable[str]) -> None:
    unknown = next((name for name in names if name not in OPENABLE), None)
    if unknown is not None:
        raise OptionError(
            "{name!r} cannot be left open; a number that can is one of {known!s}.",
            name=unknown,
            known=tuple(map(repr, OPENABLE)),
        )


def _written(fields: Mapping[str, Any]) -> str:
    """The text of a step's mechanism or claim."""
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) != 1 or not isinstance(fields[kinds[0]], str):
        raise OptionError(
            'it needs one mechanism or one claim; write e.g. mechanism = "gaussian" or claim = "dp:0.05".'
        )
    text: str = fields[kinds[0]]
    if is_claim(text) and kinds == ["mechanism"]:
        raise OptionError("{text!r} is a claim, not a mechanism; write claim in place of mechanism.", text=text)
    name = text.partition(":")[0]
    if not is_claim(text) and kinds == ["claim"]:
        raise OptionError("There is no notion {name!r}; {hint}", name=name, hint=did_you_mean(name, (*NOTIONS, CURVE)))
    if kinds == ["mechanism"] and name not in CATALOGUE and not text.lower().endswith(".json"):
        raise OptionError("There is no mechanism {name!r}; {hint}", name=name, hint=did_you_mean(name, CATALOGUE))
    return text


def _spelled(text: str, beside: Mapping[str, Any], folder: Path) -> str:
    """A mechanism with the parameters that stand beside it, in one text; a channel file by its path from here."""
    name, _, rest = text.partition(":")
    if name != _CHANNEL and text.lower().endswith(".json"):
        name, rest = _CHANNEL, f"file={escaped(text)}"
    parts = [
        *(split_at(rest, ",") if rest else ()),
        *(f"{key}={_value(value, takes_several(text, key))}" for key, value in beside.items()),
    ]
    if name == _CHANNEL:
        parts = [re.sub("^file=(?!/)", lambda _: f"file={escaped(str(folder))}/", part) for part in parts]
    return f"{name}:{','.join(parts)}" if parts else name


def _value(value: Any, several: bool) -> str:
    """A value as it is typed; one of another kind than is asked for stays one, and is refused where it is read."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if several and isinstance(value, list):
        return "|".join(_value(one, False) for one in value)
    return re.sub(r"(?<!\\),", r"\,", str(value))
