"""The whole exception tree. An error holds a template and its fields; the faces render and translate it.

::

    LeakgaugeError
    ├── InputError (also ValueError)   the caller gave something that cannot be used      exit 2
    │   ├── ModelError                 not a distribution, channel, joint, counts, weights
    │   ├── LabelError                 labels that repeat, are missing or do not match
    │   ├── OptionError                an argument or option outside its range
    │   ├── TableError                 a table that is missing, empty, unreadable
    │   │   └── ColumnError            a column that is unknown or cannot be used so
    │   └── FileError                  a channel, weights, prior, plan, record, ledger or output file
    ├── RefusalError                   the answer is no                                   exit 1
    │   ├── BudgetError                the ledger's limit would be exceeded
    │   └── VerificationError          a record, release or ledger is not what it says
    ├── EngineError                    the engine, disk or memory failed                  exit 3
    │   ├── UnprovedError              a solver did not prove its answer as closely as asked
    │   └── UncertainError             it failed at the very end: what was asked may be done
    └── InternalError                  a broken promise of our own: please report it      exit 3

Every message is one sentence: what is wrong, the value found, the way out. No row value of a table
may be a field.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

from leakgauge.sentences import Field, Sentence, fill, in_english, marked

_SHOWN = 8
"""Names that a hint lists at most."""


class LeakgaugeError(Exception):
    """Root of everything Leakgauge raises on purpose."""

    exit_code: ClassVar[int] = 3

    def __init__(self, template: str, /, **fields: object) -> None:
        super().__init__(template, fields)
        self.template = template
        self.fields = fields

    def __str__(self) -> str:
        return fill(self.template, self.fields, in_english)

    @property
    def sentence(self) -> Sentence:
        """The message as a sentence that can be stored and translated; a text that the template does not mark may be a
        name of ours."""
        own = marked(self.template)
        return Sentence(
            self.template,
            **{
                name: Sentence(value) if isinstance(value, str) and name not in own else _field(value)
                for name, value in self.fields.items()
            },
        )


class InputError(LeakgaugeError, ValueError):
    """The caller gave something that cannot be used."""

    exit_code = 2


class ModelError(InputError):
    """Numbers that are not a distribution, channel, joint, counts or weights."""


class LabelError(InputError):
    """Labels that repeat, are missing or do not match."""


class OptionError(InputError):
    """An argument or option outside its range."""


class TableError(InputError):
    """A table that is missing, empty or unreadable."""


class ColumnError(TableError):
    """A column that is unknown or cannot be used in this way."""


class FileError(InputError):
    """A channel, weights, prior, plan, record, ledger or output file that cannot be used."""


class RefusalError(LeakgaugeError):
    """The question was understood, and the answer is no."""

    exit_code = 1


class BudgetError(RefusalError):
    """The ledger's limit would be exceeded; nothing was drawn and nothing was spent."""


class VerificationError(RefusalError):
    """A record, a release or a ledger is not what it says."""


class EngineError(LeakgaugeError):
    """The engine, the disk or the memory failed."""


class UnprovedError(EngineError):
    """A solver did not prove its answer as closely as was asked."""


class UncertainError(EngineError):
    """The engine went away while it was told to keep what it had done, so that it may be done or not."""


class InternalError(LeakgaugeError):
    """A broken promise of our own."""


def _field(value: object) -> Field:
    if isinstance(value, LeakgaugeError):
        return value.sentence
    if isinstance(value, tuple):
        return tuple(map(_field, value))
    return value if isinstance(value, int | float | str | Sentence) else str(value)


def did_you_mean(wanted: str, known: Iterable[str]) -> Sentence:
    """The sentence part that names the nearest known names, or lists a few of them."""
    names = list(known)
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    if not near:
        folded = {name.casefold(): name for name in names}
        near = [folded[m] for m in difflib.get_close_matches(wanted.casefold(), folded, n=3)]
    match near:
        case [first]:
            return Sentence("did you mean {first!r}?", first=first)
        case [first, second]:
            return Sentence("did you mean {first!r} or {second!r}?", first=first, second=second)
        case [first, second, third]:
            return Sentence("did you mean {first!r}, {second!r} or {third!r}?", first=first, second=second, third=third)
    shown = (*map(repr, names[:_SHOWN]), *("…" for _ in names[_SHOWN : _SHOWN + 1]))
    return Sentence("known are {names!s}.", names=shown) if shown else Sentence("there are none.")
