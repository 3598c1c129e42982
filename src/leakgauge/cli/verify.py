"""``leakgauge verify``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from leakgauge.cli import options
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, deliver
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError


@click.command()
@click.argument("record", type=FILE)
@click.option(
    "--released",
    type=options.ADDRESS,
    metavar="TABLE",
    help="The release, if it is not beside its record, or is a table in PostgreSQL.",
)
@click.option(
    "--ledger", "address", type=options.ADDRESS, metavar="PATH|ADDRESS", help="Also check the entry in this ledger."
)
@click.option("--signed-by", type=FILE, metavar="PUBKEY", help="Also check the signature, with this Ed25519 key.")
@click.option("--sign", type=FILE, metavar="KEY", help="Sign the record with this private key if everything holds.")
@options.output
def command(
    record: Path, released: str | None, address: str | None, signed_by: Path | None, sign: Path | None, to: Output
) -> None:
    """Check a release against its record: digests, rows, values, claims computed again, and the spend in the ledger.

    \b
    leakgauge verify out.parquet.json --ledger people.ledger
    leakgauge verify out.parquet.json --signed-by office.pub

    Exit 0 when everything holds, 1 when something does not. Without a signature this shows integrity, not authenticity.
    """
    from leakgauge.artefacts import PublicRecord
    from leakgauge.release import signatures, verify
    from leakgauge.release.ledger import open_ledger
    from leakgauge.tables.opening import source_files
    from leakgauge.telling import releasing as telling

    if sign is not None and signed_by is not None:
        raise OptionError("Both --sign and --signed-by are given; sign first, then check with the public key.")
    files = [] if released is None else source_files(released)
    require_writable(to.file, record, signatures.signature_place(record), *files, signed_by, sign)
    key = None
    if sign is not None:
        signatures.require_no_signature(record)
        key = signatures.private_key(sign)
    with nullcontext() if address is None else open_ledger(address) as ledger:
        verification = verify(record, released=released, ledger=ledger, signed_by=signed_by)
    if key is not None and telling.is_simulation(verification):
        raise OptionError("{record!s} is the record of a simulation; sign the record of a release.", record=record)
    signature = None
    if key is not None and verification.holds:
        shareable = isinstance(verification.record, PublicRecord)
        # The bytes that were checked: a record that took their place meanwhile stays unsigned.
        signature = signatures.sign_record(record, verification.content, key, shareable=shareable)
    deliver(verification.stored(), to, lambda voice: telling.verification(voice, verification, record.name, signature))
    verification.require()
