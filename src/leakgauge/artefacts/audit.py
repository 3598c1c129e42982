"""Results of audits: levels shown, attacks, and a release checked against its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from leakgauge import notebook
from leakgauge.artefacts.exposure import Exposure, Total
from leakgauge.artefacts.quantity import PROMISE, Artefact, Level, Origin, Part, Quantity, Real
from leakgauge.artefacts.record import Check
from leakgauge.claims import NOTIONS, Statement
from leakgauge.errors import RefusalError
from leakgauge.sentences import Sentence, in_turn


class Shown(Part, frozen=True):
    """A lower bound on the level of a mechanism, or of the rows of a release.

    Attributes:
        notion: of the level: that of the claim, or local-dp where nothing is claimed.
        epsilon_lower_bound: the level where it is an ε, else None.
        lower_bound: the level; infinite where a channel rules an input out. Without an interval it is exact.
        estimate: the level estimated, above the bound; None where the level is exact.
        deterministic: whether each of the two inputs always gave one output, and a different one: ε is then infinite if
            that always holds, but outputs alone show no more than the bound.
        stopped_early: whether the bets disproved the claim before all outputs were drawn.
        samples: outputs that were drawn of each of the two inputs; 0 where the level is exact.
        inputs: the two, the event being likelier under the first.
        event: the event that distinguishes them; empty where no single output does.
    """

    notion: str
    claim: Level | None
    epsilon_lower_bound: Quantity | None
    lower_bound: Quantity
    estimate: Real | None
    violated: bool
    deterministic: bool
    stopped_early: bool
    samples: int
    inputs: tuple[str, ...]
    event: Sentence
    note: Sentence = msgspec.field(default_factory=Sentence)
    checks: tuple[Check, ...] = ()

    @property
    def at_least(self) -> float:
        """The level shown, in its unit."""
        return self.lower_bound.value

    @property
    def statement(self) -> Statement | None:
        """The claim; None where nothing is claimed."""
        if self.claim is None:
            return None
        parameters = [value for value in (self.claim.delta, self.claim.order) if value is not None]
        notion: Callable[..., Statement] = NOTIONS[self.notion]
        return notion(self.claim.value, *parameters)

    @property
    def is_just_above(self) -> bool:
        """Whether no more is shown than that the level is above the claimed one."""
        return self.stopped_early and self.claim is not None and self.at_least <= self.claim.value

    @property
    def said(self) -> Sentence:
        """The level in words: at least so much, or more than the claim where just that is disproved."""
        level, unit = self.at_least, Sentence(self.lower_bound.unit)
        if self.is_just_above:
            return Sentence("more than {level:.4g} {unit}", level=level, unit=unit)
        return Sentence("at least {level:.4g} {unit}", level=level, unit=unit)

    @property
    def failures(self) -> tuple[Sentence, ...]:
        """The checks that failed, with their reasons."""
        return tuple(one.failure for one in self.checks if not one.holds)

    _repr_html_ = notebook.shown


class FewFalseAlarms(Part, frozen=True):
    """The members that an attack recognises while it takes only a few others for members.

    Attributes:
        rate: the share of others that it may take for members.
        ceiling: the share of members that the claim allows at most at this rate; None where nothing is claimed.
    """

    rate: float
    false_alarms: Quantity
    recognised: Quantity
    ceiling: Quantity | None


class Finding(Part, frozen=True):
    """An attack on a release.

    Attributes:
        success: the share of the targets it is right about.
        baseline: the share of the same targets that the same attacker is right about without the release.
        advantage: success − baseline on the same targets: 0 where the release reveals nothing.
        independent: the advantage on a release that has nothing to do with the targets; its interval holds 0.
        raw: the advantage if the data are released unchanged.
        exposed: the targets it is right about only with the release; for membership, the number recognised beyond what
            as many false alarms explain.
        ceiling: the success that the claim allows at most; None where nothing is claimed.
        judged: whether it attacked the release itself. A simulated release proves nothing against the real one.
        beats_claim: whether it succeeds on the release more often than the claim allows, beyond what chance explains.
        few_false_alarms: for membership, the members recognised at low rates of false alarms, the highest rate first;
            rates that too few targets can show are left out.
    """

    attack: Sentence
    target: tuple[str, ...]
    knows: tuple[str, ...]
    success: Quantity
    baseline: Quantity
    advantage: Quantity
    independent: Quantity
    raw: Quantity
    exposed: int
    ceiling: Quantity | None
    method: Sentence = msgspec.field(default_factory=Sentence)
    judged: bool = True
    beats_claim: bool = False
    few_false_alarms: tuple[FewFalseAlarms, ...] = ()

    @property
    def broken_claim(self) -> Sentence:
        """What is wrong where it beats the claim, in a short sentence without a full stop."""
        return Sentence("{attack} on {target!s} beats the claim", attack=self.attack, target=", ".join(self.target))

    _repr_html_ = notebook.shown


def strongest(attacks: Sequence[Finding]) -> int | None:
    """The place of the attack that gains most over what is known anyway; of those tried on the release, if any were."""
    places = [at for at, one in enumerate(attacks) if one.judged] or range(len(attacks))
    return max(places, key=lambda at: attacks[at].advantage.value, default=None)


class Diversity(Part, frozen=True):
    """The diversity of a secret within the classes; each number is that of the worst class.

    Attributes:
        distinct: l of distinct l-diversity: how many different values a class has.
        entropy: l of entropy l-diversity, e^H: as many equally common values would be as uncertain.
        closeness: t of t-closeness, every value being as far from every other: the total variation distance between a
            class and the table.
        ordered_closeness: the same by the earth mover's distance between ranks, from 0 to 1; None where the values
            have no order. A missing value ranks last.
        largest_share: α of (α, k)-anonymity: the share of the most common value of a class.
        likeness: β of basic β-likeness: by which share of itself a value is more common in a class than in the table.
        enhanced_likeness: min(β, −ln p) of the rarest value p: the most that enhanced β-likeness lets any value gain.
        disclosure: δ of δ-disclosure privacy, in nats: the largest |ln(share in a class / share in the table)| of the
            values that a class has; one that it lacks would make it infinite.

    References:
        Machanavajjhala et al., l-diversity, 2006; Li, Li and Venkatasubramanian, t-closeness, 2007; Wong et al.,
        (α, k)-anonymity, 2006; Cao and Karras, β-likeness, 2012; Brickell and Shmatikov, δ-disclosure privacy, 2008.
        The last three numbers are computed as in Sáinz-Pardo Díaz and López García, pyCANON, 2022.
    """

    secret: str
    distinct: int
    entropy: float
    closeness: float
    ordered_closeness: float | None
    largest_share: float
    likeness: float
    enhanced_likeness: float
    disclosure: float


class Anonymity(Part, frozen=True):
    """How many rows, or persons where a unit was named, share their quasi-identifiers.

    Attributes:
        k: the rows, or persons, of the smallest class: the table is k-anonymous.
        unique: rows that share their class with no other row, or person.
    """

    quasi_identifiers: Annotated[tuple[str, ...], Origin.DECLARED]
    rows: Annotated[int, Origin.COUNT]
    classes: Annotated[int, Origin.COUNT]
    k: Annotated[int, Origin.COUNT]
    unique: Annotated[int, Origin.COUNT]
    diversity: Diversity | None = None

    @property
    def unique_share(self) -> float:
        """The share of rows that are alone in their class."""
        return self.unique / self.rows


class AuditedRecord(Part, frozen=True):
    """Which record a release was held to."""

    reference: str
    digest: str


class MatchedColumn(Part, frozen=True):
    """A column of a release made elsewhere beside the column of the original that has its name.

    Attributes:
        contains: the share of matched rows whose released value is, or contains, the true one.
        size: how many of the values of the original a released value stands for, on average.
    """

    name: Annotated[str, Origin.DECLARED]
    contains: Quantity
    size: Quantity
    values: Annotated[int, Origin.COUNT]


class Foreign(Part, frozen=True, kw_only=True):
    """How a release made elsewhere, without a record, was compared with its original.

    Attributes:
        sha256: its digest; None where it is not one file.
        key: the column by which rows were matched; None where they were matched by their order.
        only_released: rows of the release that the original has no row for.
        only_original: rows of the original that the release has no row for.
        withheld: the secrets that the release does not hold.
        left_out: attacks that need to know how the release was made.
    """

    released: Annotated[str, Origin.DECLARED]
    sha256: str | None
    key: Annotated[str | None, Origin.DECLARED]
    only_released: Annotated[int, Origin.COUNT]
    only_original: Annotated[int, Origin.COUNT]
    secrets: Annotated[tuple[str, ...], Origin.DECLARED]
    withheld: Annotated[tuple[str, ...], Origin.DECLARED]
    background: Annotated[tuple[str, ...], Origin.DECLARED]
    unit: Annotated[str | None, Origin.DECLARED]
    columns: tuple[MatchedColumn, ...]
    added: Annotated[tuple[str, ...], Origin.DECLARED]
    warnings: tuple[Sentence, ...]
    left_out: tuple[Sentence, ...]


class Audit(Artefact, frozen=True, tag="leakgauge/audit/1"):
    """The audit of a release against its record; or, if it was made elsewhere and has none, against its original alone.

    Attributes:
        private: whether its noise is known to protect anybody; that of a simulation, or made elsewhere, is not.
        rows: of the release; of one that was made elsewhere, those that were matched.
        confidence: of every interval, and of the verdict: all levels and attacks together wrongly accuse a release with
            a probability of at most 1 − confidence.
        epsilon_lower_bound: the largest of the columns.
        columns: for each protected column the level its rows show; None where they are too few.
        anonymity: of the public columns of the release; None where there are none.
        total: what the whole release reveals about all secrets at once; None for a single one.
        diversity: of each secret, as it is in the original, within the groups of the public columns of the release.
        attacked: the number of rows, drawn from the release, that levels, attacks and exposures rest on; None if they
            rest on all rows. Diversity needs all rows and is left out for a sample.
    """

    record: AuditedRecord | None
    private: bool
    rows: int
    confidence: float
    violated: Annotated[bool, PROMISE]
    violations: tuple[Sentence, ...]
    epsilon_lower_bound: Quantity | None = None
    columns: dict[str, Shown | None] = msgspec.field(default_factory=dict)
    attacks: tuple[Finding, ...] = ()
    anonymity: Anonymity | None = None
    checks: tuple[Check, ...] = ()
    digest: str = ""
    exposures: tuple[Exposure, ...] = ()
    total: Total | None = None
    diversity: tuple[Diversity, ...] = ()
    foreign: Foreign | None = None
    attacked: int | None = None

    _repr_html_ = notebook.shown

    @property
    def strongest(self) -> Finding | None:
        """The attack with the largest advantage over what is known anyway."""
        place = strongest(self.attacks)
        return None if place is None else self.attacks[place]

    def require(self) -> None:
        """Refuse a release with anything wrong."""
        if self.violations:
            raise RefusalError("The release does not keep what it claims: {wrong}.", wrong=in_turn(self.violations))


class MechanismAudit(Shown, frozen=True, kw_only=True, tag_field="schema", tag="leakgauge/mechanism-audit/1"):
    """The audit of a mechanism, a channel or a program.

    Attributes:
        subject: the mechanism, the file or the command as it was named.
    """

    subject: str
    attacks: tuple[Finding, ...] = ()


class QueryAudit(Artefact, frozen=True, tag="leakgauge/query-audit/1"):
    """What noisy answers to planned counting queries would reveal about who has a secret.

    Attributes:
        secret: the column with two values, or the condition, that was reconstructed.
        unused: queries whose answers do not count the secret.
        kinds: of rows that the queries tell apart; rows of one kind get the same guess.
        epsilon: of all answers together, in nats: the smallest that is proved at ``delta``.
        delta: of all answers together, by adding up; None of Laplace noise.
        runs: in how many the answers were drawn.
        exact_runs: those in which every row was right.
        attack: its shares are of the rows, over all runs.
    """

    table: str
    secret: Annotated[str, Origin.DECLARED]
    rows: Annotated[int, Origin.COUNT]
    queries: Annotated[int, Origin.DECLARED]
    unused: Annotated[int, Origin.DECLARED]
    kinds: Annotated[int, Origin.COUNT]
    mechanism: Annotated[str, Origin.DECLARED]
    epsilon: Quantity
    delta: Annotated[float | None, Origin.DECLARED]
    runs: Annotated[int, Origin.DECLARED]
    exact_runs: int
    attack: Finding
    simulated: bool
