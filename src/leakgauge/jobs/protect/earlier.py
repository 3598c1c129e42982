"""A job repeated on a new table: its request, and its mechanisms unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Job, Record, Request, codec
from leakgauge.artefacts.dossier import JOB, RECORD
from leakgauge.artefacts.record import PlannedColumn
from leakgauge.artefacts.request import Aiming
from leakgauge.errors import ColumnError, FileError, OptionError, VerificationError
from leakgauge.jobs.protect.choice import Chosen
from leakgauge.mechanisms import CATALOGUE
from leakgauge.probability import Interval, PriorOrigin
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.release.ledger.account import default_dataset
from leakgauge.release.record import file_digest, read_record
from leakgauge.release.recorded_plan import PRIVATE_LETTERS, binnings
from leakgauge.tables import Column, Kind, Levels, Table
from leakgauge.tables.levels import named_levels

_NUMBERS = {Kind.INT.words, Kind.FLOAT.words}


@dataclass(frozen=True)
class Earlier:
    """A job with a release, in its folder."""

    folder: Path
    job: Job
    record: Record

    @cached_property
    def asked(self) -> Request:
        """The request as repeated: learnt edges stay, and nothing is bought again."""
        asked = self.job.request
        named = {text.rpartition("=")[0] for text in asked.coarsening.bins}
        fixed = {name: f"{name}={one.binning}" for name, one in self.record.plan.bins.items() if one.level is None}
        if asked.coarsening.min_k is not None:
            # The public columns are coarsened again, as the new table needs.
            fixed = {name: text for name, text in fixed.items() if name in asked.roles.released_secrets}
        # An allowed error leads to bins that nobody asked for.
        implied = (fixed[name] for name in asked.roles.released_secrets if name in fixed and name not in named)
        return asked.having(
            bins=(*(fixed.get(text.rpartition("=")[0], text) for text in asked.coarsening.bins), *implied),
            accounted=None,
            # By default the account would have the name of the new table.
            dataset=None if asked.budget.ledger is None else asked.budget.dataset or default_dataset(asked.table),
            repeat=str(self.folder),
        )

    def options(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options of the request for the new table, with those given again."""
        # Bins typed as before mean the same edges as before.
        bins = given.get("bins", ())
        same = ((bins,) if isinstance(bins, str) else tuple(bins)) == self.job.request.coarsening.bins
        typed = {name: value for name, value in given.items() if name != "bins" or not same}
        return {**self.asked.options(), **typed}

    def require_same_mechanism(self, asked: Request) -> None:
        """Refuse a request that would need another mechanism.

        Raises:
            OptionError: another secret, or another value of an option that determines the mechanism.
        """
        if asked.roles.groups != self.asked.roles.groups:
            raise OptionError(
                "--repeat releases {secrets!s} as {path!s} did, but other secrets are named; name the same, or run "
                "without --repeat.",
                secrets=tuple(name for group in self.asked.roles.groups for name in group),
                path=str(self.folder),
            )
        now, before = _deciding(asked), _deciding(self.asked)
        for name in now:
            if now[name] != before[name]:
                raise OptionError(
                    "--{name!s} differs from {path!s}, whose mechanism --repeat takes unchanged; leave it out, or run "
                    "without --repeat.",
                    name=name.replace("_", "-"),
                    path=str(self.folder),
                )

    def require_public(self, asked: Request) -> None:
        """Refuse a request that no longer publishes a column a mechanism reads: its claims are conditional on it."""
        for column in self.record.plan.columns.values():
            hidden = tuple(repr(name) for name in column.given if name not in asked.roles.public)
            if hidden:
                raise OptionError(
                    "The mechanism of {path!s} reads {columns!s}, which must therefore be public; publish it as "
                    "before, or run without --repeat.",
                    path=str(self.folder),
                    columns=hidden,
                )

    def require_columns(self, asked: Request, found: tuple[Column, ...]) -> None:
        """Refuse a new table that lacks columns, or in which a secret is of another kind."""
        kinds = {one.name: one.kind.words for one in found}
        gone = tuple(repr(name) for name in asked.roles.columns if name not in kinds)
        if gone:
            raise ColumnError(
                "The new table lacks {columns!s}, which the job in {path!s} reads; add what is missing, or run without "
                "--repeat.",
                columns=gone,
                path=str(self.folder),
            )
        before = {one.name: one.kind for one in self.job.table.columns}
        for name in (*asked.roles.released_secrets, *asked.roles.public_through):
            both = {before[name], kinds[name]}
            if len(both) > 1 and both != _NUMBERS:
                raise ColumnError(
                    "Column {name!r} held {before} in the table of {path!s} and holds {now} in the new one; write its "
                    "values as they were, or run without --repeat.",
                    name=name,
                    before=before[name],
                    path=str(self.folder),
                    now=kinds[name],
                )

    def levels(self, asked: Request) -> dict[str, Levels]:
        """The levels that are not named again, from the record: their file may have changed or be gone."""
        before = named_levels(self.job.request.coarsening.levels, self.job.request.roles.columns)
        now = named_levels(asked.coarsening.levels, asked.roles.columns)
        recorded = binnings(self.record.plan)
        return {
            name: how
            for name, how in recorded.items()
            if isinstance(how, Levels) and name in now and now[name] == before.get(name)
        }

    def chosen(self) -> dict[tuple[str, ...], Chosen]:
        """How secrets and public columns are released: unchanged, marked as designed from another table."""
        found = {column.writes: _chosen(column, self.folder) for column in self.record.plan.columns.values()}
        return {
            group: found[group]
            for group in (*((name,) for name in self.asked.roles.public_through), *self.asked.roles.groups)
        }

    def learnt(self, asked: Request) -> tuple[str, ...]:
        """The columns whose values or edges come from an earlier table, unchanged."""
        plan = self.record.plan
        letters = [name for name, one in plan.columns.items() if one.letters in PRIVATE_LETTERS]
        edges = [name for name, one in plan.bins.items() if one.learnt is not None or one.from_another_table]
        kept = [name for name in edges if f"{name}={plan.bins[name].binning}" in asked.coarsening.bins]
        return tuple(dict.fromkeys((*letters, *kept)))

    def require_known_values(self, plan: ReleasePlan, table: Table) -> None:
        """Refuse, before anything is drawn, a table with values the mechanism does not accept: says how many, not
        which.

        Raises:
            ColumnError: how many rows have one.
        """
        bound = bind(plan, table)
        for one in bound.columns:
            known = set(one.form.labels)
            # Intervals contain numbers that are not labels; the release checks these row by row.
            if not known or any(isinstance(part, Interval) for part in known):
                continue
            found = bound.table.counts(*one.reads).merge({"input": one.reads})
            labels = zip(found.labels("input"), found.array().tolist(), strict=True)
            unknown = sum(rows for label, rows in labels if label not in known)
            if unknown:
                raise ColumnError(
                    "{rows} of {all} rows have a value of {column!s} that the mechanism of {path!s} does not know; "
                    "merge such values with known ones, or run without --repeat.",
                    rows=unknown,
                    all=table.rows,
                    column=", ".join(one.reads),
                    path=str(self.folder),
                )


def earlier_job(folder: Path | str) -> Earlier:
    """The finished job in a folder that has released something.

    Raises:
        FileError: there is none, or its files cannot be read.
        OptionError: it is not finished, or released nothing.
        VerificationError: its record was changed.
    """
    place = Path(folder)
    if not (place / JOB.name).is_file():
        raise FileError("{path} is not the folder of a job; name the job to repeat.", path=place)
    job = codec.read(Job, place / JOB.name)
    if job.finished is None:
        raise OptionError("The job in {path} is not finished; run the same command again to finish it.", path=place)
    if "release" not in job.stages:
        raise OptionError("The job in {path} released nothing; repeat one that did.", path=place)
    if not (place / RECORD.name).is_file():
        raise FileError("{path} is missing, so the job cannot be repeated; put it back.", path=place / RECORD.name)
    if file_digest(place / RECORD.name) != job.stages["release"].outputs.get(RECORD.name):
        raise VerificationError(
            "{path} was changed after the job wrote it; put it back as it was, or run the job again.",
            path=place / RECORD.name,
        )
    return Earlier(place, job, read_record(place / RECORD.name))


def _deciding(asked: Request) -> dict[str, object]:
    """What determines the mechanism, which cannot change while the mechanism stays, by the option that asks for it."""
    # How many bits may be revealed is a limit: the mechanism of before is measured against it.
    aiming = structs.replace(Aiming.of(asked.aims), max_leakage=None)
    columns = (*asked.roles.released_secrets, *asked.roles.public_through)

    def of_these(texts: tuple[str, ...]) -> set[str]:
        return {text for text in texts for column in columns if text.startswith(f"{column}=")}

    return {
        **structs.asdict(aiming),
        # Where no setting is searched for, points are only limits.
        "min_protection": asked.limits.min_protection if asked.is_searched else None,
        "min_usefulness": asked.limits.min_usefulness if asked.is_searched else None,
        "keep": asked.limits.kept,
        "clamp": asked.limits.clamp,
        # Bins and levels of other public columns, and of the background, may change.
        "bins": of_these(asked.coarsening.bins),
        "levels": of_these(asked.coarsening.levels),
        "accounted": asked.budget.accounted,
        "public": asked.roles.public_distortion,
    }


def _chosen(column: PlannedColumn, folder: Path) -> Chosen:
    if column.channel is None or (column.kind in CATALOGUE and column.kind != "channel"):
        return Chosen(column.mechanism)
    named = column.channel.named(folder / RECORD.name)
    here = named.prior_origin is PriorOrigin.THIS_TABLE
    return Chosen(replace(named, prior_origin=PriorOrigin.ANOTHER_TABLE) if here else named)
