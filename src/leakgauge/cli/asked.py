"""The options of a request as the annotations of its parts say them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import click
from msgspec import NODEFAULT, structs

from leakgauge.artefacts.request.aim import PerSecret
from leakgauge.artefacts.request.part import Names, Option, Options, RequestPart, hints, metadata, takes_several
from leakgauge.cli.options import ADDRESS

Command = TypeVar("Command", bound=Callable[..., None])


def options_of(*parts: type[RequestPart]) -> Callable[[Command], Command]:
    """Every option of some parts, in their order."""
    every = [click.option(name, **how) for part in parts for name, how in _options(part)]
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(every), command)


def names_of(part: type[RequestPart]) -> str:
    """The parameters of a part, as a group of a help names them."""
    return " ".join(name for name, said in metadata(part).items() if _said(said) is not None)


def _options(part: type[RequestPart]) -> Iterator[tuple[str, Options]]:
    defaults = {one.name: one.default for one in structs.fields(part)}
    for name, said in metadata(part).items():
        option = _said(said)
        if option is not None:
            kind, is_address = _kind(hints(part)[name].__origin__), Names.PLACE in said
            yield (
                f"--{name.replace('_', '-')}",
                _how(option, kind, defaults[name], takes_several(part, name), is_address),
            )


def _said(metadata: tuple[Any, ...]) -> Option | None:
    return next((one for one in metadata if isinstance(one, Option)), None)


def _kind(hint: Any) -> Any:
    """The type of a field that may be None, without None; numbers for each secret are texts, such as ``C=0.2``."""
    if hint == PerSecret:
        return PerSecret
    inside = (
        [one for one in get_args(hint) if one is not NoneType] if get_origin(hint) in (Union, UnionType) else [hint]
    )
    return inside[0]


def _how(option: Option, kind: Any, default: Any, several: bool, is_address: bool) -> Options:
    how: Options = {"help": option.help, "metavar": option.metavar}
    if kind is bool:
        return {"help": option.help, "is_flag": True}
    if several or kind is PerSecret:
        how["multiple"] = True
    if option.choices:
        how |= {"type": click.Choice(option.choices), "metavar": None}
    elif option.least is not None:
        how["type"] = click.IntRange(option.least)
    elif is_address:
        how["type"] = ADDRESS
    elif kind in (int, float):
        how["type"] = kind
    if option.default is not None:
        how |= {"default": default or None, "show_default": option.default or None}
    elif default not in (None, (), NODEFAULT):
        how |= {"default": default, "show_default": True}
    return how
