"""``python -m bench [NAME …]``: run the benchmarks and print a line each."""

from __future__ import annotations

import sys

from bench import (
    assessment,
    audit,
    cluster,
    coarsening,
    counting,
    design,
    joints,
    keeping,
    ledger,
    mechanisms,
    metric_privacy,
    notions,
    protect,
    release,
    scale,
    starting,
    survey,
    tracking,
    vulnerability,
)

ALL = {
    "starting": starting.run,
    "joints": joints.run,
    "notions": notions.run,
    "vulnerability": vulnerability.run,
    "counting": counting.run,
    "mechanisms": mechanisms.run,
    "design": design.run,
    "keeping": keeping.run,
    "metric-privacy": metric_privacy.run,
    "audit": audit.run,
    "assessment": assessment.run,
    "ledger": ledger.run,
    "release": release.run,
    "survey": survey.run,
    "coarsening": coarsening.run,
    "protect": protect.run,
    "tracking": tracking.run,
    "scale": scale.run,
    "cluster": cluster.run,
}


def main() -> None:
    chosen = sys.argv[1:] or list(ALL)
    for name in chosen:
        print(f"\n== {name}")
        ALL[name]()


main()
