"""How the table is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict, cast

import msgspec

from leakgauge.artefacts.request.part import ON_PAGE, Option, Options, RequestPart


class Reading(RequestPart, frozen=True):
    """How the table is read, as ``open_table`` takes it.

    Attributes:
        missing: texts that count as missing.
        encoding: of a text file, such as windows-1252; UTF-8 without.
        thousands: the sign between thousands in texts, such as ``,``, and ``decimal`` that before decimals.
        date_format: how dates are written in texts, such as ``dd/mm/yyyy``; for one column ``born=dd/mm/yyyy``.
        no_header: the first line is a row; columns are called column1, column2, ….
    """

    missing: Annotated[tuple[str, ...], ON_PAGE, Option("Text that counts as missing, such as '?'.", "TEXT")] = ()
    encoding: Annotated[
        str | None, Option("Encoding of a text file, such as windows-1252; default: UTF-8.", "NAME")
    ] = None
    thousands: Annotated[str | None, Option("Thousands separator in texts, such as ','.", "SIGN")] = None
    decimal: Annotated[str, Option("Decimal mark in texts; default: a point.", "SIGN", default="")] = "."
    date_format: Annotated[
        tuple[str, ...], Option("How dates are written in texts, such as dd/mm/yyyy.", "[COLUMN=]FORMAT")
    ] = ()
    no_header: Annotated[bool, Option("The first line is a row, not the names of columns.")] = False

    def keywords(self) -> Options:
        """The same as keyword arguments of ``open_table``."""
        return msgspec.structs.asdict(self)


class ReadingOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    missing: str | Sequence[str]
    encoding: str | None
    thousands: str | None
    decimal: str
    date_format: str | Sequence[str]
    no_header: bool


def reading_of(options: Mapping[str, Any]) -> ReadingOptions:
    """Those of some options that say how the table is read."""
    return cast("ReadingOptions", {name: options[name] for name in Reading.__struct_fields__ if name in options})
