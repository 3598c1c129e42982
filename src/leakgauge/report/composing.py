"""A report put together from its sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from leakgauge.errors import FileError, LeakgaugeError
from leakgauge.languages import Language
from leakgauge.report.document import Document, Edition, Section, with_parts
from leakgauge.report.external import LIMIT, masked, require_masked
from leakgauge.report.facts import Facts
from leakgauge.report.sections import (
    assumptions,
    attacks,
    context,
    crosswalk,
    data,
    frontier,
    grade,
    guarantee,
    indicators,
    leakage,
    left_out,
    limitations,
    reproduction,
    residual,
    statement,
    tuning,
    usefulness,
)
from leakgauge.report.sections.telling import Teller
from leakgauge.report.shareable import shareable
from leakgauge.report.visible import on_one_line

SECTIONS: Final[tuple[Callable[[Facts, Language, Edition], Section | None], ...]] = (
    statement.section,
    left_out.section,
    limitations.section,
    assumptions.section,
    context.section,
    data.section,
    guarantee.section,
    leakage.section,
    attacks.section,
    usefulness.section,
    frontier.section,
    grade.section,
    indicators.section,
    tuning.section,
    residual.section,
    reproduction.section,
    crosswalk.section,
)
"""In the order of the report; a new one is a file and a line here."""


def compose(facts: Facts, language: Language, edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT) -> Document:
    """The report on a job in one language.

    Args:
        facts: what the job found.
        language: of the report.
        edition: for whom it is. The external one is made from what everybody may know, masked, and checked before it is
            handed out.
        limit: counts below it are masked in the external edition.

    Raises:
        FileError: an artefact lacks a number that it must have.
        OptionError: a limit below 1.
        InternalError: a small count, or a number that not everybody may know, is left in the external edition.
    """
    if edition is Edition.EXTERNAL:
        facts = shareable(facts)
    tell = Teller(facts, language, edition)
    title = (
        language.say("Privacy report: the release of {table}", table=tell.table)
        if tell.released
        else language.say("Privacy report: {table}, not released", table=tell.table)
    )
    document = Document(title, language, edition, tuple(_sections(facts, language, edition)))
    document = with_parts(document, on_one_line)
    if edition is Edition.INTERNAL:
        return document
    document = masked(document, limit)
    require_masked(document, facts, limit)
    return document


def _sections(facts: Facts, language: Language, edition: Edition) -> Iterator[Section]:
    for make in SECTIONS:
        try:
            made = make(facts, language, edition)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError) as error:
            if isinstance(error, LeakgaugeError):
                raise
            # Artefacts are files, and anybody may have edited them.
            raise FileError(
                "An artefact of the section {section} lacks fields or has others in their place; run the job again.",
                section=make.__module__.rpartition(".")[2].replace("_", "-"),
            ) from None
        if made is not None and made.blocks:
            yield made
