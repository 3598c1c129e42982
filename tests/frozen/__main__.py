"""What a change makes the product say differently.

``python -m tests.frozen [NAME …]`` runs all frozen commands, or those named, and shows what differs, line by line;
``--freeze`` keeps what they say now, and ``--brief`` names what differs alone.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import time
from collections.abc import Iterator, Mapping

from tests.frozen.commands import COMMANDS
from tests.frozen.corpus import ARCHIVE, Said, freeze, frozen, said_by, says_the_same, tables

_LONGEST = 300
"""Signs shown of a line: pictures are one line each."""


def _differences(name: str, before: Said, after: Said, *, brief: bool) -> Iterator[str]:
    for what in sorted({*before, *after}):
        old, new = before.get(what, b""), after.get(what, b"")
        if says_the_same(old, new):
            continue
        yield f"{name}/{what}"
        if not brief:
            was, now = (content.decode(errors="replace").splitlines() for content in (old, new))
            for line in difflib.unified_diff(was, now, lineterm="", n=0):
                yield "    " + line[:_LONGEST]


def _said(names: list[str]) -> dict[str, Said]:
    found: dict[str, Said] = {}
    with tables() as folder:
        for name in names:
            start = time.process_time()
            found[name] = said_by(name, folder)
            sys.stderr.write(f"{name}: {time.process_time() - start:.1f} s\n")
    return found


def main() -> int:
    """Exit 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--brief", action="store_true")
    given = parser.parse_args()
    names = given.names or list(COMMANDS)
    after = _said(names)
    kept: Mapping[str, Said] = frozen() if ARCHIVE.exists() else {}
    if given.freeze:
        freeze({**{name: said for name, said in kept.items() if name in COMMANDS}, **after})
        return 0
    shown = [line for name in names for line in _differences(name, kept.get(name, {}), after[name], brief=given.brief)]
    sys.stdout.write(("\n".join(shown) if shown else "Nothing differs.") + "\n")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
