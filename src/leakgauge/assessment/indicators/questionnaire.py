"""Indicators that people are asked about, and their answers from 1 to 5."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path

from leakgauge.arguments import checked
from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.assessment.indicators.indicator import Context, Family, Indicator
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.drafts import draft
from leakgauge.errors import FileError, OptionError, did_you_mean
from leakgauge.sentences import Sentence

ANSWERS = "answers 1 to 5"
"""The unit of what people are asked."""
LANGUAGES = ("en", "zh")
HEADER = ("respondent", "leaf", "answer")
_SHOWN = ("question", "answers")
"""Columns of the template that are there to be read."""

SENSITIVITY = Indicator("data-sensitivity", 19, "sensitivity of the data", ANSWERS)
_INDICATORS = (
    Indicator("ease-of-use", 14, "ease of use", ANSWERS),
    Indicator("acceptance", 15, "acceptance", ANSWERS),
    SENSITIVITY,
)
ASKED = tuple(one.leaf for one in _INDICATORS)


def answered(leaf: str, answers: tuple[int, ...] | None) -> Evidence:
    """Evidence of a leaf from how many people gave each of five answers; missing where nobody did."""
    if answers is None or not sum(answers):
        return missing(leaf, Sentence("Nobody has answered; distribute the questionnaire."))
    source = Sentence("The answers of {people:d} people.", people=sum(answers))
    return Evidence(leaf, Standing.ASKED, source, unit=ANSWERS, answers=answers)


def declared_sensitivity(answer: int) -> Evidence:
    """How sensitive the data are, from 1 for not at all to 5 for very, as somebody declares who answers for them."""
    if isinstance(answer, bool) or answer not in range(1, 6):
        raise OptionError("A sensitivity of {found!r} is not a whole number from 1 to 5; give one.", found=answer)
    scale = Scale(1.0, 5.0, reason=Sentence("not sensitive at all, and very sensitive"))
    return Evidence(
        SENSITIVITY.leaf, Standing.DECLARED, Sentence("Declared, not asked."), float(answer), ANSWERS, scale
    )


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """How many people gave each of the five answers, whatever is released."""
    return tuple(answered(leaf, context.answers.get(leaf)) for leaf in ASKED)


FAMILY = Family(_INDICATORS, measured)


@dataclass(frozen=True)
class Questionnaire:
    """For each leaf how many people gave each of the answers 1 to 5, and how many people answered anything."""

    answers: Mapping[str, tuple[int, ...]]
    respondents: int


@checked
def read_questionnaire(path: Path | str, leaves: Sequence[str] = ASKED) -> Questionnaire:
    """The answers in a CSV file with the columns respondent, leaf and answer; an empty answer counts as none.

    Raises:
        FileError: a file that cannot be read, other columns, a leaf that is not asked about, an answer that is not a
            whole number from 1 to 5, or a second answer of one respondent; the line is named, the respondent is not.
    """
    place = Path(path)
    counts = {leaf: [0] * 5 for leaf in leaves}
    seen: set[tuple[str, str]] = set()
    for line, respondent, leaf, answer in _rows(place):
        if leaf not in counts:
            raise _not_asked(place, line, leaves)
        if not answer:
            continue
        if answer not in ("1", "2", "3", "4", "5"):
            raise FileError(
                "{path}, line {line}: the answer is not a whole number from 1 to 5; leave it empty or correct it.",
                path=place,
                line=line,
            )
        if not respondent:
            raise FileError(
                "{path}, line {line}: the answer has no respondent; number the respondents.", path=place, line=line
            )
        # "Alice" and "alice" are one person: nobody counts twice for the way a name is written.
        person = " ".join(respondent.casefold().split())
        if (person, leaf) in seen:
            raise FileError(
                "{path}, line {line}: a respondent answers leaf {leaf} a second time; keep one answer.",
                path=place,
                line=line,
                leaf=leaf,
            )
        seen.add((person, leaf))
        counts[leaf][int(answer) - 1] += 1
    answered = {leaf: tuple(found) for leaf, found in counts.items() if sum(found)}
    return Questionnaire(answered, len({person for person, _ in seen}))


def _not_asked(place: Path, line: int, leaves: Sequence[str]) -> FileError:
    """That a questionnaire is of another diagram, where its leaves show it; else that a line has none."""
    others = {leaf for _, _, leaf, _ in _rows(place) if leaf not in leaves}
    # A shifted line may hold a name here, so that nothing but short numbers is shown of what was found.
    if not leaves:
        return FileError("{path}: this diagram has no questions; leave the questionnaire out.", path=place)
    if all(leaf.isascii() and leaf.isdigit() and len(leaf) < 3 for leaf in others):
        return FileError(
            "{path} is the questionnaire of another diagram: it answers {found!s}, but this diagram asks about "
            "{leaves!s}; use its own questionnaire.",
            path=place,
            found=tuple(sorted(others, key=int)),
            leaves=tuple(leaves),
        )
    return FileError(
        "{path}, line {line}: the leaf is not one that people are asked about; write one of {leaves!s}.",
        path=place,
        line=line,
        leaves=", ".join(leaves),
    )


def write_template(path: Path | str, language: str = "en", respondents: int = 5) -> None:
    """Write a questionnaire to fill in: a line for each respondent and question, the answer left empty."""
    if language not in LANGUAGES:
        raise OptionError(
            "There is no questionnaire in {language!r}; {hint}",
            language=language,
            hint=did_you_mean(language, LANGUAGES),
        )
    if respondents < 1:
        raise OptionError("A questionnaire for {count} people is empty; give 1 or more.", count=respondents)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*HEADER, *_SHOWN))
    for respondent in range(1, respondents + 1):
        writer.writerows((respondent, leaf, "", question, key) for leaf, question, key in questions(language))
    with draft(Path(path), shareable=True) as made:
        # Spreadsheets tell by the mark that the file is UTF-8.
        made.write("\ufeff" + text.getvalue())
        made.keep()


def questions(language: str) -> tuple[tuple[str, str, str], ...]:
    """Leaf, question and the meaning of the answers, in a language."""
    table = files("leakgauge.assessment").joinpath("tables", f"questionnaire_{language}.csv")
    rows = csv.DictReader(StringIO(table.read_text(encoding="utf-8")))
    return tuple((row["leaf"], row["question"], row["answers"]) for row in rows)


def _rows(place: Path) -> Iterator[tuple[int, str, str, str]]:
    """Line number, respondent, leaf and answer of each line that is not empty."""
    try:
        text = place.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError("{path} cannot be read: {reason}.", path=place, reason=error.strerror) from None
    except UnicodeDecodeError:
        raise FileError("{path} cannot be read: it is not UTF-8.", path=place) from None
    # Strict: a quote that is never closed would swallow the answers of all lines after it.
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        lacking = [name for name in HEADER if header.count(name) != 1]
        if lacking or not set(header) <= {*HEADER, *_SHOWN}:
            raise FileError(
                "{path}, line 1: the columns are {found}; write respondent,leaf,answer.",
                path=place,
                found=", ".join(map(repr, header)) if header else "missing",
            )
        at = [header.index(name) for name in HEADER]
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise FileError(
                    "{path}, line {line}: it has {found} cells, but the header has {wanted}; correct the line.",
                    path=place,
                    line=reader.line_num,
                    found=len(cells),
                    wanted=len(header),
                )
            respondent, leaf, answer = (cells[column].strip() for column in at)
            yield reader.line_num, respondent, leaf, answer
    except csv.Error:
        raise FileError(
            "{path}, line {line}: it is not CSV: a quote is not closed, or a cell is far too long; correct it.",
            path=place,
            line=max(reader.line_num, 1),
        ) from None
