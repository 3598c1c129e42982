"""What releases together cost a person whose values never changed: those that keep one noise count once.

An account is charged in full, because some person's values may change every time. Both sums hold given when they
changed: kept noise shows that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from leakgauge.artefacts import Quantity
from leakgauge.release.ledger.cost import NOTHING, UP, Total
from leakgauge.release.ledger.entry import Bits, Entry


def cost_unchanged(spends: Iterable[Entry]) -> Total:
    """Σ ε and Σ ρ of these spends for such a person, rounded up."""
    total, most = NOTHING, dict[str, Total]()
    for entry in spends:
        rest = entry.cost
        for one in () if entry.kept is None else entry.kept.costs:
            rest = Total(_without(rest.epsilon, one.cost.epsilon), _without(rest.rho, one.cost.rho))
            before = most.get(one.draw, NOTHING)
            # Fewer rows may have been declared of a person at one time than at another: the most count.
            most[one.draw] = Total(max(before.epsilon, one.cost.epsilon), max(before.rho, one.cost.rho))
        total = total.plus(Total(rest.epsilon, rest.rho))
    for cost in most.values():
        total = total.plus(cost)
    return total


def bits_unchanged(spends: Iterable[Entry]) -> Mapping[str, Quantity]:
    """By column the most that these spends reveal in bits about a value of such a person; only where noise is kept."""
    told, kept = dict[str, dict[str, Bits]](), set[str]()
    for entry in spends:
        draws = {name: one.draw for one in (() if entry.kept is None else entry.kept.costs) for name in one.reads}
        kept |= draws.keys() & entry.told.keys()
        for name, bits in entry.told.items():
            if bits is None:
                continue
            by_draw = told.setdefault(name, {})
            draw = draws.get(name, entry.reference)
            # Tables differ from release to release: the most is never too little.
            before = by_draw.get(draw, bits)
            by_draw[draw] = Bits(max(before.told, bits.told), max(before.entropy, bits.entropy))
    return {
        name: Quantity(
            min(sum(one.told for one in by_draw.values()), max(one.entropy for one in by_draw.values())), "bits"
        )
        for name, by_draw in told.items()
        if name in kept
    }


def _without(whole: Decimal, part: Decimal) -> Decimal:
    """What is left of an amount, which stays infinite without an infinite part: nobody knows what the rest is."""
    return max(UP.subtract(whole, part), Decimal(0)) if whole.is_finite() else whole
