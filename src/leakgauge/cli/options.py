"""Options that several verbs take, declared once, and the reading of ``--distortion``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, Union, cast, get_args, get_origin

import click
from click.shell_completion import CompletionItem
from msgspec import NODEFAULT
from msgspec.structs import fields

from leakgauge.artefacts.request import Coarsening, Declared
from leakgauge.artefacts.request.aim import PerSecret
from leakgauge.artefacts.request.part import METRES, Names, Option, Options, RequestPart, hints, metadata, takes_several
from leakgauge.cli.output import Output
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.distances import Distortion

Command = TypeVar("Command", bound=Callable[..., None])


class _Address(click.types.StringParamType):
    """A file or the address of a database; shells complete it as a file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_named(value, param, ctx), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


class _File(click.Path):
    """The path of a file or a folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_named(value, param, ctx), param, ctx)


class _Length(click.types.StringParamType):
    """A length with its unit, in metres."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from leakgauge.location.box import parse_length

        return parse_length(value, param.opts[0]) if isinstance(value, str) and param is not None else value


def _named(value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
    """The name that was typed; an empty one, as of a variable that is not set, would be that of the working folder."""
    if value == "" and param is not None:
        raise OptionError("{name!s} is empty; name a file, a folder or an address.", name=param.get_error_hint(ctx))
    return value


FILE: Final = _File(path_type=Path)
ADDRESS: Final = _Address()
LENGTH: Final = _Length()
NAMES = ("hamming", "absolute", "squared", "great-circle")


def options_of(*parts: type[RequestPart]) -> Callable[[Command], Command]:
    """Every option of some parts, in their order."""
    every = [option_of(part, name) for part in parts for name in names_of(part).split()]
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(every), command)


def taking(**parts: type[RequestPart]) -> Callable[[Command], Command]:
    """Every option of some parts; the command gets each part in one argument, by the name it has here.

    What is not typed has the default of the part's field.
    """

    def takes_parts(command: Command) -> Command:
        @wraps(command)
        def takes(**given: Any) -> None:
            typed = {name: value for name, value in given.items() if value is not None}
            rest = given.keys() - {name for part in parts.values() for name in part.__struct_fields__}
            taken = {name: part.of_options(typed) for name, part in parts.items()}
            command(**{name: given[name] for name in rest}, **taken)

        return options_of(*parts.values())(cast("Command", takes))

    return takes_parts


def option_of(part: type[RequestPart], name: str) -> Callable[[Command], Command]:
    """An option as the annotation of a request's field says it."""
    said, default = metadata(part)[name], next(one.default for one in fields(part) if one.name == name)
    option = _said(said)
    assert option is not None
    kind = LENGTH if METRES in said else ADDRESS if Names.PLACE in said else _kind(get_args(hints(part)[name])[0])
    how = _how(option, kind, default, takes_several(part, name))
    return click.option(f"--{(option.called or name).replace('_', '-')}", name, **how)


def names_of(part: type[RequestPart]) -> str:
    """The parameters of a part, as a group of a help names them."""
    return " ".join(name for name, said in metadata(part).items() if _said(said) is not None)


def _said(metadata: tuple[Any, ...]) -> Option | None:
    return next((one for one in metadata if isinstance(one, Option)), None)


def _kind(hint: Any) -> Any:
    """The type of a field that may be None, without None; numbers for each secret are texts, such as ``C=0.2``."""
    if hint == PerSecret:
        return PerSecret
    origin, inside = get_origin(hint), get_args(hint)
    if origin is tuple:
        return inside[0]
    return next(one for one in inside if one is not NoneType) if origin in (Union, UnionType) else hint


def _how(option: Option, kind: Any, default: Any, several: bool) -> Options:
    how: Options = {"help": option.help, "metavar": option.metavar, "required": option.required}
    if kind is bool:
        return {"help": option.help, "is_flag": True}
    if several or kind is PerSecret:
        how["multiple"] = True
    if option.choices:
        how |= {"type": click.Choice(option.choices), "metavar": None}
    elif option.least is not None:
        how["type"] = click.IntRange(option.least)
    elif kind in (int, float, ADDRESS, LENGTH):
        how["type"] = kind
    elif kind is Path:
        how["type"] = FILE
    if kind is LENGTH and option.default:
        how |= {"default": option.default, "show_default": True}
    elif option.default:
        how |= {"default": default, "show_default": option.default}
    elif option.default is None and default not in (None, (), NODEFAULT):
        how |= {"default": default, "show_default": True}
    return how


background = click.option(
    "--background", multiple=True, metavar="COLUMN", help="What the attacker knows; may be repeated."
)
released = click.option("--released", type=ADDRESS, metavar="TABLE", help="The release, if it was moved.")
confidence = click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."
)
neighbours = click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-or-remove"]),
    default="replace-one",
    show_default=True,
    help="Which data sets the guarantee compares.",
)
levels = option_of(Coarsening, "levels")
report_language = option_of(Declared, "report_language")
strict = click.option("--strict", is_flag=True, help="Exit 1 whenever the recommendation is not to release.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")


_GONE: Final = {
    "--target": "--min-protection 60",
    "--min-privacy": "--min-protection",
    "--min-utility": "--min-usefulness",
    "--algebra": "--diagram paper",
    "--column": "--secret",
    "--min-guarantee": "--max-epsilon",
}
"""Options of earlier versions, and their replacements."""


def gone(*names: str) -> Callable[[Command], Command]:
    """Removed options: hidden from the help; the error for one names its replacement."""

    def refuse(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
        name = option.opts[0]
        if value is not None:
            raise OptionError("{option!s} was removed; use {instead!s} instead.", option=name, instead=_GONE[name])

    every = [
        click.option(name, hidden=True, expose_value=False, is_eager=True, callback=refuse, metavar="GONE")
        for name in names
    ]
    return lambda command: reduce(lambda decorated, option: option(decorated), every, command)


def require_one_source(secret: Sequence[str], together: bool) -> None:
    """Refuse several secrets where one channel is asked for, unless they are taken together."""
    if len(secret) > 1 and not together:
        raise OptionError(
            "{count} secrets are named, each with a channel of its own; name one, or add --together for one channel "
            "over all.",
            count=len(secret),
        )


def output(command: Command) -> Command:
    """``--json`` and ``-o FILE``; the command gets them in one argument ``to``."""

    @wraps(command)
    def delivers(as_json: bool, output: Path | None, **given: Any) -> None:
        command(**given, to=Output(as_json, output))

    return as_json(
        click.option("-o", "--output", type=FILE, help="Write the JSON to this file too.")(cast("Command", delivers))
    )


@dataclass(frozen=True)
class Loss:
    """The reading of ``--distortion``: the name or file of one distortion per column, and the weight of each.

    Without weights there is one distortion, for the whole secret.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The distortion files that are read."""
        return tuple(Path(name) for name in self.names if name not in NAMES)

    def distortion(self) -> Distortion:
        """The distortion itself, read from its files."""
        from leakgauge.distances.distortions import ColumnSums, distortion_named

        parts = tuple(map(distortion_named, self.names))
        return parts[0] if self.weights is None else ColumnSums(parts, self.weights)


def loss_of(texts: Sequence[str], secret: Sequence[str]) -> Loss:
    """The distortion of the secret, from ``--distortion`` given once or once per column; columns left out use
    Hamming's."""
    columns = {text: _column(text, secret) for text in texts}
    if len(texts) == 1 and columns[texts[0]] is None:
        name = texts[0]
        if name in NAMES[1:] and len(secret) > 1:
            raise OptionError(
                "--distortion {name!s} is for one column, and the secret has {count}; name the column, such as "
                "--distortion {column!s}={name!s}.",
                name=name,
                count=len(secret),
                column=secret[0],
            )
        return Loss((name,))
    if None in columns.values() or len(set(columns.values())) < len(texts):
        raise OptionError(
            "--distortion is given {count} times; give it once, or once for each column of the secret, such as "
            "--distortion {column!s}=absolute.",
            count=len(texts),
            column=secret[0],
        )
    weighed = {column: _weighed(text.removeprefix(f"{column}=")) for text, column in columns.items()}
    parts = [weighed.get(column, ("hamming", None)) for column in secret]
    if len(secret) > 1:
        return Loss(tuple(name for name, _ in parts), tuple(1.0 if by is None else by for _, by in parts))
    if parts[0][1] is not None:
        raise OptionError("--distortion weighs {column!r}, the only column; leave the weight out.", column=secret[0])
    return Loss((parts[0][0],))


def _column(text: str, secret: Sequence[str]) -> str | None:
    """The column that a text names; None where it is about the whole secret."""
    for column in sorted(secret, key=len, reverse=True):
        if text.startswith(f"{column}="):
            return column
    if "=" in text and not Path(text).exists():
        raise OptionError(
            "--distortion {text!r} does not start with a column of the secret and '='; write e.g. {column!s}=absolute.",
            text=text,
            column=secret[0],
        )
    return None


def _weighed(text: str) -> tuple[str, float | None]:
    """A name or file, and the weight after it where there is one."""
    name, colon, weight = text.rpartition(":")
    try:
        by = float(weight if colon else "")
    except ValueError:
        # A file may have a colon in its name.
        return text, None
    if not 0 <= by < math.inf:
        raise OptionError(
            "--distortion weighs a column {weight} times; give a finite number of at least 0 after the colon.",
            weight=weight,
        )
    return name, by
