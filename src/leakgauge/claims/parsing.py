"""Statements as they are written on the command line: ``local-dp:1.0``, ``dp:0.5,delta=1e-6``."""

from __future__ import annotations

from dataclasses import fields

from leakgauge.claims.statements import NOTIONS, ApproximateDP, CentralDP, Statement
from leakgauge.errors import OptionError, did_you_mean


def parse_statement(text: str) -> Statement:
    """The statement of ``name:level[bits][,parameter=value …]``.

    Example:
        >>> parse_statement("dp:0.5,delta=1e-6")
        ApproximateDP(epsilon=0.5, delta=1e-06)

    Raises:
        OptionError: an unknown notion, or a level that is not a number.
    """
    name, _, rest = text.partition(":")
    if name not in NOTIONS:
        raise OptionError(
            "There is no notion {name!r}; {hint} All are {all}.",
            name=name,
            hint=did_you_mean(name, NOTIONS),
            all=tuple(NOTIONS),
        )
    level, *extra = rest.split(",")
    pairs = [part.partition("=")[::2] for part in extra]
    given = dict(pairs)
    if len(given) < len(pairs):
        raise OptionError("{text!r} gives a parameter twice; give it once.", text=text)
    notion = ApproximateDP if NOTIONS[name] is CentralDP and "delta" in given else NOTIONS[name]
    first, *others = fields(notion)
    unknown = set(given) - {field.name for field in others}
    if unknown:
        raise OptionError("{name!s} has no parameter {found!r}.", name=name, found=min(unknown))
    numbers = {first.name: _number(level.removesuffix("bits") if notion.unit == "bits" else level, text)}
    numbers |= {key: _number(value, text) for key, value in given.items()}
    try:
        return notion(**numbers)
    except TypeError:
        missing = next(field.name for field in others if field.name not in given)
        raise OptionError(
            "{text!r} lacks {missing!s}; write e.g. {missing!s}=1e-6.", text=text, missing=missing
        ) from None


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(
            "{whole!r} has {found!r} where a number should be; write e.g. local-dp:1.0.", whole=whole, found=text
        ) from None
