"""The catalogues kept in step with the source: ``python -m tests.languages.catalogues`` (``make languages``).

What the source says and no catalogue has is added with an empty translation, what nothing says any more is dropped,
and every catalogue is compiled. Of ``sentences`` the entries without fields are kept by hand: names of ours, such as
units, grades and kinds, which no call has as a literal.
"""

from __future__ import annotations

import ast
import fcntl
import inspect
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import leakgauge
from leakgauge.drafts import write_whole

SOURCE = Path(leakgauge.__file__).parent
FOLDER = SOURCE / "languages" / "zh_CN" / "LC_MESSAGES"
DOMAINS = ("errors", "sentences", "commands", "report", "page")
LEFT = 0
"""So many templates of ``sentences`` nothing in the source says any more; at 0 such templates are dropped."""
_SAID = {"say", "message", "note", "alarm"}
_DOMAINS = {"error": "errors", "sentence": "sentences", "help": "commands"}
_PLACES = {"cli": "commands", "web": "page"}
_IN_SCRIPTS = re.compile(r"""\bsay\(\s*("(?:[^"\\]|\\.)*")""")


@cache
def extracted() -> dict[str, dict[str, None]]:
    """For each domain the texts that the source says, in the source's order."""
    found: dict[str, dict[str, None]] = {domain: {} for domain in DOMAINS}
    for file in sorted(SOURCE.rglob("*.py")):
        domain = _PLACES.get(file.relative_to(SOURCE).parts[0], "report")
        for kind, text in _texts(ast.parse(file.read_text(encoding="utf-8"))):
            found[_DOMAINS.get(kind, domain)][text] = None
    for file in sorted((SOURCE / "web").rglob("*.js")):
        for quoted in _IN_SCRIPTS.findall(file.read_text(encoding="utf-8")):
            found["page"][ast.literal_eval(quoted)] = None
    return found


def leftovers() -> list[str]:
    """Templates of ``sentences`` that nothing in the source says any more."""
    said = {text for texts in extracted().values() for text in texts}
    return [str(one.id) for one in read("sentences") if one.id and "{" in one.id and one.id not in said]


@cache
def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """What the names of a module are set to at its top."""
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found |= {one.id: node.value for one in node.targets if isinstance(one, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found


def literals(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    """The texts that an expression may be, as far as they can be read off."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body, constants)
        yield from literals(node.orelse, constants)
    elif isinstance(node, ast.Name) and node.id in constants:
        yield from literals(constants[node.id], constants)
    elif isinstance(node, ast.Subscript):
        yield from literals(node.value, constants)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from literals(value, constants)


def _texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    constants = constants_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(_is_command(one) for one in node.decorator_list):
            told = ast.get_docstring(node, clean=False)
            if told:
                yield "help", inspect.cleandoc(told)
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        first = node.args[0] if node.args else None
        kind = "sentence" if name == "Sentence" else "error" if name.endswith("Error") else "said"
        if first is not None and (kind != "said" or name in _SAID):
            yield from ((kind, text) for text in literals(first, constants) if text)
        if name == "Option" and first is not None:
            # How a field of a request is asked for.
            yield from (("help", text) for text in literals(first, constants))
        if name == "grid":
            # A table has a caption, and a head of the names of its columns.
            texts = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
            yield from (("said", name) for text in texts for name in text.split("|"))
        if name in ("option", "argument", "version_option"):
            for keyword in node.keywords:
                if keyword.arg == "help" and isinstance(keyword.value, ast.Constant):
                    yield "help", str(keyword.value.value)


def _is_command(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr in ("command", "group")


def read(domain: str) -> Catalog:
    """The catalogue of a domain as it is kept; an empty one where there is none."""
    place = FOLDER / f"{domain}.po"
    if not place.exists():
        return _empty(domain)
    with place.open("rb") as file:
        texts = read_po(file, locale="zh_CN", domain=domain)
    kept = _empty(domain)
    for one in texts:
        if one.id:
            kept.add(one.id, one.string)
    return kept


def _empty(domain: str) -> Catalog:
    # Its dates are fixed: a compiled file changes only where its texts do.
    return Catalog(
        locale="zh_CN",
        domain=domain,
        project="Leakgauge",
        creation_date=datetime(2026, 1, 1, tzinfo=UTC),
        revision_date=datetime(2026, 1, 1, tzinfo=UTC),
        fuzzy=False,
    )


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as the standard library reads it."""
    made = BytesIO()
    write_mo(made, catalogue)
    return made.getvalue()


def update(domain: str, texts: dict[str, None]) -> int:
    """Bring a catalogue in step and compile it; how many translations are missing."""
    known = read(domain)
    kept = _empty(domain)
    by_hand = [str(one.id) for one in known if one.id and ("{" not in one.id or LEFT)] if domain == "sentences" else []
    for text in dict.fromkeys([*by_hand, *texts]):
        old = known.get(text)
        kept.add(text, "" if old is None else old.string)
    _write(domain, kept)
    return sum(not one.string for one in kept if one.id)


def _write(domain: str, kept: Catalog) -> None:
    made = BytesIO()
    write_po(made, kept, width=100, omit_header=True)
    for name, content in ((f"{domain}.po", made.getvalue()), (f"{domain}.mo", compiled(kept))):
        write_whole(FOLDER / name, content, shareable=True)


def main(arguments: list[str]) -> None:
    """Bring all catalogues in step, or first take translations: ``DOMAIN FILE.json`` with texts and translations."""
    with (SOURCE.parent.parent / ".catalogues.lock").open("w") as lock:
        # Two at once must not lose each other's translations.
        fcntl.flock(lock, fcntl.LOCK_EX)
        texts = extracted()
        if arguments:
            domain, file = arguments
            given = json.loads(Path(file).read_text(encoding="utf-8"))
            known = read(domain)
            for text, translation in given.items():
                known.delete(text)
                known.add(text, translation)
            _write(domain, known)
        for domain in DOMAINS:
            sys.stdout.write(f"{domain}: {update(domain, texts[domain])} not translated yet\n")


if __name__ == "__main__":
    main(sys.argv[1:])
