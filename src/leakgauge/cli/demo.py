"""``leakgauge demo``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError


@click.command()
@click.option("--sample", type=FILE, metavar="FILE", help="Write the sample as CSV, nothing else.")
@click.option("--places", type=FILE, metavar="FILE", help="Write simulated pings as CSV, nothing else.")
@click.option("--open", "opened", is_flag=True, help="Show the report in the browser.")
@options.as_json
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("leakgauge-demo"),
    show_default=True,
    metavar="DIR",
    help="The folder for all results.",
)
def command(sample: Path | None, places: Path | None, opened: bool, as_json: bool, output: Path) -> None:
    """Protect the bundled sample: marital status, from someone who knows the occupation, which is published too.

    Finds the most useful setting with a protection of 60, then releases, attacks, judges and reports it.
    """
    from leakgauge.artefacts import Request
    from leakgauge.cli.protect import progress_lines, show
    from leakgauge.jobs.protect import protect
    from leakgauge.jobs.samples import adult_csv

    if sample is not None or places is not None:
        _write_samples(sample, places)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    table = output.with_name(f"{output.name}-sample.csv")
    _write_new(table, adult_csv())
    known = ("occupation",)
    asked = Request.of(
        str(table),
        secret="marital_status",
        background=known,
        public=known,
        min_protection=60.0,
        purpose=say("a demonstration"),
        recipient=say("anyone who tries Leakgauge"),
        review=(datetime.now(UTC) + timedelta(days=365)).date().isoformat(),
        report_language=current().code,
    )
    with progress_lines() as tell:
        done = protect(asked, output, progress=tell)
    show(done, as_json)
    if opened:
        click.launch(str(output / "report.html"))


def _write_samples(sample: Path | None, places: Path | None) -> None:
    """Write the samples that were asked for."""
    from leakgauge.jobs.samples import adult_csv
    from leakgauge.location.traces.mobility import places_csv

    for place, text in ((sample, adult_csv), (places, places_csv)):
        if place is not None:
            _write_new(place, text())
            click.echo(say("Wrote {path!s}.", path=place))


def _write_new(place: Path, text: str) -> None:
    """Write a sample, unless another file is in the way."""
    require_writable(place)
    if not place.exists():
        write_whole(place, text, shareable=True)
    elif place.read_bytes() != text.encode():
        raise FileError("{path} exists and is not the sample; name another file.", path=place)
