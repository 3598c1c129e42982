"""``leakgauge design``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.claims.quantities import exact_json
from leakgauge.cli.output import deliver, shown, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.design import Knowledge, Solution, Target
    from leakgauge.distances import Distortion
    from leakgauge.jobs.design import Question

DISTORTIONS = ("hamming", "absolute", "squared")


@click.command()
@click.argument("table")
@click.option("--secret", multiple=True, required=True, metavar="COLUMN", help="Secret; repeated: one joint source.")
@click.option("--background", multiple=True, metavar="COLUMN", help="What the attacker knows; may be repeated.")
@click.option(
    "--knowledge",
    type=click.Choice(["nobody", "attacker", "both", "published"]),
    help="Who knows the background; by default the attacker where there is one, else nobody.",
)
@click.option(
    "--distortion",
    default="hamming",
    show_default=True,
    metavar="NAME|FILE",
    help="hamming, absolute, squared, or CSV.",
)
@click.option("--slope", type=float, metavar="NATS", help="The point where a unit of distortion is worth so many nats.")
@click.option("--max-distortion", type=float, metavar="D", help="The least leakage with at most this mean distortion.")
@click.option("--max-leakage", type=float, metavar="BITS", help="The least distortion with at most these bits.")
@click.option("--curve", type=int, metavar="N", help="N points from no leakage to the least distortion.")
@click.option("--local-dp", type=float, metavar="EPS", help="Keep this local ε as well, in nats.")
@click.option("--identifiability", type=float, metavar="EPS", help="Keep this identifiability as well, in nats.")
@click.option("--bins", multiple=True, metavar="COLUMN=HOW", help="width:10, quantiles:5, edges:0,18,65, year, …")
@click.option("--missing", multiple=True, metavar="TEXT", help="Text that counts as missing, such as '?'.")
@click.option("--gap", type=float, metavar="NATS", help="How close to the best; 1e-9, with bounds beside it 1e-6.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The channel; of a curve, JSON or .csv; .svg draws it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def command(
    table: str,
    secret: tuple[str, ...],
    background: tuple[str, ...],
    knowledge: str | None,
    distortion: str,
    slope: float | None,
    max_distortion: float | None,
    max_leakage: float | None,
    curve: int | None,
    local_dp: float | None,
    identifiability: float | None,
    bins: tuple[str, ...],
    missing: tuple[str, ...],
    gap: float | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """The channel that provably leaks least for the usefulness you need, from the frequencies in TABLE.

    \b
    leakgauge design people.csv --secret illness --max-distortion 0.2 -o channel.json
    leakgauge design people.csv --secret illness --background city --max-leakage 0.5 -o channel.json
    leakgauge design people.csv --secret illness --curve 20 -o curve.csv

    The channel file goes into a plan of `leakgauge release`. It is learnt from the table, and says so.
    """
    from leakgauge.cli.measure import binnings
    from leakgauge.jobs.design import Question, design, design_curve
    from leakgauge.tables import open_table, source_files

    target = _target(slope, max_distortion, max_leakage, curve)
    if gap is None:
        # Beside a bound on ratios the last digits take far longer than the first.
        gap = 1e-9 if local_dp is None and identifiability is None else 1e-6
    file = [] if distortion in DISTORTIONS else [Path(distortion)]
    require_writable(output, *source_files(table), Path(table), *file)
    question = Question(
        secret,
        background,
        distortion_of(distortion),
        _knowledge(knowledge, background),
        binnings(bins, set(secret + background)),
        local_dp,
        identifiability,
    )
    with working(f"Designing for {Path(table).name} …"), open_table(table, missing=missing) as source:
        found = (
            [design(source, question, target, gap)]
            if curve is None
            else design_curve(source, question, curve, target, gap)
        )
    if output is not None:
        write_whole(output, _artefact(question, found, output, curve is not None))
    if curve is None:
        deliver(as_fields(found[0]), as_json, None, lambda: render(found, secret))
    else:
        deliver(_curve_fields(found), as_json, None, lambda: render(found, secret))


def _target(slope: float | None, distortion: float | None, leakage: float | None, curve: int | None) -> Target:
    from leakgauge.design import MaxDistortion, MaxLeakage, Slope

    given = [one for one in (slope, distortion, leakage, curve) if one is not None]
    if len(given) != 1:
        raise OptionError(
            "{count} targets are given; say one of --slope, --max-distortion, --max-leakage and --curve.",
            count=len(given),
        )
    if distortion is not None:
        return MaxDistortion(distortion)
    return MaxLeakage(leakage) if leakage is not None else Slope(slope or 0.0)


def _knowledge(name: str | None, background: Sequence[str]) -> Knowledge:
    from leakgauge.design import Knowledge

    if name is None:
        return Knowledge.ATTACKER if background else Knowledge.NOBODY
    return Knowledge(name)


def distortion_of(name: str) -> Distortion:
    """The distortion of a name, or in a file."""
    from leakgauge.distances import Absolute, Hamming, Squared, read_distortion

    known: dict[str, type[Distortion]] = {"hamming": Hamming, "absolute": Absolute, "squared": Squared}
    return known[name]() if name in known else read_distortion(name)


def _artefact(question: Question, found: Sequence[Solution], output: Path, curve: bool) -> str:
    from leakgauge.report.figures import channel_figure, frontier_figure

    if not curve:
        if output.suffix.lower() == ".svg":
            return channel_figure(found[0].channel).to_svg() + "\n"
        return json.dumps(question.named(found[0]).as_json(), ensure_ascii=False) + "\n"
    if output.suffix.lower() == ".svg":
        return frontier_figure(found).to_svg() + "\n"
    if output.suffix.lower() != ".csv":
        return json.dumps(_curve_fields(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    text = io.StringIO()
    rows = [{name: one["value"] if isinstance(one, dict) else one for name, one in _point(s).items()} for s in found]
    lines = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()


def as_fields(found: Solution) -> dict[str, Any]:
    """The solution as the fields of its JSON."""
    from leakgauge.notions import level_json

    told = None if found.identifiability is None else level_json(found.identifiability)
    return {
        "schema": "leakgauge/design/1",
        "knowledge": found.problem.knowledge.value,
        **_point(found),
        "identifiability": told,
        "iterations": found.iterations,
        "prior": "this table",
    }


def _point(found: Solution) -> dict[str, Any]:
    bits = {
        "leakage": found.leakage,
        "leakage_with_background": found.leakage_with_background,
        "background_floor": found.background_floor,
    }
    return {
        **{name: None if value is None else exact_json(value, "bits") for name, value in bits.items()},
        "distortion": exact_json(found.distortion, "distortion"),
        "epsilon": exact_json(found.epsilon, "nats"),
        "gap": exact_json(found.gap, "bits"),
        "slope": exact_json(found.slope, "nats per unit of distortion"),
        "letters": found.letters,
    }


def _curve_fields(found: Sequence[Solution]) -> dict[str, Any]:
    return {
        "schema": "leakgauge/frontier/1",
        "knowledge": found[0].problem.knowledge.value,
        "points": [_point(one) for one in found],
        "prior": "this table",
    }


def render(found: Sequence[Solution], secret: Sequence[str]) -> list[RenderableType]:
    """The solutions as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    columns = ["mean distortion", "I(X;Y) bits", "ε nats", "letters", "gap bits", "slope"]
    background = found[0].background_floor
    if background is not None:
        columns.insert(2, "I(X;Y,Z) bits")
    grid = Table(*columns, title=f"Least leaking channels for {', '.join(secret)}", title_justify="left")
    for one in found:
        cells = [shown(one.distortion), shown(one.leakage), shown(one.epsilon), str(one.letters), f"{one.gap:.1e}"]
        if one.leakage_with_background is not None:
            cells.insert(2, shown(one.leakage_with_background))
        grid.add_row(*cells, shown(one.slope))
    parts: list[RenderableType] = [grid]
    if background is not None:
        parts.append(Text(f"The background alone tells I(X;Z) = {shown(background)} bits; no channel leaks less."))
    parts.append(
        Text("No channel as useful leaks less than these, but for the gap. Designed from this table's counts.")
    )
    return parts
