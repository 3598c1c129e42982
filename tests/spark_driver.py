"""A process that counts and releases on a cluster, line by line as it is told: one process has one application."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from leakgauge.errors import LeakgaugeError
from leakgauge.release import ReleasePlan, release
from leakgauge.release.execution import Stage
from leakgauge.release.ledger import open_ledger
from leakgauge.tables import open_table


def main(address: str, plan: ReleasePlan, ledger_file: str) -> None:
    with open_table(address) as table, open_ledger(ledger_file) as ledger:
        _say(counts=table.counts("illness").array().tolist(), rows=table.rows)
        for line in sys.stdin:
            try:
                made = release(
                    plan,
                    table,
                    Path(line.strip()),
                    ledger=ledger,
                    dataset="people",
                    on_workers=True,
                    progress=lambda stage, rows: _say(spent=True) if stage is Stage.SPENT else None,
                )
                _say(rows=made.rows)
            except LeakgaugeError as error:
                _say(failed=str(error))


def _say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    columns = {"illness": sys.argv[3]}
    main(sys.argv[1], ReleasePlan(columns, public=["number"]), sys.argv[2])
