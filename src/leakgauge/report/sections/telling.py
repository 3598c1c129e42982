"""What public columns tell of the secrets, and how little they could tell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.teller import NOTHING, Cell, Teller, own

_FILE = "telling.json"


def telling(tell: Teller) -> Iterator[Content]:
    """Every public column with every secret; everybody may know what was asked alone."""
    for column, file in zip_longest(tell.telling_less, tell.public_designs):
        yield tell.say(
            message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets and keeps its shares."
            )
            if tell.get(_FILE, "keep") == "shares"
            else message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets."
            ),
            column=own(column),
            share=tell.number("job.json", "asked", "public_distortion", column, percent=True),
        )
        yield from () if file is None or tell.external else _designed(tell, file)
    if tell.external or not tell.has(_FILE, "columns"):
        return
    yield from tell.grid(
        "What each public column reveals",
        "Public column|Secret|Reveals unchanged|Would reveal with values changed|How",
        (_row(tell, at) for at in range(len(tell.items(_FILE, "columns")))),
    )
    yield tell.note(
        "“Reveals unchanged” is I(S;X), the bits of the secret in the column alone. “Would reveal” is I(S;Y) of the "
        "channel that reveals least about this secret while no more values are changed: no other channel reveals "
        "less. For a column released this way, it is what its own channel reveals, which is designed for all secrets, "
        "given everything else that is seen."
    )


def _designed(tell: Teller, file: str) -> Iterator[Content]:
    yield tell.say(
        "It reveals {after} about the secrets instead of {before}; {share} of its values are changed on average.",
        after=tell.number(file, "leakage"),
        before=tell.number(file, "told_unprotected"),
        share=tell.number(file, "distortion", "value", percent=True),
    )


def _row(tell: Teller, at: int) -> Iterator[Cell]:
    place, say = (_FILE, "columns", at), tell.language.say
    column = str(tell.get(*place, "column"))
    yield from (own(column), tell.listed(tell.names(*place, "secret")))
    yield tell.cell(*place, "tells") if tell.has(*place, "tells") else NOTHING
    if not tell.has(*place, "least"):
        yield from (NOTHING, tell.told(tell.get(*place, "left_out")))
        return
    yield tell.number(*place, "least", "value", unit="bits")
    through = tell.get(*place, "through")
    yield say("released so") if through else own(f"--public {column}={tell.get(*place, 'distortion'):g}")
