"""``leakgauge audit TABLE --queries``: could a secret be reconstructed from the answers?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leakgauge.cli.language import say
from leakgauge.cli.output import Output, counting, deliver, require_not_read
from leakgauge.cli.terminal import terminal, voice_of
from leakgauge.errors import OptionError


def audit_planned(source: str, given: Mapping[str, Any], to: Output) -> None:
    """Draw the answers, reconstruct the secret from them, and show how well that went."""
    from leakgauge.jobs.audit_queries import Answering, audit_queries
    from leakgauge.tables import open_table
    from leakgauge.telling.audit import reconstructed

    if len(given["secret"]) != 1:
        raise OptionError(
            "{count} secrets are named, but one is reconstructed from planned queries; name it with --secret.",
            count=len(given["secret"]),
        )
    if given["epsilon"] is None:
        raise OptionError("The noise of the answers is unknown; give the budget of each with --epsilon.")
    require_not_read(to.file, source, given["queries"])
    with open_table(source, **given["reading"].given()) as table, counting(say("Answering")) as tell:
        drawn = Answering(
            given["epsilon"],
            given["delta"],
            confidence=given["confidence"],
            simulation_seed=given["simulate"],
            **({} if given["runs"] is None else {"runs": given["runs"]}),
        )
        audit = audit_queries(given["queries"], table, given["secret"][0], drawn, name=source, progress=tell)
    deliver(audit, to, lambda: terminal(reconstructed(voice_of(), audit)))
