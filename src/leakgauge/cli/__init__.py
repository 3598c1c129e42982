"""The command line: a thin face that parses, renders and exits."""

from __future__ import annotations

import io
import json
import os
import sys
from importlib import import_module

import click

from leakgauge import __version__
from leakgauge.cli.engine_bar import engine_bar
from leakgauge.cli.help import refusal, spoken
from leakgauge.cli.language import current, language_asked, speaking
from leakgauge.errors import EngineError, InternalError, LeakgaugeError, OptionError, did_you_mean
from leakgauge.languages import message
from leakgauge.visible import in_json, visible

_VERBS = {
    "protect": message("The main job: a protected table and a report to sign, from one table."),
    "report": message("The report on a job again: another edition, language or format."),
    "survey": message("Which columns identify people, and which reveal a secret."),
    "serve": message("A page on this machine to look at tables, choose and protect."),
    "measure": message("What a secret column leaks, in bits with intervals."),
    "relate": message("What a channel satisfies, or what a statement implies, in every privacy notion."),
    "compose": message("What a sequence of mechanisms costs as a whole, or the noise that it needs."),
    "design": message("The channel that leaks least for the usefulness needed, with proof."),
    "compare": message("Mechanisms on one scale, with what each leaks beyond the optimum."),
    "release": message("A protected table and its record, made by a plan; uses budget."),
    "query": message("Private answers about a table: count, sum, mean, histogram, quantile, top."),
    "ledger": message("A budget per data set that cannot be exceeded."),
    "verify": message("Check a release against its record."),
    "estimate": message("What can be computed from a release, corrected for its channels, with intervals."),
    "audit": message("What a release, a mechanism or a program really does: attacks and lower bounds."),
    "assess": message("The verdict on a release: whether to release it, why, and what would change it."),
    "improve": message("The most useful setting that protects enough."),
    "location": message("Places: areas, mechanisms and trackers, in metres, bits and on a map."),
    "reproduce": message("Published numbers beside ours."),
    "demo": message("Protect the bundled sample."),
}


class _Verbs(click.Group):
    """Verbs whose code loads when they run, so that help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        return spoken(import_module(f"leakgauge.cli.{cmd_name}").command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _VERBS and not args[0].startswith("-"):
            raise OptionError("There is no verb {name!r}; {hint}", name=args[0], hint=did_you_mean(args[0], _VERBS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Texts of the page are in the language of the verb.
        with formatter.section(message("Verbs")):
            formatter.write_dl(list(_VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="leakgauge")
def verbs() -> None:
    """Gauge how much a data release leaks.

    A release is a noisy channel from a secret X to what the world sees, Y, watched by someone who may know Z.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; every failure is one sentence on standard error, with ``--json`` in JSON, and an exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with speaking(language_asked(given)):
            return _run(given)
    except OptionError as error:
        # The language asked for does not exist, so the error is in English.
        return _fail(given, error, str(error), error.exit_code)


def _run(arguments: list[str]) -> int:
    try:
        # An exit code comes back as a number; any other return value means success.
        with engine_bar():
            code = spoken(verbs).main(arguments, prog_name="leakgauge", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except LeakgaugeError as error:
        return _fail(arguments, error, current().error(error), error.exit_code)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.format_message())
        return 0
    except click.ClickException as error:
        return _fail(arguments, error, refusal(error), 2)
    except BrokenPipeError:
        # The reader has gone; pointing standard output elsewhere keeps Python's last flush quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:
        from leakgauge.artefacts import Ended

        ended = Ended.by(KeyboardInterrupt() if isinstance(error, click.Abort) else error)
        if os.environ.get("LEAKGAUGE_DEBUG") and not isinstance(error, KeyboardInterrupt | click.Abort | OSError):
            raise
        return _fail(arguments, error, current().retell(ended.reason or ""), ended.code)


def _fail(arguments: list[str], error: BaseException, sentence: str, code: int) -> int:
    """Say what is wrong, in the last line of standard error: standard output is for answers, also for a "no"."""
    before_names = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in before_names:
        fields = {"error": sentence, "kind": _kind(error), "exit": code}
        can_write_all = "utf" in (getattr(sys.stderr, "encoding", None) or "").lower()
        click.echo(in_json(json.dumps(fields, ensure_ascii=not can_write_all)), err=True)
    else:
        # Of the parser's own messages too.
        click.echo(f"leakgauge: {visible(sentence)}", err=True)
    return code


def _kind(error: BaseException) -> str:
    """The name of the error's class in our tree of errors."""
    match error:
        case LeakgaugeError():
            return type(error).__name__
        case click.ClickException():
            return OptionError.__name__
        case KeyboardInterrupt() | click.Abort():
            return KeyboardInterrupt.__name__
        case OSError() | MemoryError():
            return EngineError.__name__
    return InternalError.__name__


def run() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal limited to ASCII shows "?" for characters it cannot write, instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.exit(main())
