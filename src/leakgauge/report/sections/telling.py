"""What public columns tell of the secrets, and how little they could tell."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.telling import TellingColumn
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.columns import asked_of, less_telling_columns
from leakgauge.report.sections.teller import NOTHING, Cell, Teller, own


def telling(tell: Teller) -> Iterator[Content]:
    """Every public column with every secret; everybody may know what was asked alone."""
    found, asked = tell.dossier.telling, asked_of(tell)
    for column in less_telling_columns(tell):
        yield tell.say(
            message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets and keeps its shares."
            )
            if found is not None and found.keep == "shares"
            else message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets."
            ),
            column=own(column),
            share=tell.number(asked, "public_distortion", column, percent=True),
        )
        design = tell.dossier.public.get(column)
        if design is not None:
            yield tell.say(
                "It reveals {after} about the secrets instead of {before}; {share} of its values are changed on "
                "average.",
                after=tell.number(design, "leakage"),
                before=tell.number(design, "told_unprotected"),
                share=tell.number(design.distortion, "value", percent=True),
            )
    if tell.external or found is None:
        return
    yield from tell.grid(
        "What each public column reveals",
        "Public column|Secret|Reveals unchanged|Would reveal with values changed|How",
        (_row(tell, one) for one in found.columns),
    )
    yield tell.note(
        "“Reveals unchanged” is I(S;X), the bits of the secret in the column alone. “Would reveal” is I(S;Y) of the "
        "channel that reveals least about this secret while no more values are changed: no other channel reveals "
        "less. For a column released this way, it is what its own channel reveals, which is designed for all secrets, "
        "given everything else that is seen."
    )


def _row(tell: Teller, one: TellingColumn) -> Iterator[Cell]:
    yield from (own(one.column), tell.listed(one.secret), tell.cell(one, "tells"))
    if one.least is None:
        yield from (NOTHING, NOTHING if one.left_out is None else tell.told(one.left_out))
        return
    yield tell.number(one.least, "value", unit="bits")
    yield tell.language.say("released so") if one.through else own(f"--public {one.column}={one.distortion:g}")
