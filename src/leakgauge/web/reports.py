"""The report of a job, shown under a policy of its own: its one style block by its hash, pictures inside, no script."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from leakgauge.errors import OptionError, did_you_mean

EDITIONS: Final = ("internal", "external")


def policy() -> str:
    """The content-security policy of a report."""
    from leakgauge.report.html import style_hash

    return (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def report_html(folder: Path, edition: str, language: str) -> str:
    """The report of a job's folder as HTML.

    Args:
        folder: of the job.
        edition: ``internal`` or ``external``.
        language: ``en``, ``zh`` or ``both``.

    Raises:
        OptionError: another edition or language.
    """
    from leakgauge.report import Edition, Report
    from leakgauge.report.html import to_html

    if edition not in EDITIONS:
        raise OptionError(
            "There is no edition {edition!r}; {hint}", edition=edition, hint=did_you_mean(edition, EDITIONS)
        )
    return to_html(Report.of(folder).documents(language, Edition(edition)))
