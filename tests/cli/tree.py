"""Every verb and every option of the command line, as click holds them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from leakgauge.cli import verbs
from leakgauge.cli.help import spoken


def paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every verb with what is typed to reach it, the arguments of groups included."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        taken = tuple("people.csv" for one in command.params if isinstance(one, click.Argument))
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from paths(found, (*path, *taken, name))


def parameters() -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    """Every option and argument with what is typed to reach its verb."""
    for path, command in paths(spoken(verbs)):
        yield from ((path, one) for one in command.params)


def options() -> Iterator[tuple[tuple[str, ...], click.Option]]:
    """Every option with what is typed to reach its verb."""
    yield from ((path, one) for path, one in parameters() if isinstance(one, click.Option))
