"""Vetoes: an empty claim, a broken one, an attack that beats it; from audits and from their parts."""

from __future__ import annotations

import math

import msgspec
import pyarrow as pa
import pytest

from leakgauge.artefacts import Audit, AuditedRecord, Check, Finding, Quantity, Sentence, Shown
from leakgauge.artefacts.assessment import Grade, Veto
from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.assessment import expected
from leakgauge.assessment.indicators import setting_of, source_of
from leakgauge.assessment.vetoes import (
    capped,
    every_veto,
    vetoes_of_audit,
    vetoes_of_claim,
    vetoes_of_evidence,
    vetoes_of_finding,
    vetoes_of_shown,
    vetoes_of_unknown,
)
from leakgauge.audit import lower_bound
from leakgauge.claims import LocalDP, Statement
from leakgauge.errors import ModelError
from leakgauge.mechanisms import randomized_response, through_channel
from leakgauge.probability import Channel
from leakgauge.randomness import Simulated
from leakgauge.tables import open_table

RESPONSE = randomized_response(1.0, letters=["a", "b"])


def audit(columns: dict[str, Shown | None], attacks: tuple[Finding, ...] = (), checks: tuple[Check, ...] = ()) -> Audit:
    record = AuditedRecord("reference", "digest")
    return Audit(record, True, 3, 0.95, True, (), columns=columns, attacks=attacks, checks=checks)


def reasons(vetoes: tuple[Veto, ...]) -> list[str]:
    return [str(veto.reason) for veto in vetoes]


def shown(claim: Statement | None, channel: Channel | None = None) -> Shown:
    return lower_bound(channel or RESPONSE.channel(), claim)


def finding(low: float, ceiling: float | None) -> Finding:
    share = Quantity(low + 0.01, "share", low, low + 0.02, 0.95)
    most = None if ceiling is None else Quantity(ceiling, "share")
    beaten = ceiling is not None and low > ceiling
    name = Sentence("membership")
    return Finding(name, ("age",), (), share, share, share, share, share, 3, most, beats_claim=beaten)


def test_a_claim_of_infinity_promises_nothing() -> None:
    (veto,) = vetoes_of_claim(LocalDP(math.inf))
    assert veto.cap is Grade.POOR and "infinite" in str(veto.reason)
    assert vetoes_of_claim(LocalDP(20.0)) == ()


def test_a_level_above_the_claim() -> None:
    broken, kept, unclaimed = shown(LocalDP(0.5)), shown(LocalDP(1.0)), shown(None)
    assert reasons(vetoes_of_shown(broken)) == ["the mechanism shows at least 1 nats where local-dp:0.5 is claimed"]
    assert vetoes_of_shown(kept) == vetoes_of_shown(unclaimed) == ()
    infinite = shown(LocalDP(1.0), Channel.identity(["a", "b"]))
    assert reasons(vetoes_of_shown(infinite)) == ["the mechanism rules an input out, so that its level is infinite"]
    assert vetoes_of_shown(shown(None, Channel.identity(["a", "b"])))[0].cap is Grade.POOR


def test_what_samples_show() -> None:
    fair = lower_bound(RESPONSE, samples=4000, randomness=Simulated(1))
    assert vetoes_of_shown(fair) == ()
    liar = lower_bound(RESPONSE, LocalDP(0.2), samples=20_000, randomness=Simulated(1))
    assert liar.stopped_early and "where local-dp:0.2 is claimed" in str(vetoes_of_shown(liar)[0].reason)
    plain = lower_bound(lambda value: value, LocalDP(100.0), [(0, 1)], samples=1000)
    assert "same output" in str(vetoes_of_shown(plain)[0].reason)
    failed = Check(Sentence("repetition"), False, Sentence("outputs repeat"))
    checked = msgspec.structs.replace(fair, checks=(failed,), violated=True)
    assert reasons(vetoes_of_shown(checked)) == ["the mechanism breaks local-dp:1; repetition: outputs repeat"]


def test_an_attack_beyond_the_ceiling() -> None:
    (veto,) = vetoes_of_finding(finding(0.7, 0.6))
    assert "membership on age is right in at least 0.7 of the cases where the claim allows 0.6" in str(veto.reason)
    assert vetoes_of_finding(finding(0.6, 0.6)) == vetoes_of_finding(finding(0.9, None)) == ()


def test_the_audit_of_a_release_says_the_same() -> None:
    checks = (
        Check(Sentence("claims"), False, Sentence("another ε")),
        Check(Sentence("digest"), True),
        Check(Sentence("ledger"), None, Sentence("not here")),
    )
    columns = {"age": shown(LocalDP(0.5)), "city": None, "job": shown(LocalDP(2.0))}
    found = reasons(vetoes_of_audit(audit(columns, (finding(0.7, 0.6), finding(0.7, None)), checks)))
    assert found[0] == "the column age shows at least 1 nats where local-dp:0.5 is claimed"
    assert found[1].startswith("the attack membership on age") and found[2:] == ["claims: another ε"]
    assert vetoes_of_audit(audit({})) == ()


def leaf(key: str, value: float) -> Evidence:
    return Evidence(key, Standing.MEASURED, Sentence(""), value, "", Scale(0, 1))


def test_a_release_that_tells_nearly_everything() -> None:
    for key in ("5", "7"):
        (veto,) = vetoes_of_evidence([leaf(key, 0.9)])
        assert veto.cap is Grade.POOR and "nearly everything" in str(veto.reason) and "0.9" in str(veto.reason)
        assert vetoes_of_evidence([leaf(key, 0.89)]) == ()
    # What counts of many rows tell of the true counts is nobody's secret; what an attack gains is.
    assert vetoes_of_evidence([leaf("7", 1.0)], of_rows=False) == ()
    assert len(vetoes_of_evidence([leaf("5", 1.0)], of_rows=False)) == 1


def test_an_infinite_epsilon_and_a_large_delta() -> None:
    assert reasons(vetoes_of_evidence([leaf("3", math.inf)])) == ["ε is infinite, which promises nothing"]
    assert "δ is 0.01" in str(vetoes_of_evidence([leaf("2", 0.01)])[0].reason)
    assert vetoes_of_evidence([leaf("2", 0.0099), leaf("3", 20.0), missing("5", Sentence(""))]) == ()


def test_what_is_not_known() -> None:
    assert vetoes_of_unknown({"privacy": 0.0, "utility": 3.0}, ["4", "14"]) == ()
    (veto,) = vetoes_of_unknown({"privacy": None, "utility": 3.0}, ["5"])
    assert str(veto.reason) == "nothing is known of privacy, what attacks gain (leaf 5)"


def test_every_route_asks_for_every_reason() -> None:
    # A channel that rules letters out: finite for a design, infinite as a promise.
    matrix = [[0.75, 0.25, 0.0], [0.0, 0.75, 0.25], [0.25, 0.0, 0.75]]
    people = open_table(pa.table({"x": ["a", "b", "c", "a"] * 100}))
    zeros = through_channel(Channel(["a", "b", "c"], ["a", "b", "c"], matrix))
    setting = setting_of(zeros, source_of(people, "x"))
    found = reasons(every_veto(setting, expected(setting)))
    assert found == [
        "the claim local-dp has an infinite level, which promises nothing",
        "ε is infinite, which promises nothing",
    ]
    fair = setting_of(randomized_response(1.0, letters=["a", "b", "c"]), source_of(people, "x"))
    evidence = expected(fair)
    assert every_veto(fair, evidence) == ()
    broken = shown(LocalDP(0.5))
    by_hand = every_veto(fair, evidence, shown=broken, findings=[finding(0.7, 0.6)])
    assert every_veto(fair, evidence, audit=audit({"x": broken}, (finding(0.7, 0.6),))) == by_hand
    assert len(by_hand) == 2


def test_the_lowest_cap_counts() -> None:
    vetoes = [Veto(Sentence("one")), Veto(Sentence("two"), Grade.VERY_POOR), Veto(Sentence("three"), Grade.GOOD)]
    assert capped(Grade.VERY_GOOD, vetoes) is Grade.VERY_POOR
    assert capped(Grade.VERY_GOOD, vetoes[:1]) is Grade.POOR and capped(Grade.MEDIUM, ()) is Grade.MEDIUM
    with pytest.raises(ModelError, match="without a reason"):
        Veto(Sentence(" "))
