"""What ``protect`` says about the recipients of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from leakgauge.cli.language import listed, say
from leakgauge.cli.output import Parts
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge.jobs.protect import Done

_READ_AS = {
    "at least": message(
        "· Recipients can count {columns!s} as it is; for shares the release is as precise as at least "
        "{rows:,.0f} of the {all:,} original rows."
    ),
    "counted": message(
        "· Recipients can count {columns!s} as it is; for shares the release is as precise as "
        "{rows:,.0f} of the {all:,} original rows."
    ),
    "corrected": message(
        "· Recipients can correct {columns!s} for the noise of its channel; then the "
        "release is as precise as {rows:,.0f} of the {all:,} original rows."
    ),
    "mean": message(
        "· Recipients can take the mean of {columns!s}, as precise as from {rows:,.0f} of the {all:,} original rows."
    ),
}


def said_of_recipients(done: Done) -> Parts:
    """What recipients can compute from each column, and the commands that would let them compute more."""
    from leakgauge.artefacts.dossier import RECIPIENTS
    from leakgauge.artefacts.estimates import ReadAs
    from leakgauge.release.estimates.handed_out import CHOSEN
    from leakgauge.release.estimates.kit import INSIDE

    found, rows, parts = done.kept.found(RECIPIENTS), done.job.table.rows, Parts()
    if found is None or done.refused is not None:
        return parts
    for one in found.columns:
        fields: dict[str, object] = {"columns": listed(one.columns), "all": rows}
        worth = one.rows or one.least_rows
        if one.blank:
            parts.append(
                say(
                    "· {blank:,} of {all:,} cells of {columns!s} are blank: the mechanism chooses at random "
                    "which rows release a value.",
                    **fields,
                    blank=one.blank,
                )
            )
        if one.reason is not None or worth is None:
            said = say("Recipients cannot compute anything from {columns!s}: {reason}.", **fields, reason=one.reason)
            parts.append(Text(said, "yellow"))
            # The channel of a public column is never handed out: it reveals how the column and the secrets are related.
            if one.reason in (INSIDE, CHOSEN) and not set(one.columns).intersection(
                done.job.request.roles.public_through
            ):
                parts.append(say("--publish-shares puts the channel into the kit, if the table's shares may be known."))
            continue
        fields["rows"] = worth.value
        known = one.rows is not None or one.read_as is not ReadAs.COUNTED
        parts.append(say(_READ_AS[one.read_as.value if one.read_as and known else "at least"], **fields))
        if one.confused:
            said = say(
                "The channel of {columns!s} does not distinguish {count} of its values.", **fields, count=one.confused
            )
            parts.append(Text(said, "yellow"))
    if found.commands and found.epsilon is not None:
        parts.append(
            say(
                "Cross-tables need the channels, which are kept private because they follow from private counts. "
                "Channels designed from a noisy histogram go into the kit; with ε = {epsilon:g} each of its counts is "
                "off by about {off:.2g} rows, little beside {all:,}:",
                epsilon=found.epsilon.value,
                off=2 * 2**0.5 / found.epsilon.value,
                all=rows,
            )
        )
        parts += [Text(f"  {one}", no_wrap=True) for one in found.commands]
    return parts
