"""Answers before anything is released, how much leaks and what usefulness costs: computed once, beside the loop."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request

from leakgauge.artefacts import Measurement, Survey
from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.quantity import SHARE, Quantity
from leakgauge.design import Keep, Knowledge, Slope, Solution, frontier
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import OptionError
from leakgauge.jobs.design import Question, as_point, bits_or_none
from leakgauge.jobs.measure import Roles, measure, require_varied
from leakgauge.jobs.survey import survey
from leakgauge.languages import Language
from leakgauge.measures import entropy
from leakgauge.probability import Scenario
from leakgauge.tables import Binning, in_bins, open_table, parse_binning
from leakgauge.telling.blocks import text_of
from leakgauge.telling.curve import (
    another_attacker,
    as_a_limit,
    between,
    in_cells,
    in_full,
    marks,
    point_in_words,
    point_of_curve,
)
from leakgauge.telling.figures.channel import label_name
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.decomposition import decomposition_figure
from leakgauge.telling.measurement import measurement
from leakgauge.telling.survey import shape_of
from leakgauge.telling.voice import Voice
from leakgauge.web.profile import first_rows, profile_of
from leakgauge.web.questions import TableQuestion
from leakgauge.web.rendering import facts, html
from leakgauge.web.what_if import LearntBefore, counts_of, known_bins, learnt
from leakgauge.web.workspace import OpenTable, Workspace

MOST_LETTERS: Final = 60
"""Letters of a secret whose channel can still be read on the page."""
_NUMBERED: Final = 12
"""Rows and columns of a channel up to which its cells have room for numbers."""
_GAP: Final = 1e-6
"""The gap of a drawn curve, in bits; far below what can be seen."""

Answer = TypeVar("Answer")


@dataclass
class _Computation:
    """A question with its answer to come, how many wait for it, and whether it is being computed."""

    task: asyncio.Task[Any]
    waiting: int = 0
    begun: bool = False


class Remembered:
    """The last answers by their questions: so many are kept, and so many computed at a time."""

    def __init__(self, most: int = 64, threads: int = 2) -> None:
        self._most = most
        self._free = asyncio.Semaphore(threads)
        self._known: OrderedDict[Hashable, _Computation] = OrderedDict()

    async def once(self, question: Hashable, compute: Callable[[], Answer]) -> Answer:
        """The answer to a question: computed in a thread, or the one under way, or the one from before.

        A question whose askers have all gone before its turn is dropped; one that is being computed is finished, and
        its answer kept.
        """
        asked = self._known.get(question) or self._ask(question, compute)
        self._known.move_to_end(question)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        asked.waiting += 1
        try:
            # Someone who asks no longer must not take the answer away from others.
            answer: Answer = await asyncio.shield(asked.task)
            return answer
        finally:
            asked.waiting -= 1
            if not asked.waiting and not asked.begun and not asked.task.done():
                asked.task.cancel()
                self._forget(question, asked)

    def _ask(self, question: Hashable, compute: Callable[[], Answer]) -> _Computation:
        async def answer() -> Answer:
            async with self._free:
                asked.begun = True
                return await to_thread.run_sync(compute)

        asked = _Computation(asyncio.create_task(answer()))
        asked.task.add_done_callback(lambda done: self._forget_failed(question, asked))
        self._known[question] = asked
        return asked

    def _forget_failed(self, question: Hashable, asked: _Computation) -> None:
        """What went wrong may go well the next time; asking for the error here also marks it as seen."""
        if asked.task.cancelled() or asked.task.exception() is not None:
            self._forget(question, asked)

    def _forget(self, question: Hashable, asked: _Computation) -> None:
        if self._known.get(question) is asked:
            del self._known[question]


async def while_awaited(request: Request, answer: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer, given up when the one who asked goes away; the body of the request must have been read.

    Raises:
        ClientDisconnect: nobody waits any more.
    """
    computing, gone = asyncio.create_task(answer), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({computing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not computing.done():
            raise ClientDisconnect
        return computing.result()
    finally:
        computing.cancel()
        gone.cancel()
        await asyncio.gather(computing, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Answers:
    """Answers computed beside the server's loop, each once for a question and the contents of its table."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._remembered = Remembered()
        # One at a time: two would only wait for each other, and the one that nobody wants any more holds up the next.
        self._curves = Remembered(threads=1)
        self._surveys = Remembered(threads=1)
        self._values: dict[str, Mapping[str, int]] = {}
        self._preparing: threading.Thread | None = None

    async def measure(self, asked: TableQuestion, language: Language) -> dict[str, object]:
        """The fields of ``leakgauge measure``, with the picture of where the entropy goes."""
        asked = replace(asked, points=0, distortion="", keep="")
        table = self._workspace.table(asked.table)
        found = await self._once(("measure", asked), table, lambda: _measured(table, asked))
        question = ("picture", asked, language.code)
        picture = await self._once(question, table, lambda: decomposition_figure(found, language=language).to_svg())
        voice = Voice(language=language)
        return {
            **encode(found),
            "figure": picture,
            "told": html(measurement(voice, found), language),
            "note": text_of((voice.number(found.entropy, "value", unit="bits"),), language),
            "words": {"letters": f"{found.letters['secret']:,}"},
        }

    async def survey(self, asked: TableQuestion, tell: Callable[[int, int], None]) -> Survey:
        """The fields of ``leakgauge survey``; ``tell`` is told, in the loop, how much is done of how much."""
        asked = replace(asked, background=(), points=0, distortion="", keep="")
        table, loop = self._workspace.table(asked.table), asyncio.get_running_loop()

        def progress(done: int, total: int) -> None:
            loop.call_soon_threadsafe(tell, done, total)

        def look() -> Survey:
            found = survey(
                table.source, asked.secret, unit=asked.unit, bins=asked.bins, missing=asked.missing, progress=progress
            )
            # What was written to while it was read is neither the old table nor the new one.
            self._workspace.require_unchanged(table)
            self._values[table.key] = {one.name: one.distinct for one in found.columns}
            return found

        return await self._once(("survey", asked), table, look, self._surveys)

    def values(self, table: OpenTable) -> Mapping[str, int]:
        """How many different values each column has; empty before a survey of the table."""
        return self._values.get(table.key, {})

    async def profile(self, asked: TableQuestion, language: Language) -> dict[str, object]:
        """Of each column how many values are missing, and the shape of the others; no value is told."""
        table = self._workspace.table(asked.table)
        found = await self._once(
            ("profile", asked.missing), table, lambda: profile_of(table.source, asked.missing), self._surveys
        )
        voice = Voice(language=language)
        return {
            name: {**one, **shape_of(voice, one["ranges"], one["bars"], one["missing"])} for name, one in found.items()
        }

    async def preview(self, asked: TableQuestion, masked: bool) -> dict[str, object]:
        """The first rows, their letters and digits masked unless somebody asks for the values."""
        table = self._workspace.table(asked.table)
        question = ("preview", asked.missing, masked)
        return await self._once(question, table, lambda: first_rows(table.source, asked.missing, masked=masked))

    async def frontier(self, asked: TableQuestion, language: Language) -> dict[str, object]:
        """The curve of least leakage with its channels, which keep the shares where asked for, and where nothing is."""
        table = self._workspace.table(asked.table)
        kept, free = await self._once(("frontier", asked), table, lambda: _curves(table, asked), self._curves)
        names = ("distortion", "leakage", "leakage_with_background")
        least = [{name: getattr(one, name) for name in names} for one in _along(free)]
        question, curve = ("curve", asked, language.code), free if asked.keep == "nothing" else kept
        fields = await self._once(question, table, lambda: _curve_fields(_along(curve), language))
        return {**fields, "least": least}

    async def what_if(self, asked: TableQuestion, known: tuple[str, ...], language: Language) -> dict[str, object]:
        """What somebody who knows these columns would learn from the channels of the curve, which stay as they are."""
        table = self._workspace.table(asked.table)
        kept, free = await self._once(("frontier", asked), table, lambda: _curves(table, asked), self._curves)
        curve = _along(free if asked.keep == "nothing" else kept)
        # In one order, so that the same columns are the same question.
        known = tuple(sorted(known))
        found = await self._once(("what if", asked, known), table, lambda: _learnt(table, asked, known, curve))
        return _learnt_fields(found, language)

    def prepare(self) -> None:
        """Start the drawing engine, beside the loop, while a person still looks at the columns."""
        if self._preparing is None:
            drawn = Figure({"data": {"values": []}, "mark": "point"}, "")
            self._preparing = threading.Thread(target=drawn.to_svg, daemon=True)
            self._preparing.start()

    async def _once(
        self, question: Hashable, table: OpenTable, compute: Callable[[], Answer], memory: Remembered | None = None
    ) -> Answer:
        """The answer to a question, from memory where it was asked before of the same contents."""
        await to_thread.run_sync(self._workspace.require_unchanged, table)
        return await (memory or self._remembered).once((question, table.digest), compute)


def _measured(table: OpenTable, asked: TableQuestion) -> Measurement:
    roles = Roles(asked.secret, (), asked.background, asked.unit)
    bins = _binnings(table, asked)
    with open_table(table.source, missing=asked.missing) as source:
        return measure(in_bins(source, bins), roles, called=table.name)


def _binnings(table: OpenTable, asked: TableQuestion) -> dict[str, Binning]:
    """How the columns in use are gathered; what is said of other columns of the table plays no part here."""
    known = [name for name, _ in table.columns]
    found = {}
    for text in asked.bins:
        column, equals, how = text.rpartition("=")
        if not equals or column not in known:
            raise OptionError(
                "The bins {text!r} do not start with a column and '='; write e.g. age=width:10.", text=text
            )
        if column in (*asked.secret, *asked.background):
            found[column] = parse_binning(how)
    return found


def _curves(table: OpenTable, asked: TableQuestion) -> tuple[tuple[Solution, ...], tuple[Solution, ...]]:
    """The channels that keep the shares, as a job designs them, and those that keep nothing."""
    roles = Roles(asked.secret, (), asked.background)
    bins = _binnings(table, asked)
    knowledge = Knowledge.ATTACKER if asked.background else Knowledge.NOBODY
    question = Question(roles.secret, roles.background, distortion_named(asked.distortion), knowledge, bins)
    with open_table(table.source, missing=asked.missing) as source:
        counts = in_bins(source, bins).counts(*asked.secret)
        for column in asked.secret:
            require_varied(counts, column, binned=column in bins)
        letters = len(counts.distribution(*asked.secret).outcomes)
        if letters > MOST_LETTERS:
            raise OptionError(
                "Column {column!r} has {letters:,} values, but the curve is drawn for up to {most}; bin or merge them.",
                column=", ".join(asked.secret),
                letters=letters,
                most=MOST_LETTERS,
            )
        problem = question.problem(source, Slope(1.0))
    kept = replace(problem, keep=Keep.SHARES)
    return frontier(kept, asked.points, _GAP), frontier(problem, asked.points, _GAP)


def _learnt(
    table: OpenTable, asked: TableQuestion, known: tuple[str, ...], curve: tuple[Solution, ...]
) -> LearntBefore:
    roles = Roles(asked.secret, (), known)
    with open_table(table.source, missing=asked.missing) as source:
        bins = known_bins(source, known, _binnings(table, replace(asked, background=known)))
        counts = counts_of(source, roles.secret, known, bins, asked.unit)
    return learnt(counts, roles.secret, known, curve)


def _learnt_fields(found: LearntBefore, language: Language) -> dict[str, object]:
    """The line beside the curve, and what the attacker learns: before a release, and at each point."""
    voice, before = Voice(language=language), (found.floor, found.guess)
    return {
        "floor": found.floor,
        "guess": found.guess,
        "before": facts(another_attacker(voice, *before, None, None), language),
        "points": [
            {
                "distortion": one.distortion,
                "leakage": one.leakage,
                "guess": one.guess,
                "told": facts(another_attacker(voice, *before, one.leakage, one.guess), language),
            }
            for one in found.points
        ],
    }


def _along(curve: tuple[Solution, ...]) -> tuple[Solution, ...]:
    """From the least distortion to the most."""
    return tuple(sorted(curve, key=lambda one: one.distortion))


def _curve_fields(found: tuple[Solution, ...], language: Language) -> dict[str, object]:
    """The curve as it is drawn, and the words of its points and of what a limit of leakage must keep to."""
    voice, first = Voice(language=language), found[0]
    objective = "leakage" if first.background_floor is None else "leakage_with_background"
    there = Quantity(entropy(Scenario(first.problem.prior)), "bits")
    floor = bits_or_none(first.background_floor)
    most, highest = found[-1].distortion or 1.0, max(there.value, *(getattr(one, objective) for one in found)) or 1.0
    return {
        "objective": objective,
        "floor": first.background_floor,
        "entropy": there.value,
        "most": most,
        "highest": highest,
        "marks": {"distortion": [*marks(most)], "leakage": [*marks(highest)]},
        "words": {name: text_of(said, language) for name, said in between(voice, there, floor).items()},
        "inputs": [label_name(label, language) for label in first.channel.inputs],
        "outputs": [label_name(label, language) for label in first.channel.outputs],
        "points": [_point_fields(voice, one, there) for one in found],
    }


def _point_fields(voice: Voice, found: Solution, there: Quantity) -> dict[str, object]:
    point, unchanged, matrix = as_point(found), Quantity(_unchanged(found), SHARE), found.channel.matrix.tolist()
    return {
        "distortion": found.distortion,
        "limit": as_a_limit(found.distortion),
        "leakage": found.leakage,
        "leakage_with_background": found.leakage_with_background,
        "epsilon": encode(found.epsilon),
        "gap": found.gap,
        "unchanged": unchanged.value,
        "words": text_of(point_in_words(voice, point, unchanged), voice.language),
        "numbers": facts(point_of_curve(voice, point, there, unchanged), voice.language),
        "matrix": matrix,
        # More cells are too small for a number each.
        "cells": in_cells(matrix) if max(len(matrix), len(matrix[0])) <= _NUMBERED else None,
        "told": in_full(matrix),
    }


def _unchanged(found: Solution) -> float:
    """The share of rows that are released as they are."""
    prior, channel = found.problem.prior, found.channel
    released = set(channel.outputs)
    return float(sum(prior[label] * channel.row(label)[label] for label in prior.outcomes if label in released))
