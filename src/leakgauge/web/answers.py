"""What the page asks before anything is released: how much leaks, and what usefulness costs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread

from leakgauge.artefacts import Measurement
from leakgauge.artefacts.codec import encode
from leakgauge.errors import ColumnError, OptionError
from leakgauge.languages import Language
from leakgauge.web.asking import Asked
from leakgauge.web.remembering import Answer, Remembered
from leakgauge.web.workspace import OpenTable, Workspace

if TYPE_CHECKING:
    from leakgauge.design import Solution
    from leakgauge.probability import Label
    from leakgauge.tables import Binning

MOST_LETTERS: Final = 60
"""Letters of a secret whose channel can still be read on the page."""
_GAP: Final = 1e-6
"""Bits that a drawn curve may lie above the best; far below what can be seen."""


class Answers:
    """Answers computed beside the server's loop, each once for a question and the contents of its table.

    Args:
        workspace: where the tables are.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._remembered = Remembered()
        # One at a time: two would only wait for each other, and the one that nobody wants any more holds up the next.
        self._curves = Remembered(threads=1)
        self._preparing: threading.Thread | None = None

    async def measure(self, asked: Asked, language: Language) -> dict[str, object]:
        """The fields of ``leakgauge measure``, with the picture of where the entropy goes."""
        asked = replace(asked, points=0)
        table = self._workspace.table(asked.table)
        found = await self._once(("measure", asked), table, lambda: _measured(table, asked))
        fields = encode(found)
        picture = await self._once(("picture", asked, language.code), table, lambda: _decomposition(fields, language))
        return {**fields, "figure": picture}

    async def frontier(self, asked: Asked, language: Language) -> dict[str, object]:
        """The curve of least leakage with its channels."""
        table = self._workspace.table(asked.table)
        found = await self._once(("frontier", asked), table, lambda: _curve(table, asked), self._curves)
        return _curve_fields(found, language)

    def prepare(self) -> None:
        """Load what the first answer needs, beside the loop, while a person still looks at the columns."""
        if self._preparing is None:
            self._preparing = threading.Thread(target=_load, daemon=True)
            self._preparing.start()

    async def _once(
        self, question: Hashable, table: OpenTable, compute: Callable[[], Answer], memory: Remembered | None = None
    ) -> Answer:
        """The answer to a question, from memory where it was asked before of the same contents."""
        await to_thread.run_sync(self._workspace.require_unchanged, table)
        return await (memory or self._remembered).once((question, table.digest), compute)


def _load() -> None:
    import leakgauge.design
    import leakgauge.jobs.measure  # noqa: F401
    from leakgauge.report.figures import Figure

    # The drawing engine starts with the first picture.
    Figure({"data": {"values": []}, "mark": "point"}, "").to_svg()


def _measured(table: OpenTable, asked: Asked) -> Measurement:
    from leakgauge.jobs.measure import Roles, measure
    from leakgauge.tables import open_table

    roles = Roles((asked.secret,), (), asked.background)
    bins = _binnings(table, asked)
    with open_table(table.source, missing=asked.missing) as source:
        return measure(source, roles, called=table.name, bins=bins)


def _binnings(table: OpenTable, asked: Asked) -> dict[str, Binning]:
    """How the columns in use are gathered; what is said of other columns of the table plays no part here."""
    from leakgauge.tables import parse_binning

    known = [name for name, _ in table.columns]
    found = {}
    for text in asked.bins:
        column, equals, how = text.rpartition("=")
        if not equals or column not in known:
            raise OptionError(
                "The bins {text!r} do not start with a column and '='; write e.g. age=width:10.", text=text
            )
        if column in (asked.secret, *asked.background):
            found[column] = parse_binning(how)
    return found


def _decomposition(fields: Mapping[str, Any], language: Language) -> str:
    from leakgauge.report.figures import decomposition_figure

    return decomposition_figure(fields, language=language).to_svg()


def _curve(table: OpenTable, asked: Asked) -> tuple[Solution, ...]:
    from leakgauge.design import Knowledge, Slope, frontier
    from leakgauge.distances import Hamming
    from leakgauge.jobs.design import Question
    from leakgauge.jobs.measure import Roles
    from leakgauge.tables import open_table

    roles = Roles((asked.secret,), (), asked.background)
    bins = _binnings(table, asked)
    knowledge = Knowledge.ATTACKER if asked.background else Knowledge.NOBODY
    question = Question(roles.secret, roles.background, Hamming(), knowledge, bins)
    with open_table(table.source, missing=asked.missing) as source:
        own = {name: how for name, how in bins.items() if name == asked.secret}
        labels: Sequence[object] = source.counts(asked.secret, bins=own).labels(asked.secret)
        letters = len(labels)
        if letters < 2:
            raise _constant(asked.secret, labels, binned=bool(own))
        if letters > MOST_LETTERS:
            raise OptionError(
                "Column {column!r} has {letters:,} values, and the curve is drawn for up to {most}; bin or merge them.",
                column=asked.secret,
                letters=letters,
                most=MOST_LETTERS,
            )
        problem = question.problem(source, Slope(1.0))
    return frontier(problem, asked.points, _GAP)


def _constant(column: str, labels: Sequence[object], *, binned: bool) -> ColumnError:
    """What is said of a column that can neither hide nor tell anything, in the words of a measurement."""
    if labels and labels[0] is None:
        return ColumnError("Column {column!r} has only missing values; choose another.", column=column)
    if binned:
        return ColumnError("All values of column {column!r} fall into one bin; use finer bins.", column=column)
    return ColumnError("Column {column!r} has the same value in every row; choose another.", column=column)


def _curve_fields(found: tuple[Solution, ...], language: Language) -> dict[str, object]:
    from leakgauge.artefacts.codec import encode
    from leakgauge.measures import entropy
    from leakgauge.probability import Scenario

    first = found[0]
    prior = first.problem.prior
    known = first.background_floor is not None
    return {
        "objective": "leakage_with_background" if known else "leakage",
        "floor": first.background_floor,
        "entropy": entropy(Scenario(prior)),
        "inputs": [_name(label, language) for label in first.channel.inputs],
        "outputs": [_name(label, language) for label in first.channel.outputs],
        "points": [
            {
                "distortion": one.distortion,
                "leakage": one.leakage,
                "leakage_with_background": one.leakage_with_background,
                "epsilon": encode(one.epsilon),
                "gap": one.gap,
                "unchanged": _unchanged(one),
                "matrix": one.channel.matrix.tolist(),
            }
            for one in found
        ],
    }


def _unchanged(found: Solution) -> float:
    """The share of rows that are released as they are."""
    columns = {label: at for at, label in enumerate(found.channel.outputs)}
    prior = found.problem.prior
    shares = zip(prior.outcomes, prior.probabilities.tolist(), strict=True)
    rows = {label: at for at, label in enumerate(found.channel.inputs)}
    matrix = found.channel.matrix
    return float(sum(share * matrix[rows[label], columns[label]] for label, share in shares if label in columns))


def _name(label: Label, language: Language) -> str:
    from leakgauge.probability.labels import text_of

    if label is None:
        return language.say("(missing)")
    return text_of(label) or language.say("(empty)")
