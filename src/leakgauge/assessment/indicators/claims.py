"""Leaves 1 to 4: what the mechanism claims, and how much of it an audit shows."""

from __future__ import annotations

import math

from leakgauge.artefacts.evidence import Evidence, Standing, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import MOVED, Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.claims import ApproximateDP, CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.sentences import Sentence

DELTA = 1e-6
"""The δ at which a claim that has none of its own is stated."""


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """Leaves 1 to 3 from the claim, 4 from the audit."""
    return (*_claimed(protected.setting), _tightness(protected.setting, context))


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Leaves 1 to 3 from the claim, 4 from the law, whose noise is no more than the claim asks for."""
    epsilon = tightest(setting)[0]
    if not math.isfinite(epsilon):
        return (
            *_claimed(setting),
            missing("4", Sentence("No finite level is claimed, so nothing can be a share of it.")),
        )
    shown = epsilon if setting.channel is None else exact_epsilon(setting.channel)
    share = INDICATORS["4"].evidence(
        setting.form,
        1.0 if epsilon == 0 else min(shown / epsilon, 1.0),
        Sentence("The level that the law reaches, over the claimed one."),
        raw=None,
    )
    return (*_claimed(setting), share)


def tightest(setting: Setting) -> tuple[float, float]:
    """The ε that is guaranteed, in nats, and its δ: a pure one where there is one, else as asked, else at δ = 10⁻⁶."""
    pure = [one.level for one in setting.claims if isinstance(one, LocalDP | CentralDP)]
    if setting.channel is not None:
        pure.append(exact_epsilon(setting.channel))
    if pure:
        # An exact level is rounded up a little; the claim is the tighter one then.
        return min(pure), 0.0
    asked = [(one.epsilon, one.delta) for one in setting.claims if isinstance(one, ApproximateDP)]
    if asked:
        # A smaller ε at a larger δ is no tighter statement than the one that was asked for.
        return min(asked)
    converted = [one.rho for one in setting.claims if isinstance(one, ZeroConcentratedDP)]
    return min(((approximate_of_concentration(rho, DELTA), DELTA) for rho in converted), default=(math.inf, 0.0))


def _claimed(setting: Setting) -> tuple[Evidence, ...]:
    form, (epsilon, delta) = setting.form, tightest(setting)
    name, standing = Sentence(setting.mechanism.name), Standing.DECLARED
    return (
        INDICATORS["1"].evidence(form, *_sensitivity(setting), standing=standing),
        INDICATORS["2"].evidence(
            form, delta, Sentence("The δ of the tightest statement that {name} makes.", name=name), standing=standing
        ),
        INDICATORS["3"].evidence(
            form,
            epsilon,
            Sentence("The ε of the tightest statement that {name} makes.", name=name),
            standing=standing,
            null=0.0,
            raw=math.inf,
        ),
    )


def _sensitivity(setting: Setting) -> tuple[float, Sentence]:
    if setting.form is Form.LETTERS:
        return 1.0, Sentence("One letter for another: a distance of 1.")
    assert setting.noise is not None
    if setting.form is Form.NUMBERS:
        width = setting.noise.span.steps * setting.noise.span.grid
        return width / math.sqrt(setting.variance), Sentence(
            "The width of the bounds over the data's standard deviation."
        )
    moved = setting.noise.law.length(MOVED)
    return moved / float(setting.source.numbers.mean()), Sentence(
        "What a replaced row moves the counts by, over the mean count."
    )


def _tightness(setting: Setting, context: Context) -> Evidence:
    audit = context.audit
    if audit is None:
        return missing("4", Sentence("There is no audit; make one with leakgauge audit."))
    if audit.shown is None or audit.estimate is None:
        return missing(
            "4", Sentence("The audit shows no level of this column: nothing is claimed, or too few rows share a value.")
        )
    if not 0 < audit.claimed < math.inf:
        return missing("4", Sentence("No finite level is claimed, so nothing can be a share of it."))
    value, doubt = audit.shown / audit.claimed, (audit.estimate - audit.shown) / audit.claimed
    return INDICATORS["4"].evidence(
        setting.form,
        value,
        Sentence("The level computed from the channel, over the claimed one.")
        if audit.exact
        else Sentence("The lower end of the audited level, over the claimed one."),
        # What another run would show: as far below as the estimate lies above.
        between=(max(value - doubt, 0.0), value + doubt),
    )
