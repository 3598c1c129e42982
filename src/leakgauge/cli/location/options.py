"""Options of every location verb: which columns, which areas, and a report with a map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.cli.language import current
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts.dossier import Dossier

FORMS: Final = (".html", ".md")


class MapReport(RequestPart, frozen=True):
    """A report beside the answer."""

    report: Annotated[Path | None, Option("Write a report with the map too, .html or .md.", "FILE")] = None


def require_report(path: Path | None, *read: Path | None) -> None:
    """Refuse a report that cannot be written, before anything is computed."""
    if path is not None and path.suffix.lower() not in FORMS:
        raise OptionError("{path} is not a name for a report; end it in .html or .md.", path=path)
    require_writable(path, *read)


def write_report(path: Path | None, dossier: Dossier) -> None:
    """Write the report on a result in the current language, where it is asked for."""
    if path is None:
        return
    from leakgauge.report.html import to_html
    from leakgauge.report.markdown import to_markdown
    from leakgauge.report.places import document_on

    document = document_on(dossier, current())
    write_whole(path, to_html([document]) if path.suffix.lower() == ".html" else to_markdown(document))
