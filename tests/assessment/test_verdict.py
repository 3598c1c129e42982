"""What is recommended: release, release if, do not release; at the unfavourable ends, and never without a reason."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.risks import PEOPLE, Certain
from leakgauge.artefacts.scores import Attacker, ScoreEvidence, Scores, Statistic, share
from leakgauge.artefacts.verdict import Declaration, Recommendation, ReleaseFacts, Verdict
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.policy import MOST_SURE, Policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.verdict import MOST_REASONS, verdict_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ModelError
from leakgauge.mechanisms import randomized_response, sampled_randomized_response
from leakgauge.probability import Channel, Distribution
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

GAINED, WORTH, SUREST = share(0.3), share(0.4), share(0.2)
DECLARED = ReleaseFacts(declared=tuple(Declaration))


def scores(
    gained: Quantity | None = GAINED,
    worth: Quantity | None = WORTH,
    surest: Quantity | None = SUREST,
) -> Scores:
    return scores_of(
        ScoreEvidence(attackers=(Attacker((), gained, gained, surest=surest),), statistics=(Statistic((), worth),))
    )


def certain(people: int) -> Certain:
    return Certain("married", Quantity(people, PEOPLE), Quantity(14339, PEOPLE), Quantity(0, PEOPLE))


def said(verdict: Verdict) -> list[str]:
    return [str(reason) for reason in verdict.reasons]


def test_what_keeps_the_policy_is_released() -> None:
    verdict = verdict_of({"illness": scores()}, Policy(), DECLARED)
    assert verdict.recommendation is Recommendation.RELEASE
    assert said(verdict) == ["protection is 70 of 100", "usefulness is 40 of 100"]
    assert [line.name for line in verdict.policy] == ["min_protection", "max_surest", "min_usefulness"]
    assert all(line.holds for line in verdict.policy)


def test_people_who_become_nearly_certain_are_the_first_reason() -> None:
    facts = ReleaseFacts(declared=DECLARED.declared, certain=certain(3905))
    assert said(verdict_of({"status": scores()}, Policy(), facts))[0] == (
        "the value of 3,905 of the 14,339 people with 'married' can be guessed with at least 90% certainty; before the "
        "release: 0"
    )
    too_sure = verdict_of({"status": scores(surest=share(0.5))}, Policy(), facts)
    assert too_sure.recommendation is Recommendation.DO_NOT_RELEASE
    assert said(too_sure)[0].startswith("the value of 3,905 of the 14,339 people")
    assert said(too_sure)[1].startswith("an attacker becomes 50 of 100 surer")
    nobody = ReleaseFacts(declared=DECLARED.declared, certain=certain(0))
    assert said(verdict_of({"status": scores()}, Policy(), nobody))[0] == "nobody's value becomes 90% certain or more"


def test_missing_declarations_are_conditions() -> None:
    verdict = verdict_of({"illness": scores()}, Policy(), ReleaseFacts(declared=(Declaration.PURPOSE,)))
    assert verdict.recommendation is Recommendation.RELEASE_IF
    assert [str(one) for one in verdict.conditions] == ["declare who receives it, when it is reviewed"]
    assert verdict.reasons[0] == verdict.conditions[0]


def test_a_simulation_is_never_released() -> None:
    facts = ReleaseFacts(declared=DECLARED.declared, simulated=True)
    verdict = verdict_of({"illness": scores()}, Policy(), facts)
    assert verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert said(verdict)[0] == "it is a simulation, whose noise follows from a seed, so it protects nobody"
    # Its scores stay, because they are what it was made for, and it breaks no limit.
    assert verdict.scores["illness"] == scores() and not verdict.vetoes and not verdict.failed


def test_the_unfavourable_end_decides() -> None:
    unsure = {"illness": scores(gained=share(0.3, 0.2, 0.45))}
    verdict = verdict_of(unsure, Policy(), DECLARED)
    assert verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert said(verdict) == ["protection is 55 of 100; the default policy requires 60"]
    unsure = {"illness": scores(surest=share(0.4, 0.3, 0.5))}
    (reason,) = said(verdict_of(unsure, Policy(), DECLARED))
    assert reason == (
        "an attacker becomes 50 of 100 surer about the most exposed tenth of those who share a value; the default "
        "policy allows 45"
    )


def test_a_limit_is_asked_for_only_by_somebody() -> None:
    """Each limit of the default policy says whose it is; the same number, once somebody gives it, is asked for."""
    poor = {"illness": scores(gained=share(0.6), worth=share(0.1), surest=share(0.6))}
    broken = (
        (ReleaseFacts(declared=tuple(Declaration)), ("min_protection", "max_surest", "min_usefulness")),
        (
            ReleaseFacts(declared=tuple(Declaration), lost=0.2, alone=0.2, linked=0.2),
            ("max_lost", "max_alone", "max_linked"),
        ),
    )
    limits = Policy().limits()
    assert {name for _, names in broken for name in names} == set(limits)
    for facts, names in broken:
        secrets = poor if facts.lost is None else {"illness": scores()}
        by_default = said(verdict_of(secrets, Policy(), facts))
        assert len(by_default) == len(names) and all("; the default policy " in reason for reason in by_default)
        assert not any("asked for" in reason for reason in by_default)
        asked = verdict_of(secrets, Policy().asking(**{name: limits[name] for name in names}), facts)
        assert not any("default policy" in reason for reason in said(asked))
        assert set(map(str, asked.failed)) == set(said(asked))


def test_people_who_are_guessed_are_the_first_reason() -> None:
    facts = ReleaseFacts(declared=tuple(Declaration), guessed=(8479, 30718), alone=0.2)
    verdict = verdict_of({"status": scores(gained=share(0.6))}, Policy(), facts)
    assert said(verdict) == [
        "because of this release an attacker guesses 8,479 more of 30,718 people correctly",
        "protection is 40 of 100; the default policy requires 60",
        "20% of the people are unique in the published columns; the default policy allows 5%",
    ]


def test_a_veto_sets_protection_to_0_whatever_the_policy() -> None:
    nothing = Policy(**dict.fromkeys(Policy().limits()), declared=())  # type: ignore[arg-type]
    facts = ReleaseFacts(vetoes=(Sentence("the claim of {what} is broken", what="illness"),))
    verdict = verdict_of({"illness": scores(), "income": scores()}, nothing, facts)
    assert verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert said(verdict) == ["the claim of illness is broken"]
    assert [one.protection.value for one in verdict.scores.values()] == [0, 0]


def test_nothing_known_of_protection_is_a_veto() -> None:
    verdict = verdict_of({"illness": scores(gained=None), "income": scores()}, Policy(), DECLARED)
    assert said(verdict) == ["the protection of 'illness' is unknown"]
    assert verdict.deciding == "illness"
    assert verdict.scores["income"].protection.value == 70


def test_values_lost_veto_the_usefulness() -> None:
    facts = ReleaseFacts(declared=tuple(Declaration), lost=0.072)
    verdict = verdict_of({"status": scores()}, Policy(), facts)
    assert verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert said(verdict) == ["7.2% of the rows have values that are never released; the default policy allows 1%"]
    assert verdict.scores["status"].usefulness.value == 0
    assert verdict.scores["status"].protection.value == 70
    kept = verdict_of({"status": scores()}, Policy(max_lost=0.1), facts)
    assert kept.recommendation is Recommendation.RELEASE


def test_of_several_secrets_the_lowest_decides() -> None:
    secrets = {"illness": scores(), "income": scores(gained=share(0.9), worth=share(0.1))}
    verdict = verdict_of(secrets, Policy(), DECLARED)
    assert verdict.deciding == "income"
    assert said(verdict) == [
        "of 'income', protection is 10 of 100; the default policy requires 60",
        "of 'income', usefulness is 10 of 100; the default policy requires 20",
    ]


def test_a_limit_of_which_nothing_is_known_is_not_kept() -> None:
    verdict = verdict_of({"illness": scores()}, Policy(max_epsilon=1.0), DECLARED)
    assert said(verdict) == ["max_epsilon is set, but its value is unknown"]
    unread = verdict_of({"illness": scores(surest=None), "income": scores()}, Policy(), DECLARED)
    assert said(unread) == ["max_surest is set, but its value is unknown"]
    spent = ReleaseFacts(declared=tuple(Declaration), epsilon=0.9)
    assert verdict_of({"illness": scores()}, Policy(max_epsilon=1.0), spent).recommendation is Recommendation.RELEASE


def test_without_a_secret_there_is_nothing_to_judge() -> None:
    with pytest.raises(ModelError, match="There is no secret to judge a release by"):
        verdict_of({}, Policy(), DECLARED)


@given(st.data())
def test_no_verdict_is_without_a_reason(data: st.DataObject) -> None:
    parts = st.none() | st.tuples(*[st.floats(0, 1)] * 3).map(sorted).map(lambda three: share(*(three[1], *three[::2])))
    names = data.draw(st.integers(1, 3))
    secrets = {str(at): scores(data.draw(parts), data.draw(parts), data.draw(parts)) for at in range(names)}
    shares = st.none() | st.floats(0, 1)
    declared = tuple(one for one in Declaration if data.draw(st.booleans()))
    facts = ReleaseFacts(declared=declared, lost=data.draw(shares), alone=data.draw(shares))
    verdict = verdict_of(secrets, Policy(), facts)
    assert 1 <= len(verdict.reasons) <= MOST_REASONS
    released = verdict.recommendation is not Recommendation.DO_NOT_RELEASE
    assert released == (not verdict.vetoes and all(line.holds for line in verdict.policy))
    for one in verdict.scores.values():
        for name in ("protection", "surest", "usefulness"):
            low, high = getattr(one, name).ends
            assert 0 <= low <= getattr(one, name).value <= high <= 100


def test_a_hundred_random_tables() -> None:
    draw = simulation(11)
    for _ in range(100):
        size = int(draw.integers(2, 9))
        source = Distribution(range(size), draw.dirichlet(np.full(size, float(draw.choice([0.1, 1.0, 5.0])))))
        channel = Channel(
            range(size), range(size), draw.dirichlet(np.full(size, float(draw.choice([0.05, 1.0]))), size)
        )
        found = scores_of(evidence_by_law(ReleaseLaw(source, channel)))
        verdict = verdict_of({"x": found}, Policy(), DECLARED)
        assert verdict.reasons
        for name in ("protection", "surest", "usefulness"):
            assert 0 <= getattr(found, name).value <= 100


def test_two_even_values() -> None:
    """Randomized response gains 40 points for 16 of use; of a sample, it makes somebody too sure."""
    source = Distribution(["yes", "no"], [0.5, 0.5])
    response = randomized_response(2 * np.arctanh(0.4), letters=source.outcomes).channel()
    sampled = sampled_randomized_response(
        2 * np.arctanh(0.8), sampling_probability=0.49, letters=source.outcomes
    ).channel()
    whole, part = (scores_of(evidence_by_law(ReleaseLaw(source, one))) for one in (response, sampled))
    assert (round(whole.protection.value), round(whole.usefulness.value)) == (60, 16)
    assert (round(part.protection.value), round(part.usefulness.value)) == (61, 31)
    # Half of the people get a label that is 90% certain: on average it protects, but not those whom it shows.
    assert part.surest.value > MOST_SURE
    assert verdict_of({"x": part}, Policy(), DECLARED).recommendation is Recommendation.DO_NOT_RELEASE
