"""What ``leakgauge protect`` says about secrets that public columns reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Column, Table

from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Parts
from leakgauge.rounding import interval

if TYPE_CHECKING:
    from leakgauge.artefacts import Design
    from leakgauge.artefacts.telling import Telling, TellingColumn

SHOWN = 12
"""Columns on the screen; the file has them all."""


def what_public_columns_tell(found: Telling) -> Parts:
    """What each public column reveals about each secret, now and with some values changed, most revealing first."""
    secrets = dict.fromkeys(listed(one.secret) for one in found.columns)
    several = len(secrets) > 1
    title = (
        say("What public columns reveal")
        if several
        else say("What the public columns reveal about {secret!s}, in bits", secret=next(iter(secrets)))
    )
    shown = Table(
        Column(say("public column"), overflow="fold"),
        *([Column(say("secret"), overflow="fold")] if several else []),
        Column(say("reveals, in bits"), justify="right"),
        Column(say("with some values changed"), justify="right"),
        Column(say("option"), overflow="fold"),
        title=title,
        title_justify="left",
    )
    for one in found.columns[:SHOWN]:
        shown.add_row(one.column, *([listed(one.secret)] if several else []), *_told(one))
    parts: Parts = [shown]
    if len(found.columns) > SHOWN:
        parts.append(say("{count} more are in telling.json.", count=len(found.columns) - SHOWN))
    return parts


def _told(one: TellingColumn) -> tuple[str, str, str]:
    bits = "–" if one.tells is None else f"{one.tells.value:.3g} {interval(*one.tells.ends)}"
    if one.least is None:
        return bits, "–", "" if one.left_out is None else retell(one.left_out)
    least = say("{bits:.3g} at {share:.3g}%", bits=one.least.value, share=100 * one.distortion)
    return bits, least, say("released this way") if one.through else f"--public {one.column}={one.distortion:g}"


def told_less(column: str, found: Design) -> str:
    """How much less a public column reveals through its channel."""
    before = 0.0 if found.told_unprotected is None else found.told_unprotected.value
    return say(
        "· {column!s} is changed in {share:.3g}% of the rows, and reveals {after:.3g} bits about the secrets instead "
        "of {before:.3g}.",
        column=column,
        share=100 * found.distortion.value,
        after=found.leakage.value,
        before=before,
    )
