"""The problem: a source, a distortion, a target, and who knows the background."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Real
from typing import TypeAlias

from leakgauge.distances import Distortion
from leakgauge.errors import OptionError, RefusalError
from leakgauge.notions import prior_skew
from leakgauge.probability import Distribution, Joint, Label, Scenario
from leakgauge.probability.labels import alphabet, text_of
from leakgauge.rounding import from_above, from_below
from leakgauge.sentences import Sentence

SHOWN = 5
"""Outputs that an error names at most."""


class Knowledge(Enum):
    """Who knows the background Z; this selects the quantity that is minimised.

    ``NOBODY``: I(X;Y). ``ATTACKER``: I(X;Y,Z) over channels that read X only. ``BOTH``: I(X;Y,Z) over channels that
    read X and Z. ``PUBLISHED``: the algorithm printed in the paper for ``ATTACKER``, which lets nature's p(z|x) vary
    and so solves ``NOBODY``; kept to reproduce its tables, its channel leaks more to someone who knows Z than it says.
    """

    NOBODY = "nobody"
    ATTACKER = "attacker"
    BOTH = "both"
    PUBLISHED = "published"


class Keep(Enum):
    """The statistics that the release keeps, so that its readers need not correct for the channel.

    ``NOTHING``: the paper's problem, whose optimum drops rare values. ``SHARES``: every value is released as often as
    it occurs, Σ_x p(x) q(y|x) = p(y). ``ASSOCIATIONS``: the same for each background, so that the pair released has the
    law of (X, Z); for channels that read both.
    """

    NOTHING = "nothing"
    SHARES = "shares"
    ASSOCIATIONS = "associations"


@dataclass(frozen=True)
class Slope:
    """The point of the curve where one unit of distortion is worth this many nats; 0 and infinity are its ends."""

    nats_per_unit: float

    def __post_init__(self) -> None:
        _check(self, "nats_per_unit", Sentence("slope"), finite=False)


@dataclass(frozen=True)
class MaxDistortion:
    """The least leakage with a mean distortion of at most ``distortion``."""

    distortion: float

    def __post_init__(self) -> None:
        _check(self, "distortion", Sentence("largest distortion"))


@dataclass(frozen=True)
class MaxLeakage:
    """The least distortion with at most ``bits`` of the leakage that the knowledge selects."""

    bits: float

    def __post_init__(self) -> None:
        _check(self, "bits", Sentence("largest leakage"))


Target: TypeAlias = Slope | MaxDistortion | MaxLeakage


@dataclass(frozen=True)
class RateDistortion:
    """The channel that leaks least among those useful enough.

    Args:
        source: p(x), or p(x, z) where the columns are the background.
        outputs: the letters that may be released; by default the distortion's, in general the inputs.
        local_dp: an ε in nats that the channel must keep as well; for ``BOTH`` given the background, of two secrets
            with the same one. None for none.
        identifiability: an ε in nats by which two posteriors may differ at most; None for none.
        weights: how much each secret matters, by label or in the inputs' order; what is made small is then I_w(X;Y) of
            ``measures``. None: every secret counts alike.
        secret: p(s, x) of a secret S that the source X tells on: then X is released so that I(S;Y), not I(X;Y), is
            small. Rows are its values, columns those of the source, or with a background that the attacker knows pairs
            (x, z). None: the source is the secret itself.
        keep: what the release keeps on the whole; then the outputs are the inputs.
        keep_at_least: with what probability a value is released unchanged at least, for all or by label.
        never_changed: values that are always released unchanged; no other value is released as one of them, so that
            ε is infinite.

    Raises:
        LabelError: labels repeat or the distortion cannot measure them.
        OptionError: knowledge of a background that is not there, bounds or weights that cannot be combined, or an
            identifiability where an input never occurs.
        ModelError: a weight is negative, NaN or infinite.
        RefusalError: an identifiability no channel reaches under this prior.

    Example:
        >>> from leakgauge.distances import Hamming
        >>> source = Distribution(["ill", "well"], [0.25, 0.75])
        >>> RateDistortion(source, Hamming(), MaxDistortion(0.1)).knowledge
        <Knowledge.NOBODY: 'nobody'>
    """

    source: Distribution | Joint
    distortion: Distortion
    target: Target
    knowledge: Knowledge = Knowledge.NOBODY
    outputs: Sequence[Label] | None = None
    local_dp: float | None = None
    identifiability: float | None = None
    weights: Mapping[Label, float] | Sequence[float] | None = None
    secret: Joint | None = None
    keep: Keep = Keep.NOTHING
    keep_at_least: Mapping[Label, float] | float = 0.0
    never_changed: Sequence[Label] = ()

    def __post_init__(self) -> None:
        chosen = self.distortion.outputs_for(self.inputs) if self.outputs is None else self.outputs
        object.__setattr__(self, "outputs", alphabet(chosen, "outputs"))
        if self.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH) and not isinstance(self.source, Joint):
            raise OptionError(
                "{who} cannot know a background that is not given; give p(x, z) as a joint.",
                who=Sentence("The attacker") if self.knowledge is Knowledge.ATTACKER else Sentence("Both"),
            )
        self._require_bounds()
        if self.weights is not None:
            object.__setattr__(self, "weights", self._checked(self.weights))
        self._require_secret()
        self._require_keepable()

    @property
    def inputs(self) -> tuple[Label, ...]:
        """The letters of the secret."""
        return self.source.rows if isinstance(self.source, Joint) else self.source.outcomes

    @property
    def letters(self) -> tuple[Label, ...]:
        """The letters that may be released."""
        assert self.outputs is not None
        return tuple(self.outputs)

    @property
    def prior(self) -> Distribution:
        """p(x)."""
        return self.source.row_marginal() if isinstance(self.source, Joint) else self.source

    def with_target(self, target: Target) -> RateDistortion:
        """The same problem with another target."""
        return replace(self, target=target)

    def _checked(self, weights: Mapping[Label, float] | Sequence[float]) -> tuple[float, ...]:
        """The weights in the inputs' order."""
        if self.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH):
            raise OptionError("Weights of secrets are not combined with a known background; drop one of them.")
        found = Scenario(self.prior, weights=weights).weights
        assert found is not None
        if found.ndim != 1 or not (found * self.prior.probabilities).any():
            raise OptionError(
                "These weights leave no secret that matters; give one weight per secret, at least one above 0."
            )
        return tuple(found.tolist())

    def _require_secret(self) -> None:
        if self.secret is None:
            return
        known = isinstance(self.source, Joint) and self.knowledge is Knowledge.ATTACKER
        if self.knowledge not in (Knowledge.NOBODY, Knowledge.ATTACKER):
            raise OptionError(
                "The channel of a column that reveals a secret must read only that column; use another knowledge."
            )
        wanted = {(x, z) for x in self.inputs for z in self.source.columns} if known else set(self.inputs)  # type: ignore[union-attr]
        if set(self.secret.columns) != wanted:
            raise OptionError(
                "The secret is not given for the values of the column; give p(s, x) with the same values."
            )
        if self.weights is not None or self.local_dp is not None or self.identifiability is not None:
            raise OptionError(
                "What a column reveals about a secret cannot be minimised together with weights or bounds on ratios; "
                "leave one of them out."
            )
        if len(self.inputs) < 2:
            raise OptionError("The column has a single value, which reveals nothing; release it unchanged.")
        if self.keep_at_least != 0.0 or self.never_changed:
            raise OptionError("Least diagonals and values that never change are for a secret itself; leave them out.")

    def _require_keepable(self) -> None:
        if self.keep is Keep.NOTHING:
            if self.keep_at_least != 0.0 or self.never_changed:
                raise OptionError("Least diagonals and values that never change go with keeping the shares; keep them.")
            return
        if self.keep is Keep.ASSOCIATIONS and self.knowledge is not Knowledge.BOTH:
            raise OptionError(
                "Only a channel that reads the background keeps associations, but knowledge is {knowledge!s}; give a "
                "background with knowledge both, or keep shares.",
                knowledge=self.knowledge.value,
            )
        if self.keep is Keep.SHARES and self.knowledge is Knowledge.BOTH:
            raise OptionError(
                "Shares are kept by a channel that reads only the secret, but knowledge is both; keep associations."
            )
        if self.weights is not None or self.identifiability is not None:
            raise OptionError(
                "Shares cannot be kept together with weights or a bound on identifiability; leave one of them out."
            )
        if self.local_dp is not None and (self.keep_at_least != 0.0 or self.never_changed):
            raise OptionError(
                "Least diagonals and values that never change cannot be combined with a local ε; leave one of them out."
            )
        inputs = set(self.inputs)
        self._require_own_letters(inputs)
        floors = self.keep_at_least
        for label in (*(floors if isinstance(floors, Mapping) else ()), *self.never_changed):
            if label not in inputs:
                raise OptionError(
                    "{label!r} is to be kept, but is not a value of the secret; name a value that is.", label=label
                )
        for least in floors.values() if isinstance(floors, Mapping) else (floors,):
            if not 0 <= least < 1:
                raise OptionError(
                    "A value cannot be kept with a probability of at least {least}; give a number from 0 up to, and "
                    "below, 1, or say that it never changes.",
                    least=least,
                )

    def _require_own_letters(self, inputs: set[Label]) -> None:
        """Refuse outputs that are not the inputs; outputs were written by somebody, inputs may be values of a table."""
        foreign = [letter for letter in self.letters if letter not in inputs]
        if foreign:
            raise OptionError(
                "A channel that keeps shares releases the values it reads, but it does not read {outputs!s}; leave "
                "such outputs out, or keep nothing.",
                outputs=", ".join(repr(text_of(letter)) for letter in foreign[:SHOWN]) + " …" * (len(foreign) > SHOWN),
            )
        lacking = len(inputs.difference(self.letters))
        if lacking:
            raise OptionError(
                "A channel that keeps shares releases the values it reads, but {lacking} of the {count} values are "
                "not among the outputs; give all of them, or keep nothing.",
                lacking=lacking,
                count=len(inputs),
            )

    def floor_of(self, label: Label) -> float:
        """The least probability with which a value is released unchanged."""
        floors = self.keep_at_least
        return float(floors.get(label, 0.0) if isinstance(floors, Mapping) else floors)

    def _require_bounds(self) -> None:
        for field, name in (("local_dp", Sentence("local ε")), ("identifiability", Sentence("identifiability"))):
            if getattr(self, field) is not None:
                _check(self, field, name)
        if self.identifiability is None:
            return
        if self.knowledge is Knowledge.BOTH:
            raise OptionError(
                "The identifiability of a channel that reads the background cannot be bounded; bound its local ε, "
                "which is then conditional on the background, or let only the attacker know it."
            )
        if self.local_dp is not None:
            raise OptionError("Local ε and identifiability cannot both be bounded; keep the one that matters more.")
        never = int((self.prior.probabilities == 0).sum())
        if never:
            # Which letters they are may be a fact about the rows, so only their number is said.
            raise OptionError(
                "{never} of the {count} inputs never occur, but a bound on identifiability compares the posteriors of "
                "all; leave those inputs out.",
                never=never,
                count=len(self.inputs),
            )
        skew = prior_skew(self.prior)
        if self.identifiability < skew:
            raise RefusalError(
                "An identifiability of {asked:.9g} nats is impossible: the prior alone gives Δ = {skew}; ask for at "
                "least that.",
                asked=from_below(self.identifiability),
                # With all its digits: a little above, the bound leaves room that is hard to search.
                skew=repr(skew),
            )


def below_nearest(asked: float, least: float) -> RefusalError:
    """The error for a distortion that even the nearest letters exceed."""
    return RefusalError(
        "A mean distortion of {asked:.9g} is impossible: the nearest letters already have {least:.9g}; ask for at "
        "least that.",
        asked=from_below(asked),
        least=from_above(least),
    )


def _check(asked: object, field: str, what: Sentence, finite: bool = True) -> None:
    """Keep a field as a float of at least 0, whatever kind of real number it was."""
    value = getattr(asked, field)
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if not number >= 0 or (finite and math.isinf(number)):
        raise OptionError(
            "The {what} cannot be {found}; give a {kind} of at least 0.",
            what=what,
            found=value,
            kind=Sentence("finite number") if finite else Sentence("number"),
        )
    object.__setattr__(asked, field, number)
