"""What a release is judged by, besides its rows."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import Declared, Limits
from leakgauge.artefacts.request.shared_options import HIGH
from leakgauge.artefacts.verdict import Declaration
from leakgauge.assessment.scores.policy import Policy, read_policy
from leakgauge.assessment.scores.usefulness import Use, use_named
from leakgauge.release.estimates.handed_out import BY_LAW, KitTerms

DEFAULT_POLICY = Policy()


@dataclass(frozen=True)
class Terms:
    """The terms of a judgement, besides the rows of the release.

    Attributes:
        counts_may_be_known: whether the counts it was fitted to are public, publishable or paid for.
        releases_per_period: every one spends the budget again.
        ruled_out: why nobody can tell which released row is a person's; None where somebody may.
        handed_out: what decides, beside the plan, what recipients get.
    """

    policy: Policy = DEFAULT_POLICY
    use: Use = Use.STATISTICS
    declared: tuple[Declaration, ...] = ()
    accepted: tuple[str, ...] = ()
    counts_may_be_known: bool = False
    releases_per_period: float = 1.0
    ruled_out: str | None = None
    sensitivity: str | None = None
    handed_out: KitTerms = BY_LAW

    @classmethod
    def of(cls, asked: Request, policy: Policy | None = None) -> Terms:
        """The terms of a job, with its own policy by default."""
        declared = tuple(one for one in Declaration if getattr(asked.declared, one.value))
        known = asked.declared.publish_shares or asked.budget.accounted is not None
        by = policy_of(asked.limits, asked.declared) if policy is None else policy
        return cls(
            by,
            use_named(asked.limits.use),
            declared,
            asked.roles.accept_unique,
            known,
            asked.declared.releases_per_period,
            asked.declared.ruled_out,
            asked.declared.sensitivity,
            KitTerms.of(asked),
        )


def policy_of(limits: Limits, declared: Declared) -> Policy:
    """The policy of a job: the file it names, else the default for data as sensitive as declared, with the job's own
    limits added.

    Raises:
        FileError: the policy file cannot be read, or sets something that is not a limit.
        OptionError: limits that contradict each other.
    """
    named = DEFAULT_POLICY if limits.policy is None else read_policy(limits.policy)
    named = named.for_sensitive_data() if declared.sensitivity == HIGH else named
    return named.asking(min_protection=limits.min_protection, min_usefulness=limits.min_usefulness)
