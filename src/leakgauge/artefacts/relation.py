"""What a channel satisfies, or what a statement implies, in every notion."""

from __future__ import annotations

from leakgauge.artefacts.quantity import Artefact, Level, Origin, Part, Quantity, Real


class Derivation(Part, frozen=True):
    """One implication on the way to a notion."""

    to: str
    formula: str
    status: str
    reference: str


class Implied(Part, frozen=True, kw_only=True):
    """What follows in one notion; where nothing does, there is no statement and no value.

    It is ``sharp`` where no smaller level follows for all channels and priors, and ``cut`` where the level is capped at
    the entropy of the secret, less than the last formula gives. Where nothing follows, a family of counterexamples may
    be named.
    """

    notion: str
    statement: str | None = None
    value: Real | None = None
    unit: str | None = None
    low: Real | None = None
    high: Real | None = None
    confidence: Real | None = None
    delta: Real | None = None
    order: Real | None = None
    origin: Origin = Origin.TABLE
    sharp: bool
    cut: bool
    path: tuple[Derivation, ...]
    counterexample: str | None = None


class Telling(Part, frozen=True, kw_only=True):
    """An aim for which one channel reveals more than another, to someone who takes all secrets for equally likely.

    Attributes:
        secrets: the labels of the columns of ``gains``.
        gains: what each action gains against each secret, between 0 and 1; one row per action.
        from_it: the expected gain of the best actions after seeing the output of the channel that reveals more.
        from_other: and after seeing that of the other.
    """

    secrets: tuple[str, ...]
    gains: tuple[tuple[Real, ...], ...]
    from_it: Real
    from_other: Real


class Order(Part, frozen=True, kw_only=True):
    """Which of two channels is safer whatever the prior and the attacker's aim.

    Attributes:
        subject_safe: whether the subject is the other with something done to its outputs, so that it is at least as
            safe; where not, ``subject_tells`` is an aim for which it reveals more.
        other_safe: the same of the other; where not, there is ``other_tells``.
    """

    against: str
    subject_safe: bool
    other_safe: bool
    subject_tells: Telling | None = None
    other_tells: Telling | None = None


class Capacities(Part, frozen=True, kw_only=True):
    """The most that seeing the output can help, over all priors; of a conditional channel, for any known columns.

    Where it is not exact, ``low`` is what some prior reaches and ``high`` what none exceeds.

    Attributes:
        shannon: I(X;Y).
        multiplicative: the factor V(X|Y) / V(X) by which one guess is right more often; no gain makes it more.
        additive: V(X|Y) − V(X), by which the chance of one right guess grows.
        additive_over_vulnerabilities: the same of any aim whose expected gain is between 0 and 1.
        risk: the factor R(X) / R(X|Y) by which one guess is wrong less often.
        bayes_security: its inverse.
    """

    shannon: Quantity
    multiplicative: Quantity
    min_capacity: Quantity
    additive: Quantity
    additive_over_vulnerabilities: Quantity
    risk: Quantity
    bayes_security: Quantity


class Relation(Artefact, frozen=True, kw_only=True, tag="leakgauge/relation/2"):
    """Exact levels and implied statements.

    Attributes:
        ordered: whether neighbouring data sets differ in the record at one position.
        restricted: whether values that never occur were left out.
        given: columns that the channel reads and everybody is assumed to know: levels are conditional on them.
        prior_skew: Δ of the prior over the inputs compared, where it is known.
        implied: what follows in each notion that has no exact level.
        capacities: of a channel; None of a statement, of a large channel and in files of earlier versions.
        guess: the chance that one guess is right after the output is seen, under the prior: of a channel exactly, of a
            statement at most; None without a prior of whole secrets, and in files of earlier versions.
        distance: how far from the secret the best guess is on average, by ``distortion``, under the prior: of a channel
            exactly, of a statement at least; None where no distortion was given.
    """

    subject: str
    records: int
    ordered: bool
    restricted: bool
    identifiability: Level | None = None
    local_dp: Level | None = None
    mutual_information: Level | None = None
    levels: dict[str, Level]
    prior_skew: Quantity | None = None
    moment_skewness: Quantity | None = None
    implied: tuple[Implied, ...]
    warnings: tuple[str, ...]
    given: tuple[str, ...] = ()
    order: Order | None = None
    capacities: Capacities | None = None
    guess: Quantity | None = None
    distance: Quantity | None = None
    distortion: str = ""
