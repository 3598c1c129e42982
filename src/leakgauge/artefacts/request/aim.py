"""What is asked of each source: how much noise, by which mechanism, and what a wrong value costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, get_args

from leakgauge.artefacts.quantity import Origin, Part
from leakgauge.artefacts.request.part import ON_PAGE, Asked, Names, Option, RequestPart, hints
from leakgauge.artefacts.request.roles import Roles
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.sentences import Sentence

HAMMING: Final = "hamming"
_BY_NAME: Final = {HAMMING, "absolute"}
"""Distortions that go with an error to bear: the default, which gives way, and its own."""
PerSecret: TypeAlias = float | dict[str, float] | None
"""A number for every secret, or one for each by its name."""


class MaxDistortion(Part, frozen=True, tag_field="kind", tag="max_distortion"):
    """The least leaking channel with at most this mean distortion."""

    distortion: Annotated[float, Origin.DECLARED]


class MaxLeakage(Part, frozen=True, tag_field="kind", tag="max_leakage"):
    """The least distorting channel that reveals at most these bits to the attacker with the background."""

    bits: Annotated[float, Origin.DECLARED]


class Within(Part, frozen=True, tag_field="kind", tag="within"):
    """The least leaking channel with at most this mean absolute error, in the secret's own unit, of dates in days."""

    error: Annotated[float, Origin.DECLARED]


Target: TypeAlias = MaxDistortion | MaxLeakage | Within


class Aim(Part, frozen=True):
    """What is asked of one source, a secret or several taken together.

    Attributes:
        columns: of the source.
        target: how much noise it gets; None where a local ε, a mechanism or a search decides.
        local_dp: an ε in nats to keep as well; alone: the most useful channel that keeps it.
        mechanism: mechanisms to choose from instead of designing a channel; the best one that meets the target.
        distortion: what a wrong value costs: hamming, absolute, squared, great-circle or a file.
        lower: the publicly known least value of a numeric secret that is searched for, and ``upper`` the greatest.
    """

    columns: Annotated[tuple[str, ...], Origin.DECLARED]
    target: Target | None = None
    local_dp: Annotated[float | None, Origin.DECLARED] = None
    mechanism: tuple[str, ...] = ()
    distortion: str = HAMMING
    lower: float | None = None
    upper: float | None = None

    @property
    def max_distortion(self) -> float | None:
        """The largest mean distortion, where that is the target."""
        return self.target.distortion if isinstance(self.target, MaxDistortion) else None

    @property
    def within(self) -> float | None:
        """The mean absolute error to bear, where that is the target."""
        return self.target.error if isinstance(self.target, Within) else None

    @property
    def max_leakage(self) -> float | None:
        """The most bits, where they are the target."""
        return self.target.bits if isinstance(self.target, MaxLeakage) else None

    @property
    def is_limited(self) -> bool:
        """Whether a number says how much noise it gets."""
        return self.target is not None or self.local_dp is not None

    @property
    def is_searched(self) -> bool:
        """Whether neither a number nor a mechanism says how it is released."""
        return not self.is_limited and not self.mechanism


class Aiming(RequestPart, frozen=True):
    """Aims as people give them: an option for all secrets, or for one by its name, such as ``illness=0.2``.

    Attributes:
        within: the largest mean absolute error allowed, in the secret's own unit, for dates in days: gives the least
            leaking channel whose released numbers, or centres of released bins, are that close; ``bins`` are then auto.
        mechanism: mechanisms to choose from instead of designing a channel; the best one that meets the target. One for
            a single secret of several starts with its name, such as ``illness=randomized-response:epsilon=1``.
    """

    max_distortion: Annotated[
        Asked[PerSecret],
        Option("The least leakage with at most this mean distortion; for one secret, C=0.2.", "[COLUMN=]D"),
    ] = None
    max_leakage: Annotated[
        Asked[PerSecret], Option("The least distortion with at most these bits.", "[COLUMN=]BITS")
    ] = None
    local_dp: Annotated[
        Asked[PerSecret], Option("Keep this local ε, in nats; alone, or with another target.", "[COLUMN=]EPS")
    ] = None
    within: Annotated[Asked[PerSecret], Option("The mean absolute error that readers can bear.", "[COLUMN=]NUMBER")] = (
        None
    )
    mechanism: Annotated[
        tuple[str, ...], Names.SPELLED, Option("Take the best of these instead of designing a channel.", "M")
    ] = ()
    distortion: Annotated[
        tuple[str, ...],
        Names.SPELLED,
        ON_PAGE,
        Option(
            "How errors are counted: hamming, absolute, squared, great-circle, or a CSV file.",
            "[COLUMN=]NAME|FILE",
            default=HAMMING,
        ),
    ] = (HAMMING,)
    lower: Annotated[
        float | None, Option("With --min-protection: the least possible value of a numeric secret.", "NUMBER")
    ] = None
    upper: Annotated[float | None, Option("The greatest possible value.", "NUMBER")] = None

    @classmethod
    def of(cls, aims: Sequence[Aim]) -> Aiming:
        """How aims would be given: one option where it is the same for all, else one for each."""
        return cls(
            max_distortion=_number({a.columns: a.max_distortion for a in aims}),
            max_leakage=_number({a.columns: a.max_leakage for a in aims}),
            local_dp=_number({a.columns: a.local_dp for a in aims}),
            within=_number({a.columns: a.within for a in aims}),
            mechanism=_texts({a.columns: a.mechanism for a in aims}),
            # An error to bear has its own distortion.
            distortion=_texts(
                {a.columns: () if a.within is not None or a.distortion == HAMMING else (a.distortion,) for a in aims}
            )
            or (HAMMING,),
            lower=aims[0].lower,
            upper=aims[0].upper,
        )

    def aims(self, roles: Roles) -> tuple[Aim, ...]:
        """What is asked of each source.

        Raises:
            OptionError: a number out of its range, two targets for one source, or one for a column without an aim.
        """
        for name in numbers_asked():
            _require_numbers(name, getattr(self, name), roles)
        if self.within is not None and roles.together:
            raise OptionError("--within is for one column, but the secrets are taken together; leave --together out.")
        return tuple(self._aim(group, roles) for group in roles.groups)

    def _aim(self, group: tuple[str, ...], roles: Roles) -> Aim:
        targets = [
            kind(limit)
            for kind, limits in (
                (MaxDistortion, self.max_distortion),
                (MaxLeakage, self.max_leakage),
                (Within, self.within),
            )
            if (limit := _limit(limits, group)) is not None
        ]
        within = _limit(self.within, group)
        if len(targets) > 1 and within is not None:
            raise OptionError(
                "Two targets are given for {column!s}, --within and another; give one, for several secrets each as "
                "COLUMN=NUMBER.",
                column=group[0],
            )
        if len(targets) > 1:
            raise OptionError("Two targets are given; give one of --max-distortion and --max-leakage.")
        mechanism, distortion = (_about(texts, group, roles) for texts in (self.mechanism, self.distortion))
        if within is not None and mechanism:
            raise OptionError(
                "--within designs a channel for {column!s}, which has a --mechanism; leave one of them out.",
                column=group[0],
            )
        if within is not None and not _BY_NAME.issuperset(distortion):
            raise OptionError(
                "--within is a mean absolute error, but {column!s} has a --distortion; leave one of them out.",
                column=group[0],
            )
        if len(distortion) > 1:
            raise OptionError(
                "--distortion is given more than once for {column!s}; give it once.", column=", ".join(group)
            )
        return Aim(
            group,
            next(iter(targets), None),
            _limit(self.local_dp, group),
            mechanism,
            next(iter(distortion), HAMMING) if within is None else "absolute",
            self.lower,
            self.upper,
        )


@cache
def numbers_asked() -> tuple[str, ...]:
    """The options that take a number for every secret, or one for each."""
    return tuple(name for name, hint in hints(Aiming).items() if get_args(hint)[0] == PerSecret)


def per_secret(name: str, given: Any) -> Any:
    """A number for every secret, or one for each, from texts: ``0.2``, or ``C=0.2``, where a name may hold ``=``.

    What is no list of texts stays as it is.
    """
    texts = (given,) if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not all(isinstance(one, str) for one in texts):
        return given
    pairs = [text.rpartition("=") for text in texts]
    named = {column: _parsed(name, value) for column, equals, value in pairs if equals}
    bare = [_parsed(name, value) for _, equals, value in pairs if not equals]
    if len(bare) + bool(named) > 1 or len(bare) + len(named) < len(texts):
        raise OptionError(
            "--{name!s} is given {count} times; give one number for every secret, or one for each as COLUMN=NUMBER.",
            name=name.replace("_", "-"),
            count=len(texts),
        )
    return named or (bare[0] if bare else None)


def _parsed(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(
            "--{name!s} {text!r} is not a number; give one, or COLUMN=NUMBER.", name=name.replace("_", "-"), text=text
        ) from None


def _require_numbers(name: str, limits: PerSecret, roles: Roles) -> None:
    option = name.replace("_", "-")
    for column in limits if isinstance(limits, dict) else ():
        if roles.together:
            raise OptionError(
                "--{name!s} is given for {column!r}, but the secrets are taken together; give one number.",
                name=option,
                column=column,
            )
        if column not in roles.released_secrets:
            raise OptionError(
                "--{name!s} is given for {column!r}, which is not a secret with a channel of its own; {hint}",
                name=option,
                column=column,
                hint=did_you_mean(column, roles.released_secrets),
            )
    least = math.ulp(0.0) if name in ("local_dp", "within") else 0.0
    for value in limits.values() if isinstance(limits, dict) else () if limits is None else (limits,):
        if not least <= value < math.inf:
            raise OptionError(
                "--{name!s} {value} is not a finite number {range}; give one.",
                name=option,
                value=value,
                range=Sentence("of at least 0") if least == 0 else Sentence("above 0"),
            )


def _limit(limits: PerSecret, group: tuple[str, ...]) -> float | None:
    return limits.get(group[0]) if isinstance(limits, dict) else limits


def _about(texts: tuple[str, ...], group: tuple[str, ...], roles: Roles) -> tuple[str, ...]:
    """The texts about a group: first those that name no secret, then its own without the name."""
    if len(group) > 1:
        return texts
    secrets = sorted(roles.secret, key=len, reverse=True)
    found = [(text, next((name for name in secrets if text.startswith(f"{name}=")), None)) for text in texts]
    return tuple(
        text if column is None else text.removeprefix(f"{column}=")
        for text, column in found
        if column in (None, *group)
    )


def _number(each: Mapping[tuple[str, ...], float | None]) -> PerSecret:
    """One number where it is that of all, else one for each."""
    values = [*each.values()]
    if all(one == values[0] for one in values):
        return values[0]
    return {columns[0]: one for columns, one in each.items() if one is not None}


def _texts(each: Mapping[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    """The same of texts."""
    values = [*each.values()]
    if all(one == values[0] for one in values):
        return values[0]
    return tuple(f"{columns[0]}={text}" for columns, texts in each.items() for text in texts)
