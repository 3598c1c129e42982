"""``leakgauge release``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import KeepOrder, Noise, OrderBy
from leakgauge.cli import options
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, counting, deliver, require_not_read
from leakgauge.errors import OptionError
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge import tables
    from leakgauge.artefacts.record import Preview
    from leakgauge.probability import Distribution
    from leakgauge.release import Prior, ReleasePlan
    from leakgauge.release.bound import BoundPlan
    from leakgauge.release.execution import Progress, Stage
    from leakgauge.release.ledger.cost import Cost


class Releasing(RequestPart, frozen=True):
    """By which plan a table is released, where the record goes, and who pays."""

    plan: Annotated[Path, Option("TOML plan.", "FILE", required=True)]
    record: Annotated[Path | None, Option("The record; by default OUT with .json added.", "FILE")] = None
    ledger: Annotated[str | None, Names.PLACE, Option("The ledger whose budget is used.", "PATH|ADDRESS")] = None
    dataset: Annotated[str | None, Option("Account in the ledger; by default the table's name.", "NAME")] = None
    noise: Noise = None
    prior: Annotated[
        tuple[str, ...],
        Option(
            "For claims under a prior: a CSV label,value (public), 'this-table', or 'noisy-histogram:EPSILON'.",
            "COLUMN=FILE",
        ),
    ] = ()
    keep_order: KeepOrder = False
    order_by: OrderBy = None
    overwrite: Annotated[bool, Option("Replace existing files.")] = False
    dry_run: Annotated[bool, Option("Show the cost; release and write nothing, use no budget.")] = False
    simulate: Annotated[
        int | None, Option("Not private: noise from a seed, every output marked, no budget used.", "SEED")
    ] = None
    on_workers: Annotated[
        bool, Option("Make and write the release where the rows are: on Spark's workers, a folder of Parquet files.")
    ] = False
    sign: Annotated[Path | None, Option("Sign the record with this Ed25519 key.", "KEY")] = None


@click.command(
    cls=Grouped,
    groups={
        message("Plan and files"): "plan output record overwrite keep_order order_by sign on_workers",
        message("Budget"): "ledger dataset noise prior",
        message("Reading the table"): options.names_of(Reading),
        message("Other options"): "dry_run simulate as_json",
    },
)
@click.argument("table", type=options.ADDRESS)
@click.option(
    "-o",
    "--output",
    type=options.ADDRESS,
    metavar="OUT",
    help="The release, .csv or .parquet, or a new table, postgresql://…#schema.table.",
)
@options.taking(asked=Releasing, reading=Reading)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of tables.")
def command(table: str, asked: Releasing, output: str | None, reading: Reading, as_json: bool) -> None:
    """Write the protected table that a plan describes, with its records; columns the plan does not name are not
    released.

    \b
    leakgauge release people.csv --plan plan.toml --ledger people.ledger \\
        -o out.parquet
    leakgauge release people.csv --plan plan.toml --ledger people.ledger --dry-run

    A plan is TOML: public = ["city"], then [columns] with lines such as
    age = "laplace:epsilon=1,lower=0,upper=120" or illness = "channel.json". [bins] with lines such as
    day = "month", and [levels] with lines such as job = "jobs.csv:2", make a column coarser before anything else;
    suppress_below = 5 leaves out public values that fewer rows share. Rows leave in a random order unless
    keep_order = true.

    OUT and OUT with .public.json added may be handed out; the record itself, and the key of the rows' order in
    .order.json, are for their owner only.
    """
    from leakgauge.randomness import OperatingSystem, Simulated
    from leakgauge.release import kept, preview, read_plan, release
    from leakgauge.release.destinations import FileDestination, destination
    from leakgauge.release.drawing import order_place
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.account import default_dataset
    from leakgauge.release.ledger.ledger import ledger_files
    from leakgauge.release.plan import plan_files
    from leakgauge.release.signatures import private_key, signature_place
    from leakgauge.tables import open_table
    from leakgauge.telling import releasing

    plan, address, dataset, sign = read_plan(asked.plan), asked.ledger, asked.dataset, asked.sign
    plan.keep_order, plan.order_by = plan.keep_order or asked.keep_order, asked.order_by or plan.order_by
    plan.noise = plan.noise if asked.noise is None else kept.Noise(asked.noise)
    if output is None and not asked.dry_run:
        raise OptionError("No output is named; add -o OUT, or --dry-run.")
    where = None if output is None else destination(output, on_workers=asked.on_workers)
    place = asked.record if asked.record is not None or where is None else where.beside(".json")
    public = None if where is None else where.beside(".public.json")
    places = [where.output if isinstance(where, FileDestination) else None, place, public]
    places += [] if place is None else [order_place(place)]
    if sign is not None:
        private_key(sign)
        places += [signature_place(one) for one in (place, public) if one is not None]
    read = [*plan_files(asked.plan), *(Path(text.partition("=")[2]) for text in asked.prior), sign]
    for file in places:
        require_not_read(file, table, *read, *(() if address is None else ledger_files(address)))
    if dataset is not None and address is None:
        raise OptionError(
            "--dataset {found!r} names an account, but no ledger is given; name it with --ledger.", found=dataset
        )
    if where is not None and not asked.dry_run and (address is None or place is None or not place.exists()):
        # Opening a table may start a cluster: a name that cannot be written is refused before. Of a release that is
        # there with its record, a ledger may lack only the note that it was written.
        where.require(asked.overwrite)
    name = dataset or default_dataset(table)
    with (
        open_table(table, **reading.given()) as source,
        nullcontext() if address is None else open_ledger(address) as ledger,
    ):
        if plan.order_by is not None:
            plan.unit.require_ordered_by(plan.order_by, source)
        known = _priors(asked.prior, source, plan)
        if asked.dry_run:
            bound, cost, verdict = preview(plan, source, ledger, name, known)
            found = _preview(bound, cost, None if verdict is None else verdict.allowed)
            deliver(found, Output(as_json), lambda voice: releasing.preview(voice, found, bound, cost))
            if verdict is not None:
                verdict.require()
            return
        assert output is not None
        if ledger is None and asked.simulate is None:
            say_uncounted()
        with progress_of(source.rows, counted=ledger is not None) as tell:
            made = release(
                plan,
                source,
                output,
                record=place,
                ledger=ledger,
                dataset=name,
                priors=known,
                overwrite=asked.overwrite,
                randomness=OperatingSystem() if asked.simulate is None else Simulated(asked.simulate),
                sign=sign,
                on_workers=asked.on_workers,
                progress=tell,
            )
        deliver(made.record, Output(as_json), lambda voice: releasing.release(voice, made))


def _priors(texts: Sequence[str], table: tables.Table, plan: ReleasePlan) -> dict[str, Prior | Distribution | float]:
    from leakgauge.probability import Distribution
    from leakgauge.probability.files import match_labels, read_label_values
    from leakgauge.release.priors import bound_channel, own_prior
    from leakgauge.tables import in_bins, suppressed

    priors: dict[str, Prior | Distribution | float] = {}
    for text in texts:
        column, equals, how = text.partition("=")
        if not equals:
            raise OptionError("The prior {found!r} does not name a column; write COLUMN=FILE.", found=text)
        kind, _, budget = how.partition(":")
        if kind == "noisy-histogram":
            prior: Prior | Distribution | float = _epsilon(budget, text)
        elif how == "this-table":
            named, seen = bound_channel(plan, table, column), suppressed(in_bins(table, plan.bins), plan.suppression)
            prior = own_prior(seen, named.inputs, named.channel)
        else:
            labels = bound_channel(plan, table, column).channel.inputs
            values = match_labels(read_label_values(how), labels, "entries of the prior")
            prior = Distribution(labels, [values[label] for label in labels])
        if column in priors:
            raise OptionError("--prior is given twice for column {column!r}; give it once.", column=column)
        priors[column] = prior
    return priors


def _epsilon(budget: str, text: str) -> float:
    try:
        epsilon = float(budget)
    except ValueError:
        epsilon = 0.0
    if not 0 < epsilon < float("inf"):
        raise OptionError("The prior {found!r} has no ε above 0; write noisy-histogram:0.1.", found=text)
    return epsilon


def say_uncounted() -> None:
    """Say on standard error that a release is not counted."""
    told = say("no --ledger is given, so nothing counts this release against a budget.")
    click.echo(f"leakgauge: {told}", err=True)


@contextmanager
def progress_of(total: int, counted: bool) -> Iterator[Progress]:
    """A progress bar for the rows; after an interruption, says what was left behind."""
    spent = completed = False
    with counting(say("Releasing")) as count:

        def tell(stage: Stage, rows: int, /) -> None:
            nonlocal spent, completed
            spent, completed = spent or stage == "spent", completed or stage == "completed"
            count(rows, total)

        try:
            yield tell
        except KeyboardInterrupt:
            if spent and counted:
                click.echo(f"leakgauge: {say('budget used in the ledger stays used.')}", err=True)
            raise
    if completed and not spent:
        told = say("this release was made before; the ledger now notes that it was written, and no budget was used.")
        click.echo(f"leakgauge: {told}", err=True)


def _preview(bound: BoundPlan, cost: Cost, allowed: bool | None) -> Preview:
    from leakgauge.artefacts.record import Preview, PreviewedBudget, keep_inside
    from leakgauge.release.guarantees import budget_of, claims_of, declared_steps
    from leakgauge.release.recorded_plan import recorded_plan

    planned = recorded_plan(bound)
    claims = {one.name: claims_of(planned.columns[one.name], one.mechanism) for one in bound.columns}
    spent = budget_of(cost.steps, planned.origin, declared_steps(bound, cost.steps[len(bound.steps) :]))
    return Preview(keep_inside(planned, claims), planned, claims, PreviewedBudget(spent.epsilon, spent.rho, allowed))
