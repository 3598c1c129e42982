"""Wrong arguments: an option given twice, and whatever click refuses, in the language spoken.

The sentences are made from what click's exceptions hold: the option, the value given, the nearest names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import click

from leakgauge.cli.language import say
from leakgauge.errors import OptionError
from leakgauge.languages import message

_LANGUAGE: Final = f"{__name__}.language"
_GIVEN: Final = f"{__name__}.given"
_NOT_YET: Final = {
    ("protect", "secret"): message("several secrets are not supported yet: run one job per column"),
    ("query", "where"): message(
        "several conditions are not supported yet: make one column of both, and ask about that"
    ),
}
"""Options that people expect to be repeatable, by verb and name, and what they can do instead."""
_ONCE: Final = message("give it once")


class Once(click.Command):
    """A verb that refuses an option of one value given twice; a flag given twice says the same thing twice."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and refuse what would drop a value that was typed."""
        # Which options were given how often is known to click's parser alone, so the arguments are parsed twice.
        try:
            values, left, given = self.make_parser(ctx).parse_args(list(args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        ctx.meta[_GIVEN] = values, left
        for parameter, times in Counter(given).items():
            if isinstance(parameter, click.Option) and times > 1 and not (parameter.multiple or parameter.is_flag):
                raise _repeated(parameter, times, ctx)
        return super().parse_args(ctx, args)


def given_to(ctx: click.Context) -> tuple[Mapping[str, Any], list[str]]:
    """The values that were typed for a verb by their parameters' names, and what is left of the arguments."""
    values, left = ctx.meta.get(_GIVEN, ({}, []))
    return values, left


def language_once(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Refuse a language that was given to a group already; both ask for it, and only one can be spoken."""
    if ctx.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE:
        # Groups and their verbs share this.
        if _LANGUAGE in ctx.meta:
            raise _repeated(option, 2, ctx)
        ctx.meta[_LANGUAGE] = value
    return value


def _repeated(option: click.Parameter, times: int, ctx: click.Context) -> OptionError:
    verb = ctx.command_path.split()[1:2]
    return OptionError(
        "{option!s} is given {times:d} times and takes one value; {way}.",
        option=max(option.opts, key=len),
        times=times,
        way=_NOT_YET.get(("".join(verb), str(option.name)), _ONCE),
    )


def refusal(error: click.ClickException) -> str:
    """What is wrong with the arguments, in the language spoken now; what is not foreseen here in click's own words."""
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return _missing(error.param, error.ctx)
    if isinstance(error, click.BadParameter) and error.param is not None and error.ctx is not None:
        return _invalid(error.param, error.ctx) or error.format_message()
    if isinstance(error, click.NoSuchOption):
        return _unknown(_NO_OPTION, error.option_name, error.possibilities)
    if isinstance(error, click.BadOptionUsage):
        return _misused(error)
    # Click has a class of its own for an unknown command only since 8.4.
    command = getattr(error, "command_name", None)
    if command is not None:
        return _unknown(_NO_COMMAND, command, getattr(error, "possibilities", None))
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _, left = given_to(error.ctx)
        if left:
            return say(
                "Got unexpected extra arguments ({given!s})"
                if len(left) > 1
                else "Got unexpected extra argument ({given!s})",
                given=" ".join(left),
            )
        if isinstance(error.ctx.command, click.Group):
            return say("Missing command.")
    return error.format_message()


def _missing(param: click.Parameter, ctx: click.Context | None) -> str:
    name = param.get_error_hint(ctx)
    option = isinstance(param, click.Option)
    if not isinstance(param.type, click.Choice):
        return say("Missing option {name!s}." if option else "Missing argument {name!s}.", name=name)
    return say(
        "Missing option {name!s}. Choose from:\n\t{choices!s}"
        if option
        else "Missing argument {name!s}. Choose from:\n\t{choices!s}",
        name=name,
        choices=",\n\t".join(map(str, param.type.choices)),
    )


_NUMBERS = (
    (click.INT, message("Invalid value for {name!s}: {value!s} is not a valid integer.")),
    (click.FLOAT, message("Invalid value for {name!s}: {value!s} is not a valid float.")),
)


def _invalid(param: click.Parameter, ctx: click.Context) -> str | None:
    """What is wrong with a value; None where its type is not known here."""
    kind, value = param.type, _refused(param, ctx)
    fields: dict[str, object] = {"name": param.get_error_hint(ctx), "value": repr(value)}
    if value is None:
        return None
    if isinstance(kind, click.Choice):
        choices = tuple(repr(str(one)) for one in kind.choices)
        return say("Invalid value for {name!s}: {value!s} is not one of {choices!s}.", **fields, choices=choices)
    for number, template in _NUMBERS:
        if isinstance(param, click.Option) and isinstance(kind, type(number)):
            try:
                number.convert(value, None, None)
            except click.BadParameter:
                return say(template, **fields)
            fields |= {"value": value, "range": param.get_help_extra(ctx)["range"]}
            return say("Invalid value for {name!s}: {value!s} is not in the range {range!s}.", **fields)
    return None


def _refused(param: click.Parameter, ctx: click.Context) -> Any:
    """The value, of perhaps several, that the type of an option refuses; None where it was not given here."""
    values, _ = given_to(ctx)
    found = values.get(str(param.name))
    for value in found if isinstance(found, list | tuple) else (found,):
        try:
            param.type.convert(value, param, ctx)
        except click.BadParameter:
            return value
    return None


_NO_OPTION = (
    message("No such option {name!s}."),
    message("No such option {name!s}. Did you mean {other!s}?"),
    message("No such option {name!s}. (Did you mean one of: {others!s}?)"),
)
_NO_COMMAND = (
    message("No such command {name!s}."),
    message("No such command {name!s}. Did you mean {other!s}?"),
    message("No such command {name!s}. (Did you mean one of: {others!s}?)"),
)


def _unknown(templates: tuple[str, str, str], name: str, near: list[str] | None) -> str:
    others = tuple(map(repr, sorted(near or [])))
    return say(templates[min(len(others), 2)], name=repr(name), other=others[:1] and others[0], others=others)


def _misused(error: click.BadOptionUsage) -> str:
    options = () if error.ctx is None else error.ctx.command.params
    option = next((one for one in options if error.option_name in (*one.opts, *one.secondary_opts)), None)
    if isinstance(option, click.Option) and option.is_flag:
        return say("Option {name!s} does not take a value.", name=repr(error.option_name))
    return say("Option {name!s} requires an argument.", name=repr(error.option_name))
