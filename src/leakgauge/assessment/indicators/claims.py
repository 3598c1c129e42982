"""What the mechanism claims, and how much of it an audit shows."""

from __future__ import annotations

import math

from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.indicators.indicator import SHARE, Context, Family, Indicator
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.setting import LetterSetting, Setting
from leakgauge.claims import ApproximateDP, CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.sentences import Sentence

DELTA = 1e-6
"""The δ at which a claim that has none of its own is stated."""

SENSITIVITY = Indicator(
    "sensitivity",
    1,
    "sensitivity Δ",
    "Δ relative to what is released",
    Scale(1e-4, 1e2, True, Sentence("one row in ten thousand, and bounds a hundred standard deviations apart")),
)
RELAXATION = Indicator(
    "relaxation",
    2,
    "relaxation δ",
    "probability",
    Scale(1e-10, 1e-2, True, Sentence("as good as none, and one row in 100")),
)
BUDGET = Indicator(
    "privacy-budget",
    3,
    "privacy budget ε",
    "nats",
    Scale(0.01, 10.0, True, Sentence("odds move by a hundredth, and by a factor of 22,000")),
)
TIGHTNESS = Indicator("bound-tightness", 4, "tightness of ε's lower bound", "share of the claim", SHARE)
_NO_LEVEL = Sentence("No finite level is claimed, so there is nothing to compare with.")


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """The tightness from the audit, the others from the claim."""
    return (*_claimed(protected.setting), _tightness(protected.setting, context))


FAMILY = Family((SENSITIVITY, BUDGET, RELAXATION, TIGHTNESS), measured)


def tightest(setting: Setting) -> tuple[float, float]:
    """The ε that is guaranteed, in nats, and its δ: a pure one where there is one, else as asked, else at δ = 10⁻⁶."""
    pure = [one.level for one in setting.claims if isinstance(one, LocalDP | CentralDP)]
    if setting.exact_level is not None:
        pure.append(setting.exact_level)
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
    of_delta = Sentence("The δ of the strongest guarantee claimed ({name}).", name=name)
    of_epsilon = Sentence("The ε of the strongest guarantee claimed ({name}).", name=name)
    return (
        SENSITIVITY.evidence(form, *_sensitivity(setting), standing=standing),
        RELAXATION.evidence(form, delta, of_delta, standing=standing),
        BUDGET.evidence(form, epsilon, of_epsilon, standing=standing, null=0.0, raw=math.inf),
    )


def _sensitivity(setting: Setting) -> tuple[float, Sentence]:
    if isinstance(setting, LetterSetting):
        return 1.0, Sentence("One value in place of another: a distance of 1.")
    width = setting.noise.span.steps * setting.noise.span.grid
    return width / math.sqrt(setting.variance), Sentence("The width of the bounds over the data's standard deviation.")


def _tightness(setting: Setting, context: Context) -> Evidence:
    audit = context.audit
    if audit is None:
        return TIGHTNESS.missing(Sentence("There is no audit; make one with leakgauge audit."))
    if audit.shown is None or audit.estimate is None:
        return TIGHTNESS.missing(
            Sentence("The audit shows no level for this column: nothing is claimed, or too few rows share a value.")
        )
    if not 0 < audit.claimed < math.inf:
        return TIGHTNESS.missing(_NO_LEVEL)
    value, doubt = audit.shown / audit.claimed, (audit.estimate - audit.shown) / audit.claimed
    return TIGHTNESS.evidence(
        setting.form,
        value,
        Sentence("The level computed from the channel, divided by the claimed one.")
        if audit.exact
        else Sentence("The lower bound from the audit, divided by the claimed level."),
        # What another run would show: as far below as the estimate lies above.
        between=(max(value - doubt, 0.0), value + doubt),
    )
