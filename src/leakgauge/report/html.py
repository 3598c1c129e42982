"""A report as one HTML file: no script, no network, one style block; in one language or two side by side."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from leakgauge.errors import InternalError
from leakgauge.languages import Language, message
from leakgauge.report.document import Document, Question, printed, where_the_rest_is
from leakgauge.telling.blocks import Content, Edition, Inline, Number, blocks_of, written
from leakgauge.telling.figures.chart import Figure
from leakgauge.visible import END, START

if TYPE_CHECKING:
    from jinja2 import Template

_LANGUAGES: Final = {"en": "en", "zh": "zh-Hans"}
_LONGEST_WORD: Final = 24
_NAMESPACES: Final = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')
_IDS: Final = re.compile(r'(\bid="|url\(#|href="#)')


def to_html(documents: Sequence[Document]) -> str:
    """The text of an HTML file with one document, or with two of the same structure side by side.

    Raises:
        InternalError: no document, more than two, or two of different structure.
    """
    documents = [*map(printed, documents)]
    if not 1 <= len(documents) <= 2 or len({tuple(one.key for one in document.sections) for document in documents}) > 1:
        raise InternalError("A page takes one report, or two of the same sections.")

    def say(template: str) -> str:
        return " · ".join(document.language.say(template) for document in documents)

    return _template("report.html").render(
        documents=documents,
        annex=say(message("Annex")),
        running=" · ".join(one for one in (documents[0].reference, _plain(documents[0].title)) if one),
        stamp=" · ".join(dict.fromkeys(one.stamp for one in documents if one.stamp)),
        languages=_LANGUAGES,
        # It is our own file, and has to stay byte for byte what its hash is of.
        style=Markup(_style()),
        decision=list(zip(*(document.sections[:1] for document in documents), strict=True)),
        questions=[_question(group) for group in zip(*(document.annex for document in documents), strict=True)],
        edition=_edition,
        contents=say(message("Contents of the annex")),
        rest=" ".join(filter(None, map(where_the_rest_is, documents))),
        **block_words(reported=True),
    )


def fragment(contents: Iterable[Content], language: Language) -> str:
    """Blocks as HTML, for a page or a notebook of others, without what only the data of a report have."""
    blocks = [one for one in blocks_of(contents) if one.printed]
    return _template("fragment.html").render(blocks=blocks, language=language, **block_words())


def block_words(*, reported: bool = False) -> dict[str, object]:
    """What the template of a block needs besides the block and its language.

    In a report numbers name their sources, and pictures are drawn again for narrow screens.
    """
    return {
        "reported": reported,
        "kind": lambda block: type(block).__name__,
        "numbers": _numbers,
        "drawing": _drawing(),
        # Smaller, the words of a picture, or of a table of the annex, could not be read on a narrow screen.
        "wide": lambda language: language.say("Scroll sideways to see all of it."),
        # Whether a cell has a word, such as a digest, that must be broken to fit.
        "is_long": lambda parts: any(
            len(word) > _LONGEST_WORD for one in parts if isinstance(one, str) for word in one.split()
        ),
        "isolated": _isolated,
        "unmarked": _plain,
        "is_to_write_on": lambda row: not any(row),
    }


def _question(group: Sequence[Question]) -> dict[str, object]:
    """A question in each language, and its sections beside each other."""
    sections = list(zip(*(one.sections for one in group), strict=True))
    titles = dict.fromkeys(one.title for one in group if one.title)
    return {"key": group[0].key, "title": " · ".join(titles), "sections": sections}


def style_hash() -> str:
    """The hash of the one style block, as a content-security policy names it: ``sha256-…`` in base 64."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()


@cache
def _style() -> str:
    return files(__package__).joinpath("templates", "report.css").read_text(encoding="utf-8")


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("leakgauge.report", "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.get_template(name)


def _edition(document: Document) -> str:
    if document.edition is Edition.EXTERNAL:
        return document.language.say("External edition: may be shown to anyone")
    return document.language.say("Internal edition: keep it private")


def _isolated(text: str) -> Markup:
    """The text with each name that runs from the right in an element of its own."""
    # What is marked has been escaped before.
    return Markup(str(escape(text)).replace(START, "<bdi>").replace(END, "</bdi>"))


def _plain(text: str) -> str:
    """The text without the signs around names that run from the right."""
    return text.replace(START, "").replace(END, "")


def _numbers(parts: Inline, language: Language) -> Iterator[tuple[str, str]]:
    """Texts with the source of each that is a number; no source where it is none."""
    for part in parts:
        yield (written(part, language), part.source or "value") if isinstance(part, Number) else (part, "")


def _drawing() -> Any:
    """What draws a figure so that no two in one page share an id."""
    count = itertools.count(1)

    def draw(spec: Mapping[str, Any], told: str) -> Markup:
        figure = Figure(spec, told)
        drawn = _IDS.sub(rf"\g<1>p{next(count)}-", _NAMESPACES.sub("", figure.to_svg()).replace("xlink:href", "href"))
        # Drawn here from a chart's data, in which every text is escaped.
        return Markup(drawn)

    return draw
