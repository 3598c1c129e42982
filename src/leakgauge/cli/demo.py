"""``leakgauge demo``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge.cli.output import deliver, output_options, require_writable, working


@click.command()
@output_options
def command(as_json: bool, output: Path | None) -> None:
    """Measure the bundled sample: what does marital status leak to someone who knows the occupation?"""
    from leakgauge.cli.measure import as_fields, render
    from leakgauge.jobs.measure import Roles, measure
    from leakgauge.jobs.samples import NAME, adult_rows
    from leakgauge.tables import open_table

    require_writable(output)
    with working("Measuring the sample …"), open_table(adult_rows()) as table:
        found = measure(table, Roles(("marital_status",), background=("occupation",)))
    deliver(as_fields(found, NAME, "plug-in"), as_json, output, lambda: render(found, NAME))
