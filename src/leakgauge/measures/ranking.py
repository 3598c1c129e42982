"""Which mechanism protects better, which attack is stronger, and by how much (definitions 1–8 of the seed).

Reference: Peng et al. 2016, section 3.2; where its criteria disagree the sound one is used (``docs/errata.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError, OptionError
from leakgauge.measures import shannon
from leakgauge.probability import Scenario, Seen
from leakgauge.probability.cells import Floats, sums_by
from leakgauge.probability.labels import same_alphabet
from leakgauge.sentences import Sentence

SAME = 1e-12
"""Leakages this close, in bits, are a tie: rounding must not decide an order."""
_ROUNDING = 1e-12
"""Probabilities that differ by so much of themselves are the same."""


@dataclass(frozen=True)
class Ranking:
    """Names in order with what decides it.

    Attributes:
        order: groups of names, first the best mechanism or the strongest attack; names in one group tie.
        leakage: what each leaks, in bits: the number that decides.
    """

    order: tuple[tuple[str, ...], ...]
    leakage: Mapping[str, float]
    remaining: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of the rows and columns of ``distances``."""
        return tuple(self.leakage)

    @property
    def distances(self) -> Floats:
        """|leakage_i − leakage_j| in bits."""
        values = np.array(list(self.leakage.values()))
        return np.asarray(np.abs(values[:, None] - values[None, :]))

    def distance(self, one: str, other: str) -> float:
        """How far two of them are apart, in bits."""
        return abs(self.leakage[one] - self.leakage[other])


@checked
def rank(mechanisms: Mapping[str, Scenario]) -> Ranking:
    """Mechanisms for one secret, the most protective first.

    Without background by I(X;Y), with it by I(X;Y|Z) (definitions 2 and 5); weights and several sources are
    honoured. Every scenario must have the same secret and the same background.

    Raises:
        ModelError: the scenarios differ in secret, background or weights, so that no order is defined.
    """
    _require_same(mechanisms, ("source", "background", "weights"), Sentence("mechanisms"))
    if any(scenario.background is not None for scenario in mechanisms.values()):
        return _ranking(
            mechanisms, shannon.conditional_mutual_information, shannon.conditional_entropy_with_background, False
        )
    return _ranking(mechanisms, shannon.mutual_information, shannon.conditional_entropy, False)


@checked
def rank_attacks(attacks: Mapping[str, Scenario]) -> Ranking:
    """Attacks on one mechanism, the strongest first, by I(X;YZ), equivalently H(X|YZ).

    The seed's I(X;Y|Z) and I(X;Y) would not do: the first is 0 for an attacker who knows everything, the
    second does not depend on the attack. Every scenario must have the same secret, the same mechanism q(y|x) and the
    same weights.

    Raises:
        ModelError: the scenarios differ in secret, mechanism or weights, so that no order is defined.
    """
    _require_same(attacks, ("source", "weights"), Sentence("attacks"))
    first_name, first = next(iter(attacks.items()))
    for name, scenario in attacks.items():
        if not _same_mechanism(scenario, first):
            raise ModelError(
                "{name!r} and {first!r} attack different mechanisms; attacks are ranked against the same one.",
                name=name,
                first=first_name,
            )
    return _ranking(attacks, shannon.leakage_with_background, shannon.conditional_entropy_with_background, True)


@checked
def is_perfect(scenario: Scenario) -> bool:
    """Whether nothing leaks: every secret is released by the same law, given the background where there is one.

    That is I(X;Y) = 0 or I(X;Y|Z) = 0 (definitions 1 and 4), whatever the weights are: those of pairs may cancel, those
    of secrets may hide the one that leaks. Laws are the same where they differ by rounding, 10^-12 of a probability.
    """
    if scenario.channel is None and scenario.background is not None:
        return True
    secret, seen, probability = scenario.view(Seen.BOTH).cells.nonzero()
    assert scenario.channel is not None
    background = seen // len(scenario.channel.outputs)
    laws, law_of = np.unique(background * len(scenario.source) + secret, return_inverse=True)
    shares = probability / sums_by(law_of, probability, len(laws))[law_of]
    # Releases in order, those of one background and output side by side: one of each law, and all alike.
    order = np.argsort(seen, kind="stable")
    _, starts, counts = np.unique(seen[order], return_index=True, return_counts=True)
    due = np.bincount(laws // len(scenario.source))[background[order][starts]]
    least, most = (best.reduceat(shares[order], starts) for best in (np.minimum, np.maximum))
    return bool((counts == due).all() and (most - least <= _ROUNDING * most).all())


def _require_same(scenarios: Mapping[str, Scenario], parts: tuple[str, ...], what: Sentence) -> None:
    if not scenarios:
        raise OptionError("There are no {what} to rank; give at least one.", what=what)
    first_name, first = next(iter(scenarios.items()))
    for name, scenario in scenarios.items():
        same_alphabet(
            scenario.source.outcomes,
            first.source.outcomes,
            Sentence("secrets of {name!r}", name=name),
            Sentence("secrets of {name!r}", name=first_name),
        )
        for part in parts:
            if not _alike(getattr(scenario, part), getattr(first, part)):
                raise ModelError(
                    "{name!r} and {first!r} differ in their {part}; rank scenarios with the same {part}.",
                    name=name,
                    first=first_name,
                    part=Sentence(part),
                )


def _same_mechanism(one: Scenario, other: Scenario) -> bool:
    """Whether the release has the same law q(y|x) for every secret that occurs, up to rounding.

    A channel that depends on the background too may be written differently by attackers who know different things.
    """
    if one.channel is None or other.channel is None or one.channel is other.channel:
        return one.channel is other.channel
    if one.channel.outputs != other.channel.outputs:
        return False
    (x, y, p), (other_x, other_y, other_p) = (each.view(Seen.RELEASE).cells.nonzero() for each in (one, other))
    # The sources are alike, so that joint probabilities compare as conditional ones do.
    return (
        np.array_equal(x, other_x) and np.array_equal(y, other_y) and bool(np.allclose(p, other_p, rtol=1e-9, atol=0))
    )


def _alike(one: object, other: object) -> bool:
    """Equal up to rounding, because a marginal of a joint and a prior given apart may differ in the last bits."""
    numbers = [getattr(thing, "probabilities", getattr(thing, "matrix", thing)) for thing in (one, other)]
    if any(thing is None for thing in numbers):
        return one is None and other is None
    left, right = np.asarray(numbers[0]), np.asarray(numbers[1])
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-9, atol=1e-12))


def _ranking(
    scenarios: Mapping[str, Scenario],
    leak: Callable[[Scenario], float],
    remain: Callable[[Scenario], float],
    most_first: bool,
) -> Ranking:
    leakage = {name: leak(scenario) for name, scenario in scenarios.items()}
    groups: list[list[str]] = []
    for name in sorted(leakage, key=lambda key: -leakage[key] if most_first else leakage[key]):
        # Compared with the head of the group, so that a chain of near-ties cannot join what is apart.
        if groups and abs(leakage[name] - leakage[groups[-1][0]]) <= SAME:
            groups[-1].append(name)
        else:
            groups.append([name])
    return Ranking(tuple(map(tuple, groups)), leakage, {name: remain(one) for name, one in scenarios.items()})
