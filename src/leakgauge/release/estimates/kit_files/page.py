"""The page of a kit, for people who know no Python: only what this kit has is explained."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from leakgauge.artefacts.estimates import Estimated, Kit, Method
from leakgauge.languages import CODES, language_of
from leakgauge.release.estimates.kit_files.dictionary import Entry, channel_sheet, own_words, shown, use_of
from leakgauge.release.estimates.kit_files.released import About
from leakgauge.sentences import Sentence

PAGE: Final = "README.md"
_TEMPLATE: Final = Path(__file__).parent / PAGE
_FIELDS: Final = ("keeps_shares", "channel", "noise", "unreadable", "since")
_FLAG: Final = re.compile(r"<\?(\w+)>")
_PART: Final = re.compile(r"<\?(\w+)>([^<]*)<\?end>")
_MARK: Final = re.compile(r"<((?:counted|corrected|mean) \w+|columns \w+|\w+)>")


def page(kit: Kit, found: Sequence[Entry], about: About, worked: Sequence[Estimated], *, workbook: bool) -> str:
    """The page, with a worked line for each way to read a column, from these estimates."""
    marks = {"release": shown(kit.release), **_examples(kit), **_worked({one.name: one for one in found}, worked)}
    marks |= {name: own_words(said) for name, said in about.words.items()}
    channels = [one.channel for one in kit.protected if one.channel is not None]
    marks["channels"] = ", ".join(f"`{channel_sheet(one)}`" for one in channels)
    for code in CODES:
        told = (f"- {language_of(code).retell(one)}" for one in _sentences(kit, found))
        marks[f"columns {code}"] = "\n".join(told)
    flags = {field for one in kit.protected for field in _FIELDS if getattr(one, field) not in (None, False)}
    flags |= {"formula"} if flags - {"unreadable"} else set()
    flags |= {"csv" if kit.release.lower().endswith(".csv") else "parquet"} | ({"workbook"} if workbook else set())
    flags |= {name.split(" ", maxsplit=1)[0] for name, text in marks.items() if text}
    return "".join(f"{line}\n" for line in _lines(_TEMPLATE.read_text(encoding="utf-8"), flags, marks))


def _lines(template: str, flags: set[str], marks: Mapping[str, str]) -> Iterator[str]:
    """The lines that this kit has, with their marks filled in; what is filled in is not looked at again."""
    for line in template.splitlines():
        flag = _FLAG.match(line)
        if flag is not None and flag[1] not in flags:
            continue
        text = _PART.sub(lambda part: part[2] if part[1] in flags else "", line if flag is None else line[flag.end() :])
        if all(marks.get(name) for name in _MARK.findall(text)):
            yield _MARK.sub(lambda mark: marks[mark[1]], text)


def _examples(kit: Kit) -> dict[str, str]:
    """A protected column and one to group it by, of a cross-table that is kept or can be corrected for."""
    for one in kit.protected:
        others = one.keeps_with or (kit.published if one.channel is not None else ())
        if others:
            words = {"column": one.name, "by": others[0], "both": f"{one.name},{others[0]}"}
            return {mark: shlex.quote(word) for mark, word in words.items()}
    return {}


def _worked(found: Mapping[str, Entry], estimates: Sequence[Estimated]) -> dict[str, str]:
    """The most frequent value of a column, or the mean of its numbers, by the way that it is read."""
    marks: dict[str, str] = {}
    for one in estimates:
        way = "mean" if one.kind == "mean" else "counted" if one.method is Method.DIRECT else "corrected"
        if f"{way} column" in marks or not one.cells:
            continue
        cell = max(one.cells, key=lambda each: each.estimate.value)
        low, high = cell.estimate.ends
        numbers = {"estimate": cell.estimate.value, "low": low, "high": high}
        digits = ".6g" if way == "mean" else ".4f"
        marks |= {f"{way} {name}": f"{number:{digits}}" for name, number in numbers.items()}
        marks |= {f"{way} column": shown(one.column), f"{way} n": str(one.rows)}
        rows = (found[one.column].released.counts or {}).get(cell.value or "")
        if rows is not None:
            marks |= {f"{way} value": shown(cell.value or ""), f"{way} rows": str(rows)}
            marks |= {f"{way} share": f"{rows / one.rows:.4f}"}
    return marks


def _sentences(kit: Kit, found: Sequence[Entry]) -> Iterator[Sentence]:
    """How each protected column is read, which columns are published, and what must be known beside them."""
    for one in kit.protected:
        yield Sentence("{name!s}: {use}.", name=shown(one.name), use=use_of(one))
        if one.keeps_with:
            names = ", ".join(map(shown, one.keeps_with))
            yield Sentence("{name!s}: cross-tables with {names!s} are kept.", name=shown(one.name), names=names)
    by_how: dict[Sentence, list[str]] = {}
    for entry in found:
        if entry.name in kit.published:
            by_how.setdefault(entry.protection, []).append(shown(entry.name))
    for how, columns in by_how.items():
        yield Sentence("{names!s}: {how}.", names=", ".join(columns), how=how)
    yield from kit.notes
