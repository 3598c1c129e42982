"""The results of a job for the page, from the files it left: its grade, its pictures and its report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from leakgauge.artefacts import StoredAssessment
from leakgauge.artefacts.codec import encode
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import Language
from leakgauge.web.job import Job
from leakgauge.web.questions import UnknownError

EDITIONS: Final = ("internal", "external")


def grade_fields(graded: StoredAssessment, language: Language) -> dict[str, object]:
    """The fields of ``assessment.json``, told in the language, and ``names``: each node's name by its key."""
    told = encode(graded, language.retell)
    for leaf in told["leaves"]:
        leaf["unit"] = language.retell(leaf["unit"])
    chinese = language.code == "zh"
    return {**told, "names": {key: (chinese and one.chinese) or one.name for key, one in graded.nodes.items()}}


def picture(name: str, job: Job, language: Language) -> str:
    """A picture of a job as SVG; ``UnknownError`` where there is none, or the job left nothing to draw it from."""
    from leakgauge.assessment import default_diagram, read_diagram
    from leakgauge.report.facts import ARTEFACTS
    from leakgauge.report.sections.pictures import figure_of
    from leakgauge.report.sections.teller import Teller

    own = job.path("diagram.toml")
    files = {file: fields for file in ARTEFACTS if (fields := job.read(file))}
    diagram = default_diagram() if own is None else read_diagram(own)
    figure = figure_of(Teller(files, diagram, language), name)
    if figure is None:
        raise UnknownError("This job has no such picture; look at the others.")
    return figure.to_svg()


def report_policy() -> str:
    """The content-security policy of a report."""
    from leakgauge.report.html import style_hash

    return (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def report_html(folder: Path, edition: str, language: str) -> str:
    """The report of a job's folder as HTML; ``OptionError`` where there is no such edition or language."""
    from leakgauge.report import Edition, Report
    from leakgauge.report.html import to_html

    if edition not in EDITIONS:
        raise OptionError(
            "There is no edition {edition!r}; {hint}", edition=edition, hint=did_you_mean(edition, EDITIONS)
        )
    return to_html(Report.of(folder).documents(language, Edition(edition)))
