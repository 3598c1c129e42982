"""What a survey shows, and the files of a job: its verdict, pictures and report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile

from leakgauge.artefacts import codec
from leakgauge.artefacts.report import Grid
from leakgauge.artefacts.scores import SCORES
from leakgauge.artefacts.survey import Suggested, Survey, SurveyedColumn
from leakgauge.artefacts.verdict import Judgement
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import Language
from leakgauge.report import Edition, Report
from leakgauge.report.html import style_hash
from leakgauge.report.reading import diagram_in
from leakgauge.report.report import FORMS
from leakgauge.telling.alternatives import alternatives
from leakgauge.telling.blocks import Content, Inline, blocks_of, text_of, whole
from leakgauge.telling.criteria import criteria
from leakgauge.telling.figures.scores import is_known
from leakgauge.telling.headline import every_secret, headline
from leakgauge.telling.pictures import figure_of, pictures
from leakgauge.telling.risks import risks, unchecked
from leakgauge.telling.scores import deciding, judged_by, score_rows, secret_in, worth
from leakgauge.telling.shown import Shown
from leakgauge.telling.statement import cautions, decision, stamp
from leakgauge.telling.survey import columns, combinations, identifying
from leakgauge.telling.verdict import THEN, changes, limit_in_words, meant, notes, policy
from leakgauge.telling.voice import Voice, inline_of
from leakgauge.web.job import Job
from leakgauge.web.questions import UnknownError, is_asked_by_the_page, shown_of
from leakgauge.web.rendering import facts, html, laid_out

_PICTURES: Final = (
    *("frontier", "decomposition", "channel", "shares", "levels", "attacks", "people", "waterfall", "scores"),
    *("criteria", "influence", "guarantee", "repeats", "telling", "tuning"),
)
"""Those that the page offers, in its order."""
_TOGETHER: Final = 4
"""Combinations that are shown; the command line has them all."""
_COUNTS: Final = slice(2, 5)
"""The cells of a column that stand in one line."""
_NAMES, _TELLS, _ROLE = 5, 6, 7


def voice_of(job: Job, language: Language) -> Voice:
    """A voice for what a job left."""
    own = job.path("diagram.toml")
    found = Shown(job.dossier())
    return Voice(found, language) if own is None else Voice(found, language, diagram=diagram_in(job.folder))


def result_fields(job: Job, language: Language) -> dict[str, object]:
    """What a job found, as HTML: on the whole, and of each secret; and the settings that its verdict proposes."""
    voice = voice_of(job, language)
    found, lead = judged_by(voice), deciding(voice)
    return {
        "recommendation": None if found is None else found.recommendation.value,
        "promised": "" if found is None or voice.released else language.say(THEN[found.recommendation]),
        "decision": html((*stamp(voice), *decision(voice), *cautions(voice)), language),
        "headline": facts(headline(voice), language),
        "every": "" if found is None else html(_whole(voice, found), language),
        "policy": "" if found is None else html((*policy(voice, found), *meant(voice, found)), language),
        "actions": [] if found is None else [*_actions(voice, found)],
        "deciding": voice.each.index(lead) if lead in voice.each else 0,
        "secrets": [_secret_fields(one, found) for one in voice.each],
    }


def _whole(voice: Voice, found: Judgement) -> Iterator[Content]:
    yield from (*risks(voice, found), *every_secret(voice), *worth(voice, found, found.deciding))
    yield from (*alternatives(voice, found), *unchecked(voice, found))


def _actions(voice: Voice, found: Judgement) -> Iterator[dict[str, object]]:
    """Each proposed setting in words, and as ``asked`` what the page can ask; None where that is not the same."""
    rows = [row for block in changes(voice, found) if isinstance(block, Grid) for row in block.rows]
    for one, row in zip(found.actions, rows, strict=True):
        yield {
            "told": laid_out("action.html", voice.language, row=row, changes=one.asked is not None),
            "options": one.options,
            "declares": one.asked is None,
            "asked": shown_of(codec.encode(one.asked)) if one.request and is_asked_by_the_page(one.request) else None,
        }


def _secret_fields(voice: Voice, found: Judgement | None) -> dict[str, object]:
    """The scores of a secret and what explains them, and which pictures there are."""
    drawn = [(name, one) for name in _PICTURES for one in pictures(voice, name)]
    return {
        "name": str(voice.listed(voice.group)),
        "scores": "" if found is None else _scores(voice, found),
        "notes": "" if found is None else html(notes(voice, found, secret_in(voice, found)), voice.language),
        "criteria": html(whole(criteria(voice)), voice.language),
        "pictures": [{"name": name, "caption": one.caption, "told": one.told} for name, one in drawn],
    }


def _scores(voice: Voice, found: Judgement) -> str:
    """The scores of a secret with a gauge for each, and what is noted of them."""
    secret = secret_in(voice, found)
    limits = {line.name.partition("_")[2]: line for line in found.policy}
    scores = []
    for key, cells in zip(SCORES, score_rows(voice, found, secret), strict=True):
        name, value, meaning = map(inline_of, cells)
        quantity, line = getattr(found.scores[secret], key), limits.get(key)
        low, high = quantity.ends
        mark = () if line is None else limit_in_words(voice, line)
        kept = line is not None and (high <= line.limit if key == "surest" else low >= line.limit)
        scores.append(
            {
                "key": key,
                "name": name,
                "found": value,
                "meaning": meaning,
                "mark": mark,
                "kept": kept,
                "limit": None if line is None else line.limit,
                "known": is_known(quantity),
                "value": quantity.value,
                "low": low,
                "high": high,
                "words": voice.language.say(
                    "{name}: {value}",
                    name=text_of(name, voice.language),
                    value=text_of((*value, voice.language.say("; "), *mark) if mark else value, voice.language),
                ),
            }
        )
    return laid_out("scores.html", voice.language, scores=scores)


def picture(name: str, job: Job, place: int | None, language: Language) -> str:
    """A picture of a job and one secret as SVG; ``UnknownError`` where there is nothing to draw it from."""
    voice = voice_of(job, language)
    one = deciding(voice) if place is None else voice.each[min(place, len(voice.each) - 1)]
    figure = figure_of(one, name)
    if figure is None:
        raise UnknownError("This job has no such picture; look at the others.")
    return figure.to_svg()


def report_policy() -> str:
    """The content-security policy of a report."""
    return (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def report_in(form: str, folder: Path, edition: str, language: str) -> str | bytes:
    """The report of a job's folder as ``html`` or ``pdf``.

    Raises:
        OptionError: there is no such edition or language, or nothing that writes a PDF is installed.
    """
    known = [one.value for one in Edition]
    if edition not in known:
        raise OptionError("There is no edition {edition!r}; {hint}", edition=edition, hint=did_you_mean(edition, known))
    return FORMS[form](Report.of(folder).documents(language, Edition(edition)))


def all_files(job: Job) -> BinaryIO:
    """The files of a job that can be taken away, with the recipient's kit, packed into a nameless temporary file."""
    packed = TemporaryFile()  # noqa: SIM115 - it is closed by who sends it
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name in (*job.files(), *job.kit()):
            archive.write(job.folder / name, f"{job.key}/{name}")
    packed.seek(0)
    return packed


def survey_fields(found: Survey, language: Language) -> dict[str, object]:
    """The survey for the page."""
    voice = Voice(language=language)
    grid, *rest = blocks_of(columns(voice, found))
    assert isinstance(grid, Grid)
    rows = zip(found.columns, grid.rows, strict=True)
    warned = identifying(voice, [one for one in found.columns if one.identifier is not None or one.free_text])
    return {
        "secrets": found.secrets,
        "columns": {one.name: _column_fields(voice, found, one, grid.head, row) for one, row in rows},
        "told": html((*warned, *rest, *combinations(voice, found.combinations[:_TOGETHER])), language),
    }


def _column_fields(
    voice: Voice, found: Survey, column: SurveyedColumn, head: tuple[str, ...], row: tuple[Inline, ...]
) -> dict[str, object]:
    naming = column.identifier is not None or column.free_text
    counts = (
        voice.language.say("{name}: {value}", name=name, value=text_of(cell, voice.language))
        for name, cell in zip(head[_COUNTS], row[_COUNTS], strict=True)
    )
    shown = [_NAMES] if naming else []
    shown += [_TELLS] if column.tells else []
    # What reveals little is not known before there is a secret.
    shown += [_ROLE] if not naming and (found.secrets or column.suggested is not Suggested.PUBLIC) else []
    lines = [voice.say("{name}: {value}", name=head[at], value=row[at]) for at in shown]
    return {
        "counts": " · ".join(counts),
        "told": laid_out("column.html", voice.language, lines=lines, warned=naming),
        "naming": naming,
        "suggested": column.suggested.value,
    }
