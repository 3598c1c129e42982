"""An option that takes one value is given once: a second value is refused, never preferred silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import click

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
        """Parse, and refuse what would drop a value that was typed.

        Raises:
            OptionError: names the option.
        """
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
    """Refuse a language that was given to a group already; both ask for it, and only one can be spoken.

    Raises:
        OptionError: it is given twice.
    """
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
