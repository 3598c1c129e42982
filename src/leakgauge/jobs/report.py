"""Reports on the folder of a job, in the editions, languages and formats asked for."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

from leakgauge.drafts import write_bytes_whole, write_whole
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import CODES, language_of
from leakgauge.report.composing import compose
from leakgauge.report.document import Document, Edition
from leakgauge.report.external import LIMIT
from leakgauge.report.facts import Facts
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.twin import report_json

BOTH = "both"
LANGUAGES = (*CODES, BOTH)
NAMES = {Edition.INTERNAL: "report", Edition.EXTERNAL: "report-external"}


class Format(Enum):
    """How a report is written."""

    HTML = "html"
    MARKDOWN = "md"
    PDF = "pdf"


def documents(facts: Facts, language: str, edition: Edition, limit: int = LIMIT) -> list[Document]:
    """The report in one language, or in both.

    Raises:
        OptionError: another language.
    """
    if language not in LANGUAGES:
        raise OptionError(
            "There is no language {code!r}; {hint}", code=language, hint=did_you_mean(language, LANGUAGES)
        )
    codes = tuple(CODES) if language == BOTH else (language,)
    return [compose(facts, language_of(code), edition, limit=limit) for code in codes]


def write_report(
    facts: Facts, place: Path, language: str, edition: Edition, form: Format = Format.HTML, limit: int = LIMIT
) -> None:
    """One report in one file.

    Raises:
        OptionError: another language, or a PDF without the extra for it.
        InternalError: a small count is left in the external edition; nothing was written.
    """
    made = documents(facts, language, edition, limit)
    if form is Format.PDF:
        from leakgauge.report.pdf import to_pdf

        write_bytes_whole(place, to_pdf(made))
    elif form is Format.MARKDOWN:
        write_whole(place, "\n\n---\n\n".join(to_markdown(one) for one in made))
    else:
        write_whole(place, to_html(made))


def write_reports(folder: Path, language: str = "en") -> tuple[str, ...]:
    """Both editions as HTML, and the internal one as data; their names."""
    facts = Facts.read(folder)
    for edition, name in NAMES.items():
        write_report(facts, folder / f"{name}.html", language, edition)
    twin = report_json(documents(facts, language, Edition.INTERNAL))
    write_whole(folder / "report.json", json.dumps(twin, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    return (*(f"{name}.html" for name in NAMES.values()), "report.json")
