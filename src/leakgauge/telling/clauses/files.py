"""Files of the user's about an assessment: what they declare, instruments of their own, and a form to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from leakgauge.artefacts.clauses import Clauses, Instrument, Item, Line, Status
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.request import Declared, StoredRequest
from leakgauge.errors import FileError, did_you_mean
from leakgauge.languages import Language
from leakgauge.probability.files import parsed_toml
from leakgauge.telling.clauses.answers import ANSWERS
from leakgauge.telling.clauses.catalogue import ALL, INSTRUMENTS, chosen
from leakgauge.telling.clauses.lines import CHOICES, LINES, LONGEST, declared_to
from leakgauge.telling.clauses.walk import Walk

ENDING: Final = ".toml"
"""Of a name that is a file of clauses."""
_KEY: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")
_OF_FILE: Final = ("name", "name_zh", "items")
_OF_ITEM: Final = ("key", "name", "name_zh", "filled_by")
_MOST_ITEMS: Final = 200


def read_walk(
    assessment: str | None,
    clauses: Sequence[str],
    asked: Declared | StoredRequest | None,
    earlier: Clauses | None = None,
) -> Walk:
    """What a user says in a file and which instruments are named; what is not given stays as it was earlier.

    Args:
        asked: what the job was asked, which the file may not say in other words.

    Raises:
        FileError: a file that cannot be used.
        OptionError: an instrument or jurisdiction that is unknown.
    """
    own: tuple[Instrument, ...] = () if earlier is None else earlier.own
    printed: tuple[str, ...] = () if earlier is None else earlier.printed
    if clauses:
        files = {name: read_instrument(Path(name)) for name in clauses if name.endswith(ENDING)}
        own = tuple({one.key: one for one in files.values()}.values())
        printed = chosen([files[name].key if name in files else name for name in clauses], own)
    declared = () if earlier is None else earlier.declared
    if assessment is not None:
        declared = read_declared(Path(assessment), own)
        _require_agreement(Path(assessment), declared, declared_to(asked))
    return Walk(declared, own, printed)


def _require_agreement(place: Path, declared: Iterable[Line], known: Mapping[str, str]) -> None:
    """Refuse what the job was asked in other words: one report must not say both."""
    for line in declared:
        if known.get(line.key, line.declared) != line.declared:
            raise FileError(
                "{path}: {name!r} was declared to the job in other words; leave it out, or change the option of the "
                "job.",
                path=place,
                name=line.key,
            )


def read_declared(place: Path, own: Iterable[Instrument] = ()) -> tuple[Line, ...]:
    """What a filled-in form declares; empty lines are left out.

    Raises:
        FileError: it cannot be read, or has a line that no item asks for, or one that is not a text of its kind.
    """
    given, known = parsed_toml(place), _lines((*INSTRUMENTS, *own))
    for key in given:
        if key not in known:
            raise FileError(
                "{path} sets {name!r}, which no assessment asks for; {hint}",
                path=place,
                name=key,
                hint=did_you_mean(key, known),
            )
    return tuple(Line(key, said) for key in given if (said := _said(place, key, given[key])))


def _said(place: Path, key: str, given: object) -> str:
    words = str(given) if key == "effect-level" and type(given) is int else given
    if not isinstance(words, str):
        raise FileError("{path}: {name!r} is not a text; write it in quotes.", path=place, name=key)
    words = words.strip()
    if len(words) > LONGEST:
        raise FileError(
            "{path}: {name!r} has {count:,} letters, but a line of the report has room for {most:,}; shorten it, or "
            "name a document that says more.",
            path=place,
            name=key,
            count=len(words),
            most=LONGEST,
        )
    if words and key in CHOICES and words not in CHOICES[key]:
        raise FileError(
            "{path}: {name!r} is {found!r}; give one of {known!s}.",
            path=place,
            name=key,
            found=words,
            known=CHOICES[key],
        )
    return words


def read_instrument(place: Path) -> Instrument:
    """An instrument of the user's, called by the name of its file.

    Raises:
        FileError: it cannot be read, has a field or an answer that is unknown, or the name of one of ours.
    """
    given = parsed_toml(place)
    _require_known(place, given, _OF_FILE)
    key, items = place.stem.casefold(), given.get("items")
    if not _KEY.fullmatch(key) or key in _taken():
        raise FileError(
            "{path} has a name that clauses cannot have; give it one of its own with letters, digits, hyphens and "
            "points, such as ethics-board.toml.",
            path=place,
        )
    if not isinstance(items, list) or not 0 < len(items) <= _MOST_ITEMS or not all(isinstance(i, dict) for i in items):
        raise FileError(
            "{path} has no items; write 1 to {most} tables that begin with [[items]].", path=place, most=_MOST_ITEMS
        )
    made = tuple(_item(place, key, one) for one in items)
    if len({one.key for one in made}) < len(made):
        raise FileError("{path} has two items with the same key; give each a key of its own.", path=place)
    name, chinese = _text(place, given, "name"), _text(place, given, "name_zh", needed=False)
    return Instrument(key, name, "", Status.OWN, made, chinese or None)


def _taken() -> set[str]:
    """Names that mean something else."""
    return {ALL, *(name for one in INSTRUMENTS for name in (one.key, one.jurisdiction))}


def _item(place: Path, instrument: str, given: Mapping[str, Any]) -> Item:
    _require_known(place, given, _OF_ITEM)
    key, named = _text(place, given, "key"), given.get("filled_by", [])
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise FileError("{path}: filled_by of {key!r} is not a list of names; write one.", path=place, key=key)
    known = (*ANSWERS, *LINES)
    for one in names:
        if one not in known:
            raise FileError(
                "{path}: {key!r} is to be filled by {name!r}, which is no answer of a job and no line; {hint}",
                path=place,
                key=key,
                name=one,
                hint=did_you_mean(one, known),
            )
    answers, lines = ([one for one in names if one in kind] for kind in (ANSWERS, LINES))
    # A name may be both: what the job answers comes with the line that confirms it.
    lines = lines or ([] if answers else [f"{instrument}/{key}"])
    name, chinese = _text(place, given, "name"), _text(place, given, "name_zh", needed=False)
    return Item(key, name, tuple(answers), tuple(lines), chinese or None)


def _require_known(place: Path, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise FileError("{path} sets {name!r}, which clauses do not have; {hint}", path=place, name=name, hint=hint)


def _text(place: Path, given: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    found = given.get(name, "")
    if not isinstance(found, str) or len(found) > LONGEST or (needed and not found.strip()):
        raise FileError(
            "{path}: {name!r} is missing or not a text of at most {most:,} letters; write one in quotes.",
            path=place,
            name=name,
            most=LONGEST,
        )
    return found.strip()


def form(dossier: Dossier, language: Language) -> str:
    """A file to be filled in: a line for each thing that people must say, with the items that ask for it."""
    found = dossier.clauses
    own = () if found is None else found.own
    said = {} if found is None else {line.key: line.declared or "" for line in found.declared}
    known = declared_to(None if dossier.job is None else dossier.job.asked)
    # What the job was asked is declared already.
    wanted = {key: items for key, items in _lines((*INSTRUMENTS, *own)).items() if key not in known}
    parts = [language.say("Fill in what you can say, and leave the rest empty."), *_form_lines(wanted, said, language)]
    return "\n".join(("# " + parts[0], *parts[1:])) + "\n"


def _form_lines(
    wanted: Mapping[str, Sequence[tuple[str, str]]], said: Mapping[str, str], language: Language
) -> Iterator[str]:
    for key, items in wanted.items():
        yield ""
        if key in LINES:
            yield f"# {language.say(LINES[key])}"
        yield f"# ({language.listed(f'{language.say(name)}: {item}' for name, item in items)})"
        yield f"{_quoted(key) if '/' in key else key} = {_quoted(said.get(key, ''))}"


def _quoted(text: str) -> str:
    """A text as TOML has it."""
    escaped = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    plain = "".join(escaped.get(letter, letter) for letter in text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda control: f"\\u{ord(control[0]):04x}", plain) + '"'


def _lines(instruments: Iterable[Instrument]) -> dict[str, list[tuple[str, str]]]:
    """Every line that items ask for, in the order of the instruments, with the instrument and key of each item."""
    found: dict[str, list[tuple[str, str]]] = {}
    for one in instruments:
        for item in one.items:
            for key in item.lines:
                found.setdefault(key, []).append((one.name, item.key))
    return found
