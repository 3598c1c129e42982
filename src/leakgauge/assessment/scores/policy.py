"""A risk appetite: limits on the scores and on other facts of a release."""

from __future__ import annotations

import reprlib
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path

from leakgauge.artefacts.verdict import Declaration
from leakgauge.errors import FileError, OptionError, did_you_mean
from leakgauge.probability.files import parsed_toml, require_schema

SCHEMA, EARLIER_SCHEMAS = "leakgauge/policy/3", ("leakgauge/policy/1", "leakgauge/policy/2")
REPLACED = {
    "min_privacy": "min_protection",
    "min_utility": "min_usefulness",
    "min_score": "min_protection",
    "target_grade": "min_protection",
    "max_exposed": "max_surest",
    "min_guarantee": "max_epsilon",
    "min_effect": "min_usefulness",
    "min_efficiency": "min_usefulness",
}
"""Limits of earlier scores, and the nearest one now; a signed threshold must not change its meaning."""
SCORE_LIMITS = ("min_protection", "max_surest", "min_usefulness")
"""Limits of scores, from 0 to 100."""
MOST_SURE, MOST_SURE_IF_SENSITIVE = 45.0, 33.0
"""The default limits of ``max_surest``: of ordinary data, and of data that were declared highly sensitive."""
_SHARES = ("max_lost", "max_alone", "max_linked", "max_delta", "max_attack_advantage")


@dataclass(frozen=True)
class Policy:
    """Limits; None means no limit. The defaults are the default policy.

    Attributes:
        min_protection: from 0 to 100, as the other scores.
        max_surest: how much surer somebody may become about the most exposed tenth of those who share a value.
        max_lost: the share of rows whose values may never be released.
        max_alone: the share of people who may be unique in the published columns.
        max_linked: the share of people whose row may be the only candidate of somebody who knows columns.
        min_k: the least rows, or persons, in every group of rows that agree in these columns.
        max_epsilon: in nats, of everything claimed together, or shown by an audit.
        max_leakage_bits: of mutual information between a secret and everything that leaves.
        max_attack_advantage: what the best attack gains, as a share of what it gains from the raw data.
        given: the names of limits that a user gave; those of the default policy only decide the recommendation.

    Raises:
        OptionError: a limit outside its range, or limits that contradict each other.
    """

    min_protection: float | None = 60.0
    max_surest: float | None = MOST_SURE
    min_usefulness: float | None = 20.0
    max_lost: float | None = 0.01
    max_alone: float | None = 0.05
    max_linked: float | None = 0.05
    min_k: int | None = None
    max_epsilon: float | None = None
    max_delta: float | None = None
    max_leakage_bits: float | None = None
    max_attack_advantage: float | None = None
    declared: tuple[Declaration, ...] = tuple(Declaration)
    given: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name, value in self.limits().items():
            if name == "min_k" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise OptionError("min_k is {value!s}; give a whole number of at least 1.", value=reprlib.repr(value))
            most = 100.0 if name in SCORE_LIMITS else 1.0 if name in _SHARES else sys.float_info.max
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
                raise OptionError(
                    "{name!s} is {value!s}; give a number {range}.",
                    name=name,
                    value=reprlib.repr(value),
                    range="from 0 to 100" if most == 100 else "from 0 to 1" if most == 1 else "of at least 0",
                )
        self._require_attainable()

    def limits(self) -> dict[str, float]:
        """The limits that are set, by name."""
        every = {field.name: getattr(self, field.name) for field in fields(self) if field.name in LIMITS}
        return {name: value for name, value in every.items() if value is not None}

    def left_out(self) -> tuple[str, ...]:
        """The limits of the default policy that this one does not set."""
        return tuple(name for name in Policy().limits() if name not in self.limits())

    def asking(self, **limits: float | None) -> Policy:
        """The policy combined with further limits; of two limits the stricter one."""
        asked = {name: value for name, value in limits.items() if value is not None}
        for name in self.given & asked.keys():
            stricter = max if name.startswith("min_") else min
            asked[name] = stricter(asked[name], getattr(self, name))
        return replace(self, **asked, given=self.given | asked.keys())  # type: ignore[arg-type]

    def for_sensitive_data(self) -> Policy:
        """The policy for data that were declared highly sensitive: the default limit of how sure somebody becomes is
        lower; a limit that was given stands."""
        # A policy that says nothing of it does not undo what was declared.
        lower = self.max_surest in (None, MOST_SURE) and "max_surest" not in self.given
        return replace(self, max_surest=MOST_SURE_IF_SENSITIVE) if lower else self

    def _require_attainable(self) -> None:
        """Refuse limits that no release can keep: one that reveals nothing is useless, and a raw copy protects
        nobody."""
        wanted = self.limits()
        useful = "min_usefulness" if wanted.get("min_usefulness", 0) > 0 else None
        silent = "min_protection" if wanted.get("min_protection") == 100 else None
        nothing = ("max_surest", "max_epsilon", "max_leakage_bits")
        silent = silent or next((name for name in nothing if wanted.get(name) == 0), None)
        if wanted.get("min_usefulness") == 100 and wanted.get("min_protection", 0) > 0:
            useful, silent = "min_usefulness", "min_protection"
        if useful and silent:
            raise OptionError(
                "{first!s} = {one:g} and {second!s} = {other:g} contradict each other: a release that protects fully "
                "reveals nothing, and one that reveals everything protects nobody; lower one of them.",
                first=silent,
                one=wanted[silent],
                second=useful,
                other=wanted[useful],
            )


LIMITS = tuple(field.name for field in fields(Policy) if field.name not in ("declared", "given"))


def read_policy(path: Path | str) -> Policy:
    """The policy in a TOML file; limits that it does not set do not apply.

    Raises:
        FileError: it cannot be read, sets something that is not a limit, or one whose meaning has changed.
    """
    place = Path(path)
    given = parsed_toml(place)
    if "schema" in given:
        require_schema(given, given["schema"] if given["schema"] in EARLIER_SCHEMAS else SCHEMA, place)
        del given["schema"]
    known = (*LIMITS, "declared")
    for name in given:
        if name in REPLACED:
            raise FileError(
                "{path} sets {name!r}, a limit of earlier scores; choose a limit again and set {new!r} instead.",
                path=place,
                name=name,
                new=REPLACED[name],
            )
        if name not in known:
            raise FileError(
                "{path} sets {name!r}, which is not a limit; {hint}",
                path=place,
                name=name,
                hint=did_you_mean(name, known),
            )
    if not given:
        raise FileError("{path} sets no limit; write lines such as min_protection = 60.", path=place)
    limits = {**dict.fromkeys(LIMITS), **given, "declared": _declarations(given.get("declared", []), place)}
    try:
        return Policy(**limits, given=frozenset(given))
    except OptionError as error:
        raise FileError("{path}: {fault}", path=place, fault=error) from None


def _declarations(given: object, place: Path) -> tuple[Declaration, ...]:
    names = [one.value for one in Declaration]
    for name in given if isinstance(given, list) else [given]:
        if name not in names:
            raise FileError(
                "{path}: declared holds {found!s}; give a list of {known!s}.",
                path=place,
                found=reprlib.repr(name),
                known=tuple(names),
            )
    return tuple(one for one in Declaration if isinstance(given, list) and one.value in given)
