"""``leakgauge verify``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leakgauge.cli.language import retell, say
from leakgauge.cli.output import deliver, output_options
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.release import Verification


_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("record", type=_FILE)
@click.option("--released", type=_FILE, metavar="FILE", help="The release, if it does not lie beside its record.")
@click.option("--ledger", "address", metavar="PATH|ADDRESS", help="Check the spend there too.")
@click.option("--signed-by", type=_FILE, metavar="PUBKEY", help="Check the signature too, with this Ed25519 key.")
@click.option("--sign", type=_FILE, metavar="KEY", help="Sign the record with this private key if everything holds.")
@output_options
def command(
    record: Path,
    released: Path | None,
    address: str | None,
    signed_by: Path | None,
    sign: Path | None,
    as_json: bool,
    output: Path | None,
) -> None:
    """Check a release against its record: digests, rows, values, claims computed again, and the spend in the ledger.

    \b
    leakgauge verify out.parquet.json --ledger people.ledger
    leakgauge verify out.parquet.json --signed-by office.pub

    Exit 0 when everything holds, 1 when something does not. Without a signature this shows integrity, not authenticity.
    """
    from leakgauge.artefacts import PublicRecord
    from leakgauge.release import verify
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.signatures import (
        private_key,
        record_bytes,
        require_no_signature,
        sign_record,
        signature_place,
    )

    if sign is not None and signed_by is not None:
        raise OptionError("Both --sign and --signed-by are given; sign first, then check with the public key.")
    given = [file for file in (record, signature_place(record), released, signed_by, sign) if file is not None]
    require_writable(output, *given)
    key = None
    if sign is not None:
        require_no_signature(record)
        key = private_key(sign)
    with ExitStack() as opened:
        ledger = None if address is None else opened.enter_context(open_ledger(address))
        # What is signed is what was read before the checks: a record that is changed meanwhile stays unsigned.
        content = record_bytes(record) if key is not None else b""
        found = verify(record, released=released, ledger=ledger, signed_by=signed_by)
    if key is not None and _is_simulation(found):
        raise OptionError("{record!s} is of a simulation, which is not a release; sign one that is.", record=record)
    shareable = isinstance(found.record, PublicRecord)
    signature = sign_record(record, content, key, shareable=shareable) if key is not None and found.holds else None
    deliver(found.stored(), as_json, output, lambda: render(found, record, signature))
    found.require()


def _is_simulation(found: Verification) -> bool:
    return found.record is not None and not found.record.private


def render(found: Verification, record: Path, signature: Path | None = None) -> list[RenderableType]:
    """The verification as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(*say("check||why").split("|"), title=record.name, title_justify="left")
    for one in found.checks:
        grid.add_row(retell(one.name), outcome(one.holds), retell(one.reason))
    parts: list[RenderableType] = [grid]
    if _is_simulation(found):
        parts.append(Text(say("SIMULATION, NOT PRIVATE: the noise follows from a seed."), "bold red"))
    if signature is not None:
        parts.append(Text(say("Signature: {signature!s}", signature=signature)))
    elif found.holds:
        parts.append(Text(retell(found.shows)))
    return parts


def outcome(holds: bool | None) -> str:
    """What came of a check, in a word or two."""
    return {True: say("holds"), False: say("FAILS"), None: say("not looked at")}[holds]
