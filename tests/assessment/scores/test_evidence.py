"""Evidence by law and from attacks: who sees what, what is left out and said, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.artefacts import Audit, Finding, Quantity
from leakgauge.artefacts.exposure import Bracket, Exposure
from leakgauge.artefacts.scores import Attacker, ScoreEvidence, Statistic, share
from leakgauge.assessment.scores.audited import attacker_of_audit
from leakgauge.assessment.scores.evidence import evidence_by_law, gained_in_attack, told_at_most
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.scores.usefulness import statistics_of, worth_of_rows
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import condensed, law_of_noise
from leakgauge.claims import ApproximateDP, GaussianDP, LocalDP, MutualInformation, Statement, ZeroConcentratedDP
from leakgauge.distances import Squared
from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.mechanisms import laplace
from leakgauge.probability import Channel, Counts, Distribution, Interval, Joint
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import Protected, protected_column
from leakgauge.sentences import Sentence

PEOPLE = Counts({"x": ["ill", "well"], "v": ["a", "b"], "z": ["c", "d"]}, [[[4, 1], [2, 3]], [[1, 6], [5, 8]]])
JOINT = PEOPLE.joint(("x",), ("v", "z"))
FLIP = Channel(["ill", "well"], ["ill", "well"], [[0.8, 0.2], [0.3, 0.7]])


def test_a_sight_is_the_law_of_what_is_seen() -> None:
    law = ReleaseLaw(JOINT, FLIP, ("v", "z"), ("v",))
    sight = law.sight(["z"])
    seen = np.zeros((2, 2, 2, 2))  # x, v, z, y
    for x in range(2):
        seen[x] = PEOPLE.array()[x][:, :, None] / 30 * FLIP.matrix[x]
    assert sight.guessed() == pytest.approx(seen.max(axis=0).sum())
    assert sight.before.guessed() == pytest.approx(seen.sum(axis=(1, 3)).max(axis=0).sum())
    alone = law.sight((), published=())
    assert alone.guessed() == pytest.approx(seen.sum(axis=(1, 2)).max(axis=0).sum())
    assert law.sight().guessed() == pytest.approx(seen.sum(axis=2).max(axis=0).sum())


def test_a_channel_may_read_what_is_published() -> None:
    pairs = [(x, (v, z)) for x in ("ill", "well") for v in "ab" for z in "cd"]
    rows = np.array([[0.9, 0.1] if (x == "ill") == (z[0] == "a") else [0.2, 0.8] for x, z in pairs])
    sight = ReleaseLaw(JOINT, Channel(pairs, ["yes", "no"], rows), ("v", "z"), ("v",)).sight()
    seen = np.array([[JOINT.matrix[x, z] * rows[4 * x + z] for z in range(4)] for x in range(2)])
    by_v = np.stack([seen[:, :2].sum(axis=1), seen[:, 2:].sum(axis=1)], axis=1)
    assert sight.guessed() == pytest.approx(by_v.max(axis=0).sum())
    assert sight.shares.sum() == pytest.approx(1)


def test_another_secret_that_leaves_through_a_channel_is_seen() -> None:
    noisy = Channel(["a", "b"], ["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    law = ReleaseLaw(JOINT, FLIP, ("v", "z")).with_release("v", noisy, "v released")
    assert (law.columns, law.published) == (("v", "z", "v released"), ("v released",))
    sight = law.sight(["z"])
    seen = np.einsum("xvz,vw,xy->xzwy", PEOPLE.array() / 30, noisy.matrix, FLIP.matrix)
    assert sight.guessed() == pytest.approx(seen.max(axis=0).sum())
    assert sight.before.guessed() == pytest.approx(seen.sum(axis=(2, 3)).max(axis=0).sum())
    with pytest.raises(OptionError, match="'z' cannot be added: the name is taken"):
        law.with_release("v", noisy, "z")
    with pytest.raises(LabelError):
        law.with_release("z", noisy, "more")


def test_what_is_withheld_may_still_be_told_on() -> None:
    scores = scores_of(evidence_by_law(ReleaseLaw(JOINT, None, ("v", "z"), ("v", "z"))))
    assert 0 < scores.protection.value < 100
    assert scores.usefulness.value == 0


def test_a_background_that_tells_the_secret_is_said_and_skipped() -> None:
    sure = Joint(["ill", "well"], [("a", 1), ("a", 2), ("b", 1), ("b", 2)], [[0.3, 0, 0.2, 0], [0, 0.4, 0, 0.1]])
    law = ReleaseLaw(sure, FLIP, ("v", "code"))
    evidence = evidence_by_law(law, backgrounds=[["code"], ["v"]])
    assert [one.knows for one in evidence.attackers] == [(), ("v",)]
    (note,) = scores_of(evidence).notes
    assert str(note) == "For an attacker who knows code, nothing is left to protect."
    without = evidence_by_law(law, backgrounds=["v"])
    assert scores_of(without).protection == scores_of(evidence).protection


def test_a_secret_with_one_value_shows_no_protection() -> None:
    law = ReleaseLaw(Distribution(["ill", "well"], [1.0, 0.0]), FLIP)
    scores = scores_of(evidence_by_law(law))
    assert scores.protection.ends == (0, 100)
    assert scores.protection.value == 0
    assert str(scores.notes[0]).startswith("The secret has the same value in every row")


def test_attacks_that_were_tried() -> None:
    advantage, baseline = Quantity(0.2, "1", 0.15, 0.25, 0.95), Quantity(0.5, "1", 0.4, 0.6, 0.95)
    gained = gained_in_attack(advantage, baseline)
    assert (gained.value, *gained.ends) == pytest.approx((0.4, 0.25, 0.625))
    assert gained_in_attack(Quantity(-0.1, "1", -0.3, 0.1), baseline).ends == pytest.approx((0, 0.25))
    bracket, known, entropy = Quantity(0.9, "bits", 0.5, 0.9), Quantity(0.1, "bits", 0.05, 0.15), Quantity(1.5, "bits")
    told = told_at_most(bracket, known, entropy)
    assert (told.value, *told.ends) == pytest.approx((0.8 / 1.4, 0.35 / 1.35, 0.85 / 1.45))
    scores = scores_of(ScoreEvidence(attackers=(Attacker((), gained, told),), statistics=(Statistic((), share(0.3)),)))
    assert scores.protection.ends == pytest.approx((37.5, 100 * (1 - 0.35 / 1.35)))
    # Both intervals of the attack must hold, and each misses in 5 of 100 cases.
    assert scores.protection.confidence == pytest.approx(0.9)
    assert "A better attacker may learn more than this one did." in map(str, scores.notes)


def advantage_of(claims: list[Statement]) -> float | None:
    found = guaranteed(claims)
    return None if found is None else found.advantage


def test_claims_as_an_advantage() -> None:
    assert advantage_of([ApproximateDP(0.1, 1e-3)]) == pytest.approx((np.exp(0.1) - 1 + 2e-3) / (np.exp(0.1) + 1))
    assert advantage_of([LocalDP(800.0)]) is None
    assert advantage_of([GaussianDP(1.0)]) == pytest.approx(0.3829249)
    # The claim that allows less decides, and all of them hold.
    assert advantage_of([LocalDP(3.0), ZeroConcentratedDP(0.02)]) == pytest.approx(0.1)
    assert advantage_of([MutualInformation(0.1)]) is None


def test_guarantee_given_the_counts_is_said() -> None:
    evidence = ScoreEvidence(attackers=(), guarantee=guaranteed([LocalDP(1.0)], given_counts=True))
    assert [str(note) for note in scores_of(evidence).notes] == [
        "The guarantee is about any two values of one person.",
        "The guarantee takes the counts that the noise was tuned on as known.",
    ]


def test_rows() -> None:
    p, numbers = np.array([0.5, 0.25, 0.25]), [0, 1, 4]
    apart = Squared().between(numbers, numbers)
    assert worth_of_rows(p, np.eye(3), apart, apart) == 1
    constant = np.eye(3)[[1, 1, 1]]
    assert worth_of_rows(p, constant, apart, apart) == 0
    assert worth_of_rows(p, np.eye(3)[[2, 2, 0]], apart, apart) == 0
    assert worth_of_rows(np.array([1.0, 0, 0]), np.eye(3), apart, apart) is None
    with pytest.raises(ModelError, match=r"The distances have shape \(3, 3\) for a channel of \(3, 2\)"):
        worth_of_rows(p, np.ones((3, 2)) / 2, apart, apart)


def test_numbers_with_a_sample_are_worth_their_share() -> None:
    source = Distribution([0.0, 10.0, 30.0], [0.5, 0.3, 0.2])
    sampled = Channel(source.outcomes, (*source.outcomes, None), np.column_stack([0.25 * np.eye(3), np.full(3, 0.75)]))
    evidence = evidence_by_law(ReleaseLaw(source, sampled), numbers=np.array(source.outcomes, dtype=np.float64))
    assert scores_of(evidence).usefulness.value == pytest.approx(25)


def test_noise_in_numbers_is_beside_their_own_variance() -> None:
    column = np.linspace(0, 100, 501)
    noise = laplace(4.0, lower=0, upper=100)
    law, points = law_of_noise(noise, column, np.full(501, 1 / 501))
    (found,) = statistics_of(law, points, Offered(protected_column("x", noise)), 501)
    variance, error = column.var(), (noise.added.standard_deviation * noise.span.grid) ** 2
    assert found.worth is not None and found.worth.value == pytest.approx(variance / (variance + error), abs=1e-4)
    assert found.worst_error is None


def test_bins_of_numbers_are_read_at_their_centres_with_their_bias() -> None:
    source = Distribution([0.0, 1.0, 9.0], [0.25, 0.5, 0.25])
    bins = Channel(source.outcomes, [Interval(0.0, 2.0), Interval(2.0, 10.0)], [[1, 0], [1, 0], [0, 1]])
    law, kit = ReleaseLaw(source, bins), Offered(Protected("x", Channel.identity(bins.outputs)))
    (found,) = statistics_of(law, np.array([0.0, 1.0, 9.0]), kit, 40)
    # The mean is 2.75, that of the centres 1 and 6 is 2.25; these vary by 75/16, the numbers by 211/16.
    error = 75 / 16 + 40 * 0.5**2
    assert found.worth is not None and found.worth.value == pytest.approx(211 / 16 / error)


def test_means_by_group_are_judged_within_groups() -> None:
    source = Joint([0.0, 10.0], ["a", "b"], [[0.4, 0.1], [0.1, 0.4]])
    flip = Channel([0.0, 10.0], [0.0, 10.0], [[0.8, 0.2], [0.2, 0.8]])
    alone, grouped = statistics_of(ReleaseLaw(source, flip, ("z",), ("z",)), np.array([0.0, 10.0]))
    # What is read is (y − 2) / 0.6, whose noise is 16 / 0.36 whatever the value.
    assert alone.worth is not None and grouped.worth is not None
    assert alone.worth.value == pytest.approx(25 / (25 + 16 / 0.36))
    assert grouped.worth.value == pytest.approx(16 / (16 + 16 / 0.36))


def test_points_have_the_moments_of_the_numbers() -> None:
    numbers = np.concatenate([np.zeros(500), np.geomspace(1, 1e4, 700)])
    points, shares = condensed(numbers, np.full(1200, 1 / 1200), bins=7)
    assert len(points) <= 14
    for power in (1, 2, 3):
        assert shares @ points**power == pytest.approx(np.mean(numbers**power))
    with pytest.raises(ModelError, match="The 2 numbers are not all finite with a share each"):
        condensed(np.array([1.0, np.nan]), np.array([0.5, 0.5]))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OptionError, match="The law has no column 'w'; known are 'v', 'z'"):
        ReleaseLaw(JOINT, FLIP, ("v", "z"), ("w",))
    with pytest.raises(OptionError, match="The law has no column 'zz'; did you mean 'z'"):
        evidence_by_law(ReleaseLaw(JOINT, FLIP, ("v", "z")), backgrounds=[["zz"]])
    with pytest.raises(ModelError, match="does not have a label of 3 parts for each combination"):
        ReleaseLaw(JOINT, FLIP, ("v", "z", "w"))
    with pytest.raises(ModelError, match="does not have a label of 0 parts"):
        ReleaseLaw(JOINT, FLIP)
    with pytest.raises(LabelError):
        ReleaseLaw(Distribution(["a", "b"], [0.5, 0.5]), FLIP)
    with pytest.raises(ModelError, match="There are 1 numbers for 2 values"):
        evidence_by_law(ReleaseLaw(JOINT, FLIP, ("v", "z")), numbers=np.ones(1))


def found(attack: str, success: float, baseline: float, *, target: str = "x", judged: bool = True) -> Finding:
    off, right, before = 0.05, Quantity(success, "share"), Quantity(baseline, "share")
    gain = Quantity(success - baseline, "share", success - baseline - off, success - baseline + off)
    nothing = Quantity(0.0, "share")
    return Finding(
        Sentence(attack), (target,), ("z",), right, before, gain, nothing, nothing, 0, None, Sentence(""), judged
    )


def test_the_attacker_of_an_audit() -> None:
    def bracket(bits: float, low: float) -> Bracket:
        return Bracket(Quantity(bits, "bits", low, bits), Quantity(0.5, "share"), exact=False)

    entropy = Quantity(1.0, "bits")
    exposure = Exposure(
        ("x",), entropy, (), (), bracket(0.2, 0.2), bracket(0.2, 0.2), bracket(0.6, 0.4), Sentence(""), 100, 50
    )
    attacks = (
        found("attribute inference, best guess", 0.7, 0.5),
        found("attribute inference, learnt", 0.65, 0.5),
        # Of another secret, of membership, of many releases, and not tried on this release.
        found("attribute inference, learnt", 0.99, 0.5, target="y"),
        found("membership inference", 0.99, 0.5),
        found("averaging, 2 releases", 0.99, 0.5),
        found("attribute inference, learnt", 0.99, 0.5, judged=False),
    )
    audit = Audit(None, True, 100, 0.95, False, (), attacks=attacks, exposures=(exposure,))
    attacker = attacker_of_audit(audit, ("x",))
    assert attacker.knows == ("z",)
    assert attacker.gained is not None
    assert (attacker.gained.value, *attacker.gained.ends) == pytest.approx((0.4, 0.3, 0.5))
    assert attacker.told is not None
    assert (attacker.told.value, *attacker.told.ends) == pytest.approx((0.5, 0.25, 0.5))
    # Nothing was tried on it: the unfavourable end stands.
    untried = attacker_of_audit(Audit(None, True, 100, 0.95, False, (), exposures=(exposure,)), ("x",))
    assert scores_of(ScoreEvidence(attackers=(untried,))).protection.ends[0] == 0
    with pytest.raises(OptionError, match="The audit does not cover w; audit a release that contains it"):
        attacker_of_audit(audit, ("w",))
