"""Records: claims equal to those of ``relate``, verification that finds every change, composition over releases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import digest_of, encode, text_of
from leakgauge.cli import main
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms import parse_mechanism
from leakgauge.notions import everything_implied
from leakgauge.notions.composition import compose
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import Prior, ReleasePlan, read_record, release, verify
from leakgauge.release.ledger import ApproximateLimit, Unlimited, open_ledger
from leakgauge.release.priors import own_prior
from tests.release.people import opened

LETTERS = ["flu", "none", "cold"]
CHANNEL = Channel(LETTERS, LETTERS, [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])
PLAN = ReleasePlan({"illness": CHANNEL, "age": "laplace:epsilon=0.5,lower=0,upper=120"}, public=["city"])


def related(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["relate", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_claims_equal_those_of_relate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "prior.csv").write_text("label,value\nflu,0.5\nnone,0.25\ncold,0.25\n")
    prior = Distribution(LETTERS, [0.5, 0.25, 0.25])
    made = release(PLAN, opened(), tmp_path / "o.csv", priors={"illness": prior})
    channel = tmp_path / "channel.json"
    channel.write_text(text_of(ChannelFile.of(NamedChannel(CHANNEL.dyadic(), ("illness",), ("illness",)))))
    told = related(capsys, channel, "--prior", tmp_path / "prior.csv")
    claims = made.record.claims["illness"]
    assert claims.prior == "public"
    assert {"local-dp", "identifiability", "mutual-information"} <= set(claims.levels)
    for notion, level in claims.levels.items():
        assert {**told["levels"][notion], "origin": None} == {**encode(level), "origin": None}, notion
    without = release(PLAN, opened(), tmp_path / "p.csv").record.claims["illness"]
    assert without.prior is None and "mutual-information" not in without.levels


def test_claims_of_noise_are_those_its_budget_implies(tmp_path: Path) -> None:
    made = release(PLAN, opened(), tmp_path / "o.csv")
    levels = made.record.claims["age"].levels
    claim = parse_mechanism("laplace:epsilon=0.5,lower=0,upper=120,grid=1").claims[0]
    assert levels["local-dp"].value == 0.5
    for name, one in everything_implied(claim).items():
        if one.statement is not None and name in levels:
            assert levels[name].value == one.statement.level


@pytest.mark.parametrize("origin", list(PriorOrigin))
def test_every_prior_names_its_origin(tmp_path: Path, origin: PriorOrigin) -> None:
    table = opened(300)
    priors: dict[PriorOrigin, Prior | Distribution | float] = {
        PriorOrigin.PUBLIC: Distribution(LETTERS, [0.2, 0.2, 0.6]),
        PriorOrigin.THIS_TABLE: own_prior(table, ("illness",), CHANNEL),
        PriorOrigin.ANOTHER_TABLE: Prior(Distribution(LETTERS, [0.2, 0.2, 0.6]), PriorOrigin.ANOTHER_TABLE),
        PriorOrigin.NOISY_HISTOGRAM: 0.25,
    }
    made = release(PLAN, table, tmp_path / "o.csv", priors={"illness": priors[origin]})
    claims = made.record.claims["illness"]
    assert claims.prior is origin
    assert claims.levels["mutual-information"].value > 0
    bought = 0.25 if origin is PriorOrigin.NOISY_HISTOGRAM else 0.0
    assert made.record.budget.epsilon.value == pytest.approx(CHANNEL_EPSILON + 0.5 + bought, rel=1e-12)
    own = [said for said in made.record.assumptions if "as private as the table" in str(said)]
    assert bool(own) == (origin is PriorOrigin.THIS_TABLE)
    assert verify(made.record_file).holds


CHANNEL_EPSILON = float(np.log(CHANNEL.dyadic().matrix.max(axis=0) / CHANNEL.dyadic().matrix.min(axis=0)).max())


def test_a_channel_designed_from_the_table_says_so(tmp_path: Path) -> None:
    designed = NamedChannel(CHANNEL, ("illness",), ("illness",), PriorOrigin.THIS_TABLE)
    made = release(ReleasePlan({"illness": designed}), opened(), tmp_path / "o.csv")
    assert made.record.plan.columns["illness"].channel_prior == "this table"
    assert any("designed from this table" in str(said) for said in made.record.assumptions)


def _claim(fields: dict[str, Any]) -> None:
    fields["claims"]["age"]["levels"]["local-dp"]["value"] = 0.1


def _cell(fields: dict[str, Any]) -> None:
    fields["plan"]["columns"]["illness"]["channel"]["matrix"] = np.full((3, 3), 1 / 3).tolist()


def _mechanism(fields: dict[str, Any]) -> None:
    fields["plan"]["columns"]["age"]["mechanism"] = "laplace:epsilon=0.25,lower=0,upper=120,grid=1"


def _rows(fields: dict[str, Any]) -> None:
    fields["rows"] += 1


def _together(fields: dict[str, Any]) -> None:
    fields["together"]["dp"]["value"] /= 2


def _budget(fields: dict[str, Any]) -> None:
    fields["budget"]["epsilon"]["value"] /= 2


def _output(fields: dict[str, Any]) -> None:
    fields["output"]["sha256"] = "0" * 64


def _unit(fields: dict[str, Any]) -> None:
    fields["unit_of_protection"] = "one person"


def _public(fields: dict[str, Any]) -> None:
    fields["plan"]["public"] = []


def _assumptions(fields: dict[str, Any]) -> None:
    fields["assumptions"] = ["The whole table is protected."]


@pytest.mark.parametrize(
    "change", [_claim, _cell, _mechanism, _rows, _together, _budget, _output, _unit, _public, _assumptions]
)
@pytest.mark.parametrize("resealed", [False, True])
def test_an_edited_record_does_not_hold(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], resealed: bool
) -> None:
    made = release(PLAN, opened(), tmp_path / "o.csv")
    verify(made.record_file).require()
    fields = json.loads(made.record_file.read_text())
    change(fields)
    if resealed:
        fields["digest"] = digest_of(fields)
    made.record_file.write_text(text_of(fields))
    found = verify(made.record_file)
    assert not found.holds
    with pytest.raises(VerificationError, match="does not verify"):
        found.require()


def test_a_changed_moved_or_missing_release_is_found(tmp_path: Path) -> None:
    made = release(PLAN, opened(), tmp_path / "o.csv")
    moved = tmp_path / "elsewhere.csv"
    made.output.rename(moved)
    assert not verify(made.record_file).holds
    assert verify(made.record_file, released=moved).holds
    moved.write_text(moved.read_text().replace("Oslo", "Hamar"))
    assert not verify(made.record_file, released=moved).holds


def test_files_that_are_no_records(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"schema": "leakgauge/channel/1"}', '{"schema": "leakgauge/release/3"}'):
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(FileError):
            verify(tmp_path / "r.json")
    for schema, claims in (("leakgauge/release/2", {}), ("leakgauge/release/1", {"age": None})):
        hollow: dict[str, Any] = {"schema": schema, "claims": claims}
        (tmp_path / "r.json").write_text(text_of({**hollow, "digest": digest_of(hollow)}))
        with pytest.raises(FileError, match="whole record"):
            verify(tmp_path / "r.json")
    with pytest.raises(FileError):
        read_record(tmp_path / "none.json")


def test_the_ledger_vouches_for_the_record(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger, open_ledger(tmp_path / "other", create=True) as other:
        for one in (ledger, other):
            one.open_account("people", ApproximateLimit(10.0, 0.0))
        made = release(PLAN, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
        assert verify(made.record_file, ledger=ledger).holds
        assert [check.holds for check in verify(made.record_file).checks if str(check.name) == "ledger"] == [None]
        assert not verify(made.record_file, ledger=other).holds
        # Someone reseals a record of another day; the ledger completed another one.
        fields = json.loads(made.record_file.read_text())
        fields["created"] = "2020-01-01T00:00:00+00:00"
        made.record_file.write_text(text_of({**fields, "digest": digest_of(fields)}))
        assert verify(made.record_file).holds and not verify(made.record_file, ledger=ledger).holds


def test_a_ledger_that_never_counted_a_release_does_not_vouch_for_it(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(10.0, 0.0))
        uncounted = release(PLAN, opened(), tmp_path / "o.csv")
        assert verify(uncounted.record_file).holds and not verify(uncounted.record_file, ledger=ledger).holds


def test_several_releases_compose_as_the_sequence_does(tmp_path: Path) -> None:
    plans = [
        PLAN,
        ReleasePlan({"illness": "randomized-response:epsilon=0.3,letters=flu|none|cold"}),
        ReleasePlan({"income": "gaussian:epsilon=0.5,delta=1e-6,lower=0,upper=5000"}),
    ]
    mechanisms = [
        "laplace:epsilon=0.5,lower=0,upper=120,grid=1",
        "randomized-response:epsilon=0.3,letters=flu|none|cold",
        "gaussian:epsilon=0.5,delta=1e-6,lower=0,upper=5000",
    ]
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        for at, plan in enumerate(plans):
            release(plan, opened(), tmp_path / f"{at}.csv", ledger=ledger, dataset="people")
        steps = [parse_mechanism(text).step() for text in mechanisms]
        for delta in (0.0, 1e-5):
            wanted = compose([CHANNEL.dyadic(), *steps], delta)
            found = ledger.composition("people", delta)
            assert found.epsilon == pytest.approx(wanted.epsilon, rel=1e-9) and found.method is wanted.method
        assert ledger.composition("people", 1e-5).epsilon < CHANNEL_EPSILON + 0.5 + 0.3 + 1.0
