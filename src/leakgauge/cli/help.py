"""Click's texts in the language of the verb: help pages, with wide letters, and errors in the arguments.

Sentences are made from what click's exceptions hold: the option, the value given, the nearest names.
"""

from __future__ import annotations

import copy
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

import click

from leakgauge.cli.language import VARIABLE, current, retell, say, wrapped
from leakgauge.errors import OptionError
from leakgauge.languages import CODES, ENGLISH, message
from leakgauge.sentences import Sentence

_SPOKEN: Final = f"{__name__}.language"
_GIVEN: Final = f"{__name__}.given"
"""The values typed for a verb, by the names of their parameters, and the arguments that are left over."""
# Click's own headings and notes, which it passes on as finished texts.
_OF_CLICK = (
    message("Options"),
    message("Commands"),
    message("Positional arguments"),
    message("Show this message and exit."),
    message("Show the version and exit."),
    # A default that is given in words.
    message("a free one"),
)


class _Once(click.Command):
    """A verb that refuses an option of one value given twice; repeating a flag changes nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and refuse arguments of which a typed value would be dropped."""
        # Only click's parser knows how often an option was given, so the arguments are parsed twice.
        try:
            values, left, given = self.make_parser(ctx).parse_args(list(args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        ctx.meta[_GIVEN] = values, left
        for parameter, times in Counter(given).items():
            if isinstance(parameter, click.Option) and times > 1 and not (parameter.multiple or parameter.is_flag):
                raise _repeated(parameter, times)
        return super().parse_args(ctx, args)


class Grouped(click.Command):
    """A verb with many options, which its help shows in groups.

    Args:
        groups: names of parameters, by the heading they stand under; the last group takes the rest.
    """

    def __init__(self, *given: Any, groups: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group below its head."""
        records = {
            str(one.name): one.get_help_record(ctx) for one in self.get_params(ctx) if isinstance(one, click.Option)
        }
        lines = {name: record for name, record in records.items() if record is not None}
        rows = {head: [lines.pop(name) for name in names.split()] for head, names in self.groups.items()}
        for head, own in rows.items():
            with formatter.section(head):
                formatter.write_dl([*own, *(lines.values() if head == next(reversed(rows)) else ())])


def _language_once(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Refuse a language that was already given to the group: only one can be used."""
    if ctx.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE:
        # Groups and their verbs share this.
        if _SPOKEN in ctx.meta:
            raise _repeated(option, 2)
        ctx.meta[_SPOKEN] = value
    return value


def _repeated(option: click.Parameter, times: int) -> OptionError:
    return OptionError(
        "{option!s} is given {times:d} times and takes one value; give it once.",
        option=max(option.opts, key=len),
        times=times,
    )


_LANGUAGE = click.Option(
    ["--language"],
    type=click.Choice(list(CODES)),
    envvar=VARIABLE,
    show_envvar=True,
    callback=_language_once,
    expose_value=False,
    help=message("Language of messages and tables."),
)


def spoken(command: click.Command) -> click.Command:
    """A copy of a verb, and of its subcommands, that takes ``--language`` and shows help in the current language.

    The copy refuses a value given twice.
    """
    copied = copy.copy(command)
    # Added here, not at every verb, so that no verb can lack it.
    copied.__class__ = type(type(command).__name__, (_Once, type(command)), {})
    copied.params = [*command.params, _LANGUAGE]
    copied.context_class = _Context
    if isinstance(copied, click.Group):
        copied.commands = {name: spoken(one) for name, one in copied.commands.items()}
    if current().code != ENGLISH.code:
        copied.params = list(map(_told, copied.params))
        copied.short_help = re.split(r"\n\n|(?<=。)", retell(inspect.cleandoc(command.help or "")))[0]
    return copied


def _told(param: click.Parameter) -> click.Parameter:
    """A copy of an option whose help is in the current language; any other parameter unchanged."""
    if not isinstance(param, click.Option):
        return param
    copied = copy.copy(param)
    copied.__class__ = type(type(param).__name__, (_Option, type(param)), {})
    return copied


class _Option(click.Option):
    """An option whose help, with notes such as its default, is in the current language."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None:
            return None
        noted = self.get_help_extra(ctx)
        notes = []
        if "envvars" in noted:
            notes.append(say("env var: {name!s}", name=", ".join(noted["envvars"])))
        if isinstance(self.show_default, str):
            notes.append(say("default: ({words})", words=self.show_default))
        elif "default" in noted:
            notes.append(say("default: {value!s}", value=noted["default"]))
        if "range" in noted:
            notes.append(noted["range"])
        if "required" in noted:
            notes.append(say("required"))
        after = f"  [{say('; ').join(notes)}]" if notes else ""
        return record[0], f"{retell(self.help or '')}{after}".lstrip()


class _Context(click.Context):
    """A context whose help page is in the current language."""

    def make_formatter(self) -> click.HelpFormatter:
        page = click.HelpFormatter if current().code == ENGLISH.code else _Page
        return page(width=self.terminal_width, max_width=self.max_content_width)


class _Page(click.HelpFormatter):
    """A help page in the current language, with lines broken between wide letters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, say("Usage: "))

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{retell(heading)}：\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        paragraphs = [_lines(part, self.width - self.current_indent) for part in retell(text).split("\n\n")]
        self.write("\n\n".join("\n".join(indent + line for line in lines) for lines in paragraphs) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        first = min(max(len(name) for name, _ in rows), col_max) + col_spacing
        width = max(self.width - first - 2, 10)
        # Lines after click's mark ``\b`` are not rewrapped.
        broken = [(name, "\n".join(["\b", *_lines(retell(text), width)])) for name, text in rows]
        super().write_dl(broken, col_max, col_spacing)


def _lines(paragraph: str, width: int) -> list[str]:
    """A paragraph broken into lines of at most ``width`` columns; one that starts with click's mark is left as it
    is."""
    if paragraph.startswith("\b\n"):
        return paragraph.split("\n")[1:]
    return wrapped(paragraph.replace("\n", " "), width)


def refusal(error: click.ClickException) -> str:
    """What is wrong with the arguments, in the current language; errors not foreseen here keep click's own words."""
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
        _, left = error.ctx.meta.get(_GIVEN, ({}, []))
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
        choices=Sentence(",\n\t".join(map(str, param.type.choices))),
    )


_NUMBERS = (
    (click.INT, message("Invalid value for {name!s}: {value!s} is not a whole number.")),
    (click.FLOAT, message("Invalid value for {name!s}: {value!s} is not a number.")),
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
    """The one of perhaps several values that the type of an option refuses; None where it was not given here."""
    values, _ = ctx.meta.get(_GIVEN, ({}, []))
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
