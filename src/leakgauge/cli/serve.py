"""``leakgauge serve``."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from leakgauge.cli.language import say
from leakgauge.cli.options import FILE
from leakgauge.errors import OptionError

_MIB = 1 << 20


@click.command()
@click.argument("folder", type=FILE, default=Path())
@click.option("--port", type=int, default=0, show_default="a free one", metavar="PORT", help="Of 127.0.0.1.")
@click.option(
    "--results", type=FILE, metavar="DIR", help="Folder for the results of jobs; by default FOLDER/leakgauge-results."
)
@click.option(
    "--max-upload",
    type=int,
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Largest dropped file; all of them together may be four times as large.",
)
@click.option(
    "--database",
    multiple=True,
    metavar="ADDRESS",
    help="A PostgreSQL server whose tables and ledgers the page may use, such as postgresql://user@host/database; "
    "without, none.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(
    folder: Path, port: int, results: Path | None, max_upload: int, database: tuple[str, ...], no_browser: bool
) -> None:
    """A page on this machine to look at the tables of FOLDER, choose and protect.

    \b
    leakgauge serve
    leakgauge serve data --port 8321 --no-browser

    It answers only this machine, and only with the token in the printed address. Ctrl-C ends it; a running job is
    stopped, and resumes when it is started again.
    """
    from leakgauge.web.private_folder import PrivateFolder
    from leakgauge.web.server import serve

    if not 0 <= port <= 65535:
        raise OptionError("Port {port} is not from 0 to 65535; choose another, or 0 for a free one.", port=port)
    if max_upload < 1:
        raise OptionError("--max-upload {found} is below 1 MiB; give a whole number from 1 on.", found=max_upload)
    with ExitStack() as stack:

        def opened(address: str) -> None:
            click.echo(say("The page is at {address!s} until Ctrl-C.", address=address))
            sys.stdout.flush()
            shows = (
                sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
            )
            if not no_browser and shows:
                held = PrivateFolder()
                stack.callback(held.close)
                _show(address, held.place)

        # The server has already stopped when the interrupt is raised again here.
        with suppress(KeyboardInterrupt):
            serve(folder, results or folder / "leakgauge-results", port, max_upload * _MIB, opened, database)
    click.echo(say("The page is closed."))


def _show(address: str, folder: Path) -> None:
    """Open the browser through a file that redirects to the address: everyone can read the arguments of a process."""
    import webbrowser

    door = folder / "open.html"
    door.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">'
        f'<title>Leakgauge</title><a href="{address}">Leakgauge</a>\n',
        encoding="utf-8",
    )
    # Some browsers block until they are closed; the page must not.
    threading.Thread(target=webbrowser.open, args=(door.as_uri(),), daemon=True).start()
