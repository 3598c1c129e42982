"""A dossier as the fields of its files, so that tests can change any of them, whole or not."""

from __future__ import annotations

import types
from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from leakgauge.artefacts import Job, codec
from leakgauge.artefacts.dossier import DESIGN, FILES, JOB, Dossier, SecretResults, public_file, with_foreign_secrets
from leakgauge.artefacts.schemas import raised
from leakgauge.artefacts.shareable import _hints
from leakgauge.assessment import Diagram, default_diagram
from leakgauge.languages import ENGLISH, Language
from leakgauge.report import report
from leakgauge.report.document import Document
from leakgauge.report.external import LIMIT
from leakgauge.report.reading import diagram_in, read_dossier
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Edition
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice

Kind = TypeVar("Kind", bound=msgspec.Struct)
_INFINITE = {"infinity": float("inf"), "-infinity": float("-inf")}


def typed(kind: type[Kind], fields: Mapping[str, Any]) -> Kind:
    """A result that fields say, which need not be whole: what is missing has its default, or is nothing."""
    found = raised(kind, fields)
    given = {name: _of(hint, found[name]) for name, hint in _hints(kind).items() if name in found}
    needed = {one.name: _nothing(_hints(kind)[one.name]) for one in msgspec.structs.fields(kind) if one.required}
    return kind(**{**needed, **given})


def _nothing(hint: Any) -> Any:
    """What stands in the place of a field that is missing."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(hint) in (tuple, list, dict):
        return get_origin(hint)()
    return typed(hint, {}) if isinstance(hint, type) and issubclass(hint, msgspec.Struct) else None


def _of(hint: Any, value: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if value is None:
        return None
    if origin is Annotated:
        return _of(inner[0], value)
    if origin in (Union, types.UnionType):
        kinds = [one for one in inner if one is not type(None)]
        return _of(kinds[0], value) if len(kinds) == 1 else value
    if origin is tuple:
        hints = [inner[0]] * len(value) if inner[-1] is ... else inner
        return tuple(_of(one, part) for one, part in zip(hints, value, strict=False))
    if origin is list:
        return [_of(inner[0], part) for part in value]
    if isinstance(value, Mapping) and len(inner) == 2:
        return {name: _of(inner[1], part) for name, part in value.items()}
    if hint is Sentence:
        return codec.sentence_of(value)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return typed(hint, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return _INFINITE.get(value, value) if isinstance(value, str) and hint is not str else value


class Facts:
    """A dossier, and its fields by the names of the files; tests change either."""

    def __init__(self, found: Mapping[str, Any] | Dossier, diagram: Diagram | None = None) -> None:
        self._found = found
        self.diagram = diagram or default_diagram()

    @classmethod
    def read(cls, folder: Path | str) -> Facts:
        """Those of a folder."""
        return cls(read_dossier(folder), diagram_in(folder))

    @cached_property
    def files(self) -> Mapping[str, Any]:
        """The fields, as files have them."""
        if isinstance(self._found, Dossier):
            return {name: codec.encode(one) for name, one in self._found.files().items()}
        return dict(self._found)

    @cached_property
    def dossier(self) -> Dossier:
        """The results as types; those of fields need not be whole."""
        if isinstance(self._found, Dossier):
            return self._found
        job = self._result(Job, JOB.name)
        asked = msgspec.structs.asdict(job.asked) if job is not None else {}
        withheld = asked.get("withhold") or ()
        released = [name for name in asked.get("secret", ()) if name not in withheld]
        groups = [tuple(released)] if asked.get("together") else [(name,) for name in released]
        groups = [*groups, *((name,) for name in withheld)] or [()]
        secrets = tuple(
            SecretResults(
                one,
                **{file.field: self._result(file.kind, file.about(one, groups)) for file in FILES if file.of_a_secret},
            )
            for one in groups
        )
        columns = asked.get("public_distortion") or ()
        public = {one: self._result(DESIGN.kind, public_file(DESIGN, one, columns)) for one in columns}
        once = {file.field: self._result(file.kind, file.name) for file in FILES if not file.of_a_secret}
        known = {name: one for name, one in public.items() if one is not None}
        return with_foreign_secrets(Dossier(secrets=secrets, public=known, **once))

    def _result(self, kind: type[Kind], name: str) -> Any:
        return typed(kind, self.files[name]) if name in self.files else None

    def having(self, changes: Mapping[str, Mapping[str, Any]]) -> Facts:
        """The same with other fields in the results of some files."""

        def change(name: str, result: msgspec.Struct) -> msgspec.Struct:
            hints = _hints(type(result))
            fields = {
                field: _of(hints[field], value) for field, value in changes.get(name, {}).items() if field in hints
            }
            return msgspec.structs.replace(result, **fields)

        return Facts(self.dossier.mapped(change), self.diagram)

    def get(self, file: str, *path: str | int) -> Any:
        """What stands at a place; None where nothing does."""
        found: Any = self.files.get(file)
        for step in path:
            found = None if found is None else found.get(step) if isinstance(found, Mapping) else found[step]
        return found

    def has(self, file: str, *path: str | int) -> bool:
        """Whether something stands there."""
        return self.get(file, *path) is not None

    def items(self, file: str, *path: str | int) -> list[Any]:
        """The list there."""
        return self.get(file, *path) or []

    def names(self, file: str, *path: str | int) -> list[str]:
        """The names there."""
        return [*(self.get(file, *path) or ())]

    def resolve(self, source: str) -> Any:
        """The number at a source."""
        return self._shown.resolve(source)

    @cached_property
    def _shown(self) -> Shown:
        return Shown(self.dossier)

    def teller(self, language: Language = ENGLISH, edition: Edition = Edition.INTERNAL) -> Voice:
        """Who tells of it."""
        return Voice(Shown(self.dossier), language, edition, diagram=self.diagram)


def compose(facts: Facts, language: Language, edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT) -> Document:
    """The report on a job in one language."""
    return report.compose(facts.dossier, language, edition, facts.diagram, limit=limit)
