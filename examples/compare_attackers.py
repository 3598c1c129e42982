"""Who learns how much from one release: a stranger, a colleague, a neighbour?

Run it with ``python examples/compare_attackers.py``.
"""

from __future__ import annotations

import leakgauge as lg
from leakgauge.jobs.samples import adult_rows


def main() -> None:
    """Print what each attacker learns, the strongest first."""
    counts = lg.open_table(adult_rows()).counts("marital_status", "occupation")
    statuses = counts.labels("marital_status")
    keep = 0.6
    noisy = lg.Channel(statuses, statuses, [[keep if x == y else (1 - keep) / 6 for y in statuses] for x in statuses])
    source = counts.distribution("marital_status")
    attackers = {
        "a stranger": lg.Scenario(source, noisy),
        "a colleague, who knows the occupation": lg.Scenario(counts.joint(), noisy),
        "a neighbour, who knows who is married": lg.Scenario(
            source,
            noisy,
            background=lg.Channel(
                statuses, ["married", "not"], [[float("Married" in x), float("Married" not in x)] for x in statuses]
            ),
        ),
    }
    ranking = lg.measures.rank_attacks(attackers)
    print(f"Marital status holds {lg.measures.entropy(source):.3f} bits.")
    for group in ranking.order:
        for name in group:
            print(f"{name} learns {ranking.leakage[name]:.3f} bits; {ranking.remaining[name]:.3f} stay hidden")


if __name__ == "__main__":
    main()
