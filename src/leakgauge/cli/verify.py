"""``leakgauge verify``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli.output import deliver, output_options
from leakgauge.cli.speaking import retell, say
from leakgauge.drafts import require_writable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.release import Verification


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--released", type=click.Path(path_type=Path), metavar="FILE", help="The release, if it was moved.")
@click.option("--ledger", "address", metavar="PATH|ADDRESS", help="Check the spend there too.")
@output_options
def command(record: Path, released: Path | None, address: str | None, as_json: bool, output: Path | None) -> None:
    """Check a release against its record: digests, rows, claims computed again, and the spend in the ledger.

    \b
    leakgauge verify out.parquet.json --ledger people.ledger

    Exit 0 when everything holds, 1 when something does not.
    """
    from leakgauge.release import verify
    from leakgauge.release.ledger import open_ledger

    require_writable(output, record, *([released] if released else []))
    with ExitStack() as opened:
        ledger = None if address is None else opened.enter_context(open_ledger(address))
        found = verify(record, released=released, ledger=ledger)
    deliver(as_fields(found), as_json, output, lambda: render(found, record))
    found.require()


def as_fields(found: Verification) -> dict[str, Any]:
    """The verification as the fields of its JSON."""
    return {
        "schema": "leakgauge/verification/1",
        "holds": found.holds,
        "private": found.fields.get("private"),
        "rows": found.fields.get("rows"),
        "digest": found.fields.get("digest"),
        "checks": [{"name": one.name, "holds": one.holds, "reason": one.reason} for one in found.checks],
    }


def render(found: Verification, record: Path) -> list[RenderableType]:
    """The verification as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(*say("check||why").split("|"), title=record.name, title_justify="left")
    for one in found.checks:
        grid.add_row(retell(one.name), outcome(one.holds), retell(one.reason))
    parts: list[RenderableType] = [grid]
    if found.fields.get("private") is False:
        parts.append(Text(say("SIMULATION, NOT PRIVATE: the noise follows from a seed."), "bold red"))
    return parts


def outcome(holds: bool | None) -> str:
    """What came of a check, in a word or two."""
    return {True: say("holds"), False: say("FAILS"), None: say("not looked at")}[holds]
