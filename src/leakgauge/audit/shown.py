"""What an audit shows of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge import notebook
from leakgauge.audit.checks import Check
from leakgauge.audit.neighbours import Pair
from leakgauge.claims import Statement
from leakgauge.probability import Estimate


@dataclass(frozen=True)
class Shown:
    """What was shown of a mechanism.

    Attributes:
        claim: what it was held to, or local-dp:0 where nothing is claimed.
        claimed: whether anything is claimed.
        at_least: the level shown, in the claim's unit; infinite where a channel rules an input out.
        estimate: the same with its interval, whose upper end is infinite; None where the level is exact.
        pair: the two inputs, the event being likelier under the first.
        event: the event in words.
        samples: outputs that were drawn of each of the two inputs; 0 where the level is exact.
        stopped_early: whether the bets disproved the claim before all outputs were drawn.
        deterministic: whether each of the two inputs always gave the same output, and not the same one: if that is
            how it is, ε is infinite; outputs alone show no more than ``at_least``.
        checks: what else was looked at.
        note: a sentence that must be read with the level; empty where there is none.
    """

    claim: Statement
    claimed: bool
    at_least: float
    estimate: Estimate | None
    pair: Pair
    event: str
    samples: int
    stopped_early: bool = False
    deterministic: bool = False
    checks: tuple[Check, ...] = ()
    note: str = ""

    @property
    def said(self) -> str:
        """The level in words: at least so much, or more than the claim where just that is disproved."""
        just = self.stopped_early and self.at_least <= self.claim.level
        return f"{'more than' if just else 'at least'} {self.at_least:.4g} {self.claim.unit}"

    @property
    def violated(self) -> bool:
        """Whether the claim is disproved."""
        # An exact level is rounded up a little, which must not accuse a claim of exactly that level.
        most = self.claim.level * (1 + 1e-9) + 1e-12 if self.estimate is None else self.claim.level
        wrong = self.at_least > most or self.stopped_early
        return self.claimed and (wrong or not all(check.holds for check in self.checks))

    def _repr_html_(self) -> str:
        found, unit = self.estimate, self.claim.unit
        rows: list[tuple[object, object]] = [
            ("claimed", f"at most {notebook.number(self.claim.level, unit)}" if self.claimed else "nothing"),
            ("shown", f"{self.said}{'' if found is None else f' at {100 * found.confidence:.6g} %'}"),
            ("violated", "yes" if self.violated else "no"),
            ("inputs", repr(self.pair[0])),
            ("", repr(self.pair[1])),
            ("event", self.event),
            ("outputs drawn of each", f"{self.samples:,}" if self.samples else "none: the level is exact"),
        ]
        rows += [(one.name, "holds" if one.holds else one.reason or "does not hold") for one in self.checks]
        rows += [("note", self.note)] if self.note else []
        return notebook.table_html((), rows, f"Shown of {self.claim.name}")
