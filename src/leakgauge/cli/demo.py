"""``leakgauge demo``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge.cli.output import deliver, output_options, working
from leakgauge.drafts import require_writable, target, write_whole
from leakgauge.errors import OptionError


@click.command()
@click.option("--sample", type=click.Path(path_type=Path), metavar="FILE", help="Write the sample's rows as CSV, too.")
@output_options
def command(sample: Path | None, as_json: bool, output: Path | None) -> None:
    """Measure the bundled sample: what does marital status leak to someone who knows the occupation?"""
    from leakgauge.cli.measure import as_fields, render
    from leakgauge.jobs.measure import Roles, measure
    from leakgauge.jobs.samples import NAME, adult_rows
    from leakgauge.tables import open_table

    require_writable(output)
    require_writable(sample)
    if sample is not None and output is not None and target(sample) == target(output):
        raise OptionError("{path} is named by --sample and by -o; name two files.", path=output)
    rows = adult_rows()
    with working("Measuring the sample …"), open_table(rows) as table:
        found = measure(table, Roles(("marital_status",), background=("occupation",)))
    if sample is not None:
        columns = [rows.column(name).to_pylist() for name in rows.column_names]
        lines = [",".join(rows.column_names), *(",".join(row) for row in zip(*columns, strict=True))]
        write_whole(sample, "\n".join(lines) + "\n")
    deliver(as_fields(found, NAME, "plug-in"), as_json, output, lambda: render(found, NAME))
