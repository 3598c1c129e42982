"""Audits as files: those of today, and those that were written before they were types."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from msgspec.structs import replace

from leakgauge.artefacts import Audit, MechanismAudit, Sentence, Shown, codec, strongest
from leakgauge.audit import lower_bound
from leakgauge.claims import ApproximateDP, LocalDP
from leakgauge.errors import FileError, VerificationError
from leakgauge.jobs.assess import read_audit
from leakgauge.jobs.audit import audit_mechanism
from leakgauge.languages import Language
from leakgauge.probability import Channel

STORED = Path(__file__).parents[1] / "jobs" / "stored" / "released" / "audit.json"
IDENTITY = Channel.identity(["a", "b"])


def again(kind: type[Shown], found: Shown) -> Shown:
    return codec.decode(kind, json.loads(codec.text_of(found)), "the audit")


def test_an_audit_that_was_written_before_reads_as_it_stands() -> None:
    fields = json.loads(STORED.read_text(encoding="utf-8"))
    found = read_audit(STORED)
    assert found.strongest is not None
    tried = [one for one in fields["attacks"] if one["judged"]]
    best = max(tried, key=lambda one: float(one["advantage"]["value"]))
    assert (str(found.strongest.attack), found.strongest.advantage.value) == (
        best["attack"],
        best["advantage"]["value"],
    )
    shown = found.columns["illness"]
    assert shown is not None and shown.at_least == fields["columns"]["illness"]["lower_bound"]["value"]
    written = codec.encode(codec.sealed(found))
    assert written["attacks"][0]["success"] == {**fields["attacks"][0]["success"], "origin": "table"}
    # What everything tells of each secret, and how different each is within groups, was not written then.
    assert written.keys() - {"exposures", "total", "diversity", "foreign", "attacked"} == fields.keys()


def test_an_audit_that_was_changed_or_is_none_is_refused(tmp_path: Path) -> None:
    fields = json.loads(STORED.read_text(encoding="utf-8"))
    place = tmp_path / "audit.json"
    for changed, error, says in (
        ({"violated": True}, VerificationError, "was changed"),
        ({"digest": None}, FileError, "'digest' is missing or malformed"),
        ({"attacks": None}, FileError, "'attacks' is missing or malformed"),
        ({"more": 1}, VerificationError, "'more', which is unknown in files of kind audit"),
        ({"schema": "leakgauge/release/2"}, FileError, "schema"),
    ):
        place.write_text(json.dumps({**fields, **changed}), encoding="utf-8")
        with pytest.raises(error, match=says):
            read_audit(place)


def test_the_strongest_attack_is_one_on_the_release_where_there_is_any() -> None:
    found = read_audit(STORED)
    simulated = tuple(one for one in found.attacks if not one.judged)
    assert simulated and strongest(()) is None
    best = max(simulated, key=lambda one: one.advantage.value)
    assert replace(found, attacks=simulated).strongest == best
    assert found.strongest is not None and found.strongest.judged
    assert isinstance(found, Audit) and replace(found, attacks=()).strongest is None


def test_what_is_shown_reads_back_with_infinite_levels_and_parameters() -> None:
    infinite = lower_bound(IDENTITY, LocalDP(1.0))
    assert infinite.at_least == math.inf and infinite.violated
    assert again(Shown, infinite) == infinite
    assert str(infinite.said) == "at least inf nats"
    held = lower_bound(IDENTITY, ApproximateDP(1.0, 0.25))
    assert again(Shown, held).statement == ApproximateDP(1.0, 0.25)
    assert str(held.statement) == "approximate-dp:1,delta=0.25"


def test_the_audit_of_a_mechanism_says_what_was_audited() -> None:
    found = audit_mechanism("randomized-response:epsilon=1,letters=a|b", samples=2000, simulation_seed=1)
    assert again(MechanismAudit, found) == found
    fields = codec.encode(found)
    assert (fields["schema"], fields["subject"]) == (
        "leakgauge/mechanism-audit/1",
        "randomized-response:epsilon=1,letters=a|b",
    )
    assert fields["attacks"] == [] and fields["note"] == ""


def test_an_infinite_number_in_a_sentence_stays_a_number() -> None:
    said = Sentence("at most {end:g}", end=-math.inf)
    read = codec.sentence_of(json.loads(json.dumps(codec.encode(said))))
    assert read == said and Language("zh").retell(read) == "不超过 -inf"
