"""``leakgauge audit TABLE --queries``: could a secret be reconstructed from the answers?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from leakgauge.cli.language import listed, say
from leakgauge.cli.output import Output, Parts, counting, deliver, grid, number, require_not_read
from leakgauge.errors import OptionError
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts import Quantity, QueryAudit


def audit_planned(source: str, given: Mapping[str, Any], to: Output) -> None:
    """Draw the answers, reconstruct the secret from them, and show how well that went."""
    from leakgauge.jobs.audit_queries import Answering, audit_queries
    from leakgauge.tables import open_table

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
    deliver(audit, to, lambda: _render(audit))


def _render(audit: QueryAudit) -> Parts:
    found = audit.attack
    facts = grid(title=say("Reconstruction of {secret!r} from planned answers", secret=audit.secret))
    facts.add_row(say("queries"), say("{queries:d}, {unused:d} of them not about it", **_counts(audit)))
    facts.add_row(say("kinds of rows they distinguish"), say("{kinds:d} of {rows:d} rows", **_counts(audit)))
    facts.add_row(say("noise of an answer"), audit.mechanism)
    together = number(audit.epsilon.value)
    facts.add_row(
        say("all answers together"),
        f"ε {together}" if audit.delta is None else f"ε {together}, δ {number(audit.delta)}",
    )
    if found.knows:
        facts.add_row(say("the attacker knows"), listed(found.knows))
    facts.add_row(say("rows guessed correctly"), _interval(found.success))
    facts.add_row(say("by guessing the most common answer"), percent(found.baseline.value))
    facts.add_row(say("advantage"), _interval(found.advantage))
    facts.add_row(say("advantage with exact answers"), percent(found.raw.value))
    facts.add_row(say("runs in which every row was guessed correctly"), say("{exact:d} of {runs:d}", **_counts(audit)))
    return [facts, Text(_verdict(audit), "bold red" if found.advantage.ends[0] > 0 else "")]


def _counts(audit: QueryAudit) -> dict[str, int]:
    return {
        "queries": audit.queries,
        "unused": audit.unused,
        "kinds": audit.kinds,
        "rows": audit.rows,
        "exact": audit.exact_runs,
        "runs": audit.runs,
    }


def _verdict(audit: QueryAudit) -> str:
    found = audit.attack
    if audit.exact_runs == audit.runs:
        return say("These answers reveal the secret of every row.")
    if found.advantage.ends[0] > 0:
        return say(
            "These answers reveal the secret of more rows than guessing does: of {exposed:d} in an average run.",
            exposed=found.exposed,
        )
    return say("Nothing shows that this attack does better than guessing. Another one may.")


def _interval(share: Quantity) -> str:
    low, high = share.ends
    return say("{share!s} ({low!s} to {high!s})", share=percent(share.value), low=percent(low), high=percent(high))
