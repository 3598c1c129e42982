"""What the files of a job show: its verdict, pictures and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from leakgauge.artefacts import Judgement, codec
from leakgauge.assessment import default_diagram, read_diagram
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import Language
from leakgauge.report import Edition, Report
from leakgauge.report.document import Document
from leakgauge.report.html import style_hash, to_html
from leakgauge.report.pdf import to_pdf
from leakgauge.report.reading import DIAGRAM
from leakgauge.telling.pictures import figure_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from leakgauge.web.job import Job, telling
from leakgauge.web.job_folder import shown_of
from leakgauge.web.questions import UnknownError, is_asked_by_the_page


def verdict_fields(found: Judgement, language: Language) -> dict[str, object]:
    """The fields of a verdict told in the language, its names and units too.

    Of an action they are what is said of it, its ``outcome``, and as ``asked`` what the page can ask, None where that
    is not the same.
    """
    tell = telling(language)
    told: dict[str, Any] = codec.encode(found, tell)
    told["actions"] = [
        {
            "said": tell(one.said),
            "outcome": tell(one.outcome(found)),
            "recommendation": one.recommendation.value,
            "options": one.options,
            "declares": one.asked is None,
            "asked": shown_of(codec.encode(one.asked)) if one.request and is_asked_by_the_page(one.request) else None,
        }
        for one in found.actions
    ]
    for beside in told["beside"].values():
        explained = beside["criteria"]
        for criterion in filter(None, (*explained["criteria"], explained["needed"], explained["audit"])):
            for one in (criterion, *criterion["leaves"]):
                one["name"] = (language.code == "zh" and one["chinese"]) or one["name"]
            for leaf in criterion["leaves"]:
                leaf["unit"] = language.retell(leaf["unit"])
    return told


def picture(name: str, job: Job, place: int | None, language: Language) -> str:
    """A picture of a job and one secret as SVG; ``UnknownError`` where there is nothing to draw it from."""
    own, found = job.path(DIAGRAM), Shown(job.dossier(place))
    diagram = default_diagram() if own is None else read_diagram(own)
    figure = figure_of(Voice(found, language, group=found.dossier.secrets[0].secret, diagram=diagram), name)
    if figure is None:
        raise UnknownError("This job has no such picture; look at the others.")
    return figure.to_svg()


def report_policy() -> str:
    """The content-security policy of a report."""
    return (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def report_html(folder: Path, edition: str, language: str) -> str:
    """The report of a job's folder as HTML; ``OptionError`` where there is no such edition or language."""
    return to_html(_documents(folder, edition, language))


def report_pdf(folder: Path, edition: str, language: str) -> bytes:
    """The same as PDF; ``OptionError`` also where nothing that writes one is installed."""
    return to_pdf(_documents(folder, edition, language))


def _documents(folder: Path, edition: str, language: str) -> Sequence[Document]:
    known = [one.value for one in Edition]
    if edition not in known:
        raise OptionError("There is no edition {edition!r}; {hint}", edition=edition, hint=did_you_mean(edition, known))
    return Report.of(folder).documents(language, Edition(edition))


def all_files(job: Job) -> BinaryIO:
    """The files of a job that can be taken away, with the recipient's kit, packed into a nameless temporary file."""
    packed = TemporaryFile()  # noqa: SIM115 - it is closed by who sends it
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name in (*job.files(), *job.kit()):
            archive.write(job.folder / name, f"{job.key}/{name}")
    packed.seek(0)
    return packed
