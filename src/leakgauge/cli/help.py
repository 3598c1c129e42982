"""Help in the language spoken: copies of the verbs that take ``--language``, and pages in wide letters."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Iterable

import click

from leakgauge.cli.language import VARIABLE, current, retell, say, wrapped
from leakgauge.cli.misuse import Once, language_once
from leakgauge.languages import CODES, ENGLISH, message

# Heads and notes of click's own; it hands them over as finished texts.
_OF_CLICK = (
    message("Options"),
    message("Commands"),
    message("Positional arguments"),
    message("Show this message and exit."),
    message("Show the version and exit."),
    # A default that is told in words.
    message("a free one"),
)
_LANGUAGE = click.Option(
    ["--language"],
    type=click.Choice(list(CODES)),
    envvar=VARIABLE,
    show_envvar=True,
    callback=language_once,
    expose_value=False,
    help=message("Of messages and tables."),
)


def spoken(command: click.Command) -> click.Command:
    """A copy of a verb, and of its own verbs, that takes ``--language`` and helps in the language spoken now.

    The copy refuses a value given twice.
    """
    copied = copy.copy(command)
    # Here and not at every verb, so that no verb can lack it.
    copied.__class__ = type(type(command).__name__, (Once, type(command)), {})
    copied.params = [*command.params, _LANGUAGE]
    copied.context_class = _Context
    if isinstance(copied, click.Group):
        copied.commands = {name: spoken(one) for name, one in copied.commands.items()}
    if current().code != ENGLISH.code:
        copied.params = list(map(_told, copied.params))
        copied.short_help = re.split(r"\n\n|(?<=。)", retell(inspect.cleandoc(command.help or "")))[0]
    return copied


def _told(param: click.Parameter) -> click.Parameter:
    """A copy of an option that tells what it is for in the language spoken now; any other parameter as it is."""
    if not isinstance(param, click.Option):
        return param
    copied = copy.copy(param)
    copied.__class__ = type(type(param).__name__, (_Option, type(param)), {})
    return copied


class _Option(click.Option):
    """An option whose line of help, with the notes after it such as its default, is in the language spoken now."""

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
    """A context whose help is a page in the language spoken now."""

    def make_formatter(self) -> click.HelpFormatter:
        page = click.HelpFormatter if current().code == ENGLISH.code else _Page
        return page(width=self.terminal_width, max_width=self.max_content_width)


class _Page(click.HelpFormatter):
    """A page of help that is told in the language spoken now, with lines broken between wide letters."""

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
        # Lines after a mark of their own are left as they are.
        broken = [(name, "\n".join(["\b", *_lines(retell(text), width)])) for name, text in rows]
        super().write_dl(broken, col_max, col_spacing)


def _lines(paragraph: str, width: int) -> list[str]:
    """A paragraph in lines of at most so many columns; one that starts with its own mark as it is."""
    if paragraph.startswith("\b\n"):
        return paragraph.split("\n")[1:]
    return wrapped(paragraph.replace("\n", " "), width)
