"""All instruments, and which of them a report has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from leakgauge.artefacts.clauses import Instrument
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.telling.clauses.american import HIPAA, NIST_800_188, NIST_800_226
from leakgauge.telling.clauses.chinese import GBT_35273, GBT_37964, GBT_42460, PIPL
from leakgauge.telling.clauses.european import EHDS, GDPR, WP29
from leakgauge.telling.clauses.international import ISO_27559

INSTRUMENTS: Final = (
    GDPR,
    WP29,
    ISO_27559,
    NIST_800_188,
    NIST_800_226,
    HIPAA,
    PIPL,
    GBT_35273,
    GBT_37964,
    GBT_42460,
    EHDS,
)
"""In the order of a report; a new one is an entry in the file of its jurisdiction and a line here."""
ALL: Final = "all"
_BY_LANGUAGE: Final = {"en": ("gdpr", "wp29"), "zh": ("pipl", "gbt-35273", "gbt-37964", "gbt-42460")}
"""What officers who read a language are likely to be asked for."""


def by_default(languages: Iterable[str]) -> tuple[str, ...]:
    """The keys of the instruments of a report in these languages where nobody chose."""
    return tuple(key for code in languages for key in _BY_LANGUAGE[code])


def chosen(names: Iterable[str], own: Iterable[Instrument] = ()) -> tuple[str, ...]:
    """The keys of the instruments by their names, by those of their jurisdictions, or ``all``.

    Raises:
        OptionError: a name that is neither.
    """
    every = (*INSTRUMENTS, *own)
    known = dict.fromkeys([*(one.key for one in every), *(one.jurisdiction for one in INSTRUMENTS), ALL])
    found: dict[str, None] = {}
    for name in names:
        if name not in known:
            raise OptionError(
                "--clauses {found!r} names no instrument and no jurisdiction that is known here; {hint}",
                found=name,
                hint=did_you_mean(name, known),
            )
        found |= dict.fromkeys(one.key for one in every if name in (ALL, one.key, one.jurisdiction))
    return tuple(found)
