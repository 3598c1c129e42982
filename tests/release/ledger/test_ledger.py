"""Limits, spends, completions and the chain, on both stores alike."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from leakgauge.claims import ApproximateDP, CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import BudgetError, FileError, ModelError, OptionError, VerificationError
from leakgauge.mechanisms.steps import (
    Claimed,
    DiscreteGaussianNoise,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    RandomizedResponse,
    Step,
)
from leakgauge.notions.composition import Neighbours, compose
from leakgauge.notions.formulas import approximate_of_concentration, approximate_of_gaussian
from leakgauge.probability import Channel
from leakgauge.release.ledger import Account, ApproximateLimit, ConcentratedLimit, Entry, Ledger, Unlimited, open_ledger
from leakgauge.release.ledger.account import default_dataset, largest_rho, require_account
from leakgauge.release.ledger.admission import Rule
from leakgauge.release.ledger.cost import NOTHING, Cost, step_to_json
from leakgauge.release.ledger.entry import START, Body, Kind
from leakgauge.release.ledger.period import now

_NUMBERS = count()


def spend(ledger: Ledger, *steps: Step, dataset: str = "survey") -> Entry:
    return ledger.spend(dataset, Cost(steps), "a test", f"reference-{next(_NUMBERS)}")


def test_ten_tenths_fit_and_no_more(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    for _ in range(10):
        spend(ledger, LaplaceNoise(0.1))
    assert ledger.spent("survey").epsilon == 1.0
    assert ledger.spent("survey").epsilon_left == 0.0
    before = ledger.head
    with pytest.raises(BudgetError, match=r"sum of ε to 1\.1, past the limit ε = 1 of data set 'survey'.* ε = 0 left"):
        spend(ledger, LaplaceNoise(0.1))
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(1e-15))
    assert ledger.head == before
    assert spend(ledger, LaplaceNoise(0.0)).rule == "nothing"
    assert ledger.check() == ledger.head


def test_columns_and_runs_add_up(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(3.0))
    spend(ledger, RandomizedResponse(0.25, count=4), LaplaceNoise(0.5), Claimed(CentralDP(0.5)))
    assert ledger.spent("survey").epsilon == 2.0
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(0.5), LaplaceNoise(0.6))
    spend(ledger, LaplaceNoise(0.5), LaplaceNoise(0.5))
    assert ledger.spent("survey").epsilon_left == 0.0


def test_sampling_is_never_a_discount() -> None:
    assert Cost((LaplaceNoise(0.5, sampling_probability=0.01),)).epsilon == 0.5


def test_zero_concentration(ledger: Ledger) -> None:
    ledger.open_account("survey", ConcentratedLimit(0.5))
    for _ in range(5):
        assert spend(ledger, Claimed(ZeroConcentratedDP(0.1))).rule == "concentrated"
    assert ledger.spent("survey").rho_left == 0.0
    assert ledger.spent("survey").epsilon_left is None
    with pytest.raises(BudgetError, match=r"ρ to 0\.6, past the limit ρ = 0\.5"):
        spend(ledger, Claimed(ZeroConcentratedDP(0.1)))


def test_many_gaussians_fit_by_the_clock(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    noise = DiscreteGaussianNoise(30.0)
    fits = next(count for count in range(60, 0, -1) if approximate_of_gaussian(math.sqrt(count) / 30, 0.95e-6) <= 1.0)
    assert approximate_of_concentration(fits / 1800, 1e-6) > 1.04
    assert spend(ledger, noise, *[noise] * (fits - 3)).rule == "clock"
    assert spend(ledger, noise).rule == "clock"
    assert ledger.spent("survey").at_delta <= 1.0
    assert ledger.spent("survey").epsilon == math.inf
    with pytest.raises(BudgetError, match="sum of ε to infinity and that of ρ"):
        spend(ledger, noise, noise)
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(0.5))
    assert ledger.check() == ledger.head


def test_pure_and_gaussian_releases_share_an_account(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    rules = [spend(ledger, step).rule for step in (LaplaceNoise(0.4), GaussianNoise(40.0), RandomizedResponse(0.3))]
    assert rules == ["added", "clock", "clock"]
    left = ledger.spent("survey")
    assert left.epsilon_left == pytest.approx(0.05) and left.rho_left is not None and left.rho_left > 1e-4
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(0.1))
    assert spend(ledger, LaplaceNoise(0.05)).rule == "clock"
    assert ledger.check() == ledger.head


def test_an_account_opened_before_sums_up_rho_as_before(ledger: Ledger) -> None:
    limit = ApproximateLimit(1.0, 1e-6)
    ledger._append(Kind.OPEN, "survey", Body(NOTHING, limit, "one row", Neighbours.REPLACE_ONE), "", "survey", now())
    assert ledger.account("survey").splits == ()
    noise = DiscreteGaussianNoise(30.0)
    fits = 43
    assert approximate_of_concentration(fits / 1800, 1e-6) <= 1.0 < approximate_of_concentration(44 / 1800, 1e-6)
    entry = spend(ledger, noise, *[noise] * (fits - 1))
    assert entry.rule == "concentrated" and "splits" not in entry.body
    assert ledger.spent("survey").at_delta == approximate_of_concentration(ledger.spent("survey").rho, 1e-6)
    with pytest.raises(BudgetError):
        spend(ledger, noise)
    # Pure steps whose ρ is small fit neither way: Σ ε is infinite by now.
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(0.5))
    assert ledger.check() == ledger.head


def test_earlier_versions_find_no_limit_in_a_split_account(ledger: Ledger) -> None:
    """They would sum up ρ beside the clock, which takes δ twice; without a limit they refuse the account."""
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    opened = json.loads(ledger.entries()[0].body)
    assert "limit" not in opened and opened["split_limit"]["epsilon"] == 1.0
    assert ledger.account("survey").limit == ApproximateLimit(1.0, 1e-6)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            lambda said: said["split_limit"].update(delta=1e-7),
            "Entry 1 of the ledger splits its limit into more than it is",
        ),
        (lambda said: said["split_limit"]["splits"][0].update(time=0.06), "Entry 1 of the ledger splits its limit"),
        (lambda said: said["split_limit"]["splits"][0].update(time=-1.0), "Entry 1 of the ledger cannot be read"),
        (lambda said: said.update(limit={"kind": "unlimited"}), "Entry 1 of the ledger cannot be read"),
        (lambda said: said.update(spent={"epsilon": "0", "rho": "0"}), "Entry 1 of the ledger has sums"),
    ],
)
def test_a_split_that_promises_too_much_is_found(
    ledger: Ledger, address: str, change: Callable[[dict[str, Any]], None], found: str
) -> None:
    opened = ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    said = json.loads(ledger.entries()[0].body)
    change(said)
    body = json.dumps(said, separators=(",", ":"), sort_keys=True)
    told = (1, "survey", "open", opened.opened, body, "", "survey", START)
    digest = hashlib.sha256(json.dumps(told, separators=(",", ":"), sort_keys=True).encode()).hexdigest()
    tamper(address, f"UPDATE entries SET body = '{body}', hash = '{digest}'")
    with open_ledger(address) as again, pytest.raises(VerificationError, match=found):
        again.check()


@pytest.mark.parametrize("change", [lambda used: used.clear(), lambda used: used.__setitem__(0, ["0", "1e-9"])])
def test_a_spend_that_moves_the_clock_too_little_is_found(ledger: Ledger, change: Callable[[list[Any]], None]) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    entry = spend(ledger, GaussianNoise(20.0))
    said = json.loads(entry.body)
    change(said["cost"]["splits"])
    forged: Any = said
    ledger._store.append(Entry.after(entry, "survey", Kind.SPEND, forged, "x", "x"))
    with pytest.raises(VerificationError, match="Entry 3 of the ledger costs less than its steps"):
        ledger.check()


def test_the_largest_rho_converts_to_the_limit() -> None:
    for epsilon in (0.01, 1.0, 20.0):
        for delta in (1e-9, 1e-3):
            rho = largest_rho(epsilon, delta)
            assert approximate_of_concentration(rho, delta) <= epsilon
            assert approximate_of_concentration(rho * (1 + 1e-9), delta) > epsilon
    assert largest_rho(1.0, 0.0) == 0.0


def test_one_release_that_uses_the_whole_limit_fits_alone(ledger: Ledger) -> None:
    noise = DiscreteGaussianNoise(4.25)
    limit = ApproximateLimit(compose([noise], 1e-6).epsilon, 1e-6)
    assert approximate_of_concentration(noise.rho(), 1e-6) > limit.epsilon
    ledger.open_account("survey", limit)
    assert spend(ledger, LaplaceNoise(0.0)).rule == "nothing"
    assert spend(ledger, noise).rule == "alone"
    for step in (DiscreteGaussianNoise(1e6), LaplaceNoise(1e-12)):
        with pytest.raises(BudgetError):
            spend(ledger, step)
    assert ledger.spent("survey").rho_left == 0.0
    assert ledger.check() == ledger.head


def test_no_second_release_is_taken_alone(ledger: Ledger) -> None:
    noise = DiscreteGaussianNoise(4.25)
    ledger.open_account("survey", ApproximateLimit(compose([noise], 1e-6).epsilon, 1e-6))
    spend(ledger, LaplaceNoise(1e-9))
    with pytest.raises(BudgetError):
        spend(ledger, noise)
    assert ledger.spent("survey").rho < 1e-17


def test_a_claim_of_epsilon_and_delta_fits_alone_only(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    assert spend(ledger, Claimed(ApproximateDP(0.1, 1e-7))).rule == "alone"
    with pytest.raises(BudgetError):
        spend(ledger, Claimed(ApproximateDP(0.1, 1e-7)))


def test_an_infinite_cost_needs_an_unlimited_account(ledger: Ledger) -> None:
    everything = KnownChannel(Channel.identity("ab"))
    ledger.open_account("survey", ApproximateLimit(5.0, 1e-3))
    ledger.open_account("open data", Unlimited())
    with pytest.raises(BudgetError, match="sum of ε to infinity and that of ρ to infinity"):
        spend(ledger, everything)
    spend(ledger, LaplaceNoise(0.5), dataset="open data")
    assert ledger.spent("open data").epsilon == 0.5
    assert spend(ledger, everything, dataset="open data").rule == "unlimited"
    assert ledger.spent("open data").epsilon == math.inf
    assert ledger.spent("open data").rho_left is None
    assert ledger.spent("survey").epsilon == 0.0
    assert ledger.check() == ledger.head


@pytest.mark.parametrize(
    "make",
    [
        lambda: ApproximateLimit(math.inf),
        lambda: ApproximateLimit(0.0),
        lambda: ApproximateLimit(math.nan),
        lambda: ApproximateLimit(1.0, 1.0),
        lambda: ApproximateLimit(1.0, -0.1),
        lambda: ConcentratedLimit(math.inf),
        lambda: ConcentratedLimit(-1.0),
        lambda: Cost(()),
        lambda: Cost((CentralDP(1.0),)),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_limit_or_cost_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(OptionError):
        make()


def test_a_dry_run_writes_nothing(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    head = ledger.head
    fits = ledger.preview("survey", Cost((LaplaceNoise(0.75),)))
    assert fits.allowed and fits.rule is Rule.ADDED
    assert (fits.before.epsilon, fits.after.epsilon, fits.after.epsilon_left) == (0.0, 0.75, 0.25)
    too_much = ledger.preview("survey", Cost((LaplaceNoise(1.25),)))
    assert not too_much.allowed
    assert ledger.head == head


def test_a_reference_is_spent_once(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    assert ledger.entry("mine") is None
    entry = ledger.spend("survey", Cost((LaplaceNoise(0.75),)), "a test", "mine")
    # Also where a second spend would not fit: the caller must learn that the first was made.
    with pytest.raises(OptionError, match="'mine' was used already, as entry 2"):
        ledger.spend("survey", Cost((LaplaceNoise(0.75),)), "a test", "mine")
    assert ledger.entry("mine") == entry
    assert ledger.spent("survey").epsilon == 0.75


def test_completion_costs_nothing_and_happens_once(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    entry = spend(ledger, LaplaceNoise(0.5))
    done = ledger.complete(entry, "sha256:00")
    assert (done.kind, done.digest, done.reference) == (Kind.COMPLETE, "sha256:00", entry.reference)
    assert ledger.complete(entry, "sha256:00") == done
    with pytest.raises(OptionError, match="another digest"):
        ledger.complete(entry, "sha256:11")
    assert ledger.spent("survey").epsilon == 0.5
    assert [one.kind.value for one in ledger.entries("survey")] == ["open", "spend", "complete"]
    assert ledger.check(entry.hash) == done.hash == ledger.head
    with open_ledger(address) as again:
        assert again.entries() == ledger.entries()
        assert again.account("survey") == ledger.account("survey")


def test_composition_is_that_of_the_steps(ledger: Ledger) -> None:
    channel = KnownChannel(Channel("ab", "xyz", [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]))
    steps = [LaplaceNoise(0.1, count=3), GaussianNoise(20.0), channel, Claimed(LocalDP(0.05))]
    ledger.open_account("survey", ApproximateLimit(5.0, 1e-6))
    for step in steps:
        spend(ledger, step)
    for delta in (1e-6, 1e-3):
        assert ledger.composition("survey", delta).epsilon == compose(steps, delta).epsilon
    assert ledger.composition("survey").epsilon <= ledger.spent("survey").at_delta <= 5.0


def test_accounts_state_what_they_protect(ledger: Ledger) -> None:
    made = ledger.open_account(
        "visits", ConcentratedLimit(0.1), unit="all visits of one person", neighbours=Neighbours.ADD_OR_REMOVE_ONE
    )
    assert ledger.account("visits") == made == ledger.accounts()[0]
    assert made.opened.endswith("+00:00")
    with pytest.raises(OptionError, match="has an account already"):
        ledger.open_account("visits", Unlimited())
    with pytest.raises(OptionError, match="did you mean 'visits'"):
        ledger.spent("visit")
    with pytest.raises(ModelError, match="RandomizedResponse has no law for a missing record"):
        spend(ledger, RandomizedResponse(0.01), dataset="visits")
    spend(ledger, LaplaceNoise(0.01), dataset="visits")


@pytest.mark.parametrize("text", ["", " ", "a\nb", "a\x00b", "\ud800", "x" * 1001])
def test_texts_no_store_could_hold_are_refused(ledger: Ledger, text: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    cost = Cost((LaplaceNoise(0.1),))
    for attempt in (
        lambda: ledger.open_account(text, ApproximateLimit(1.0)),
        lambda: ledger.open_account("other", ApproximateLimit(1.0), unit=text),
        lambda: ledger.spend("survey", cost, text, "reference"),
        lambda: ledger.spend("survey", cost, "purpose", text),
    ):
        with pytest.raises(OptionError, match="printable"):
            attempt()
    assert len(ledger.entries()) == 1


# The chain. The tests reach below the ledger, as somebody with a database tool would.

TRIGGERS = {
    "sqlite": ["DROP TRIGGER entries_update", "DROP TRIGGER entries_delete"],
    "postgresql": ["DROP TRIGGER entries_never_changed ON entries"],
}

SWAP_3_AND_4 = (
    "UPDATE entries SET sequence = sequence - 7 WHERE sequence IN (3, 4);"
    "UPDATE entries SET sequence = -sequence WHERE sequence < 0"
)


def tamper(address: str, *statements: str, triggers: bool = False) -> None:
    if address.startswith("postgresql"):
        import psycopg

        with psycopg.connect(address) as connection:
            connection.execute("SET search_path = leakgauge")
            for statement in [*([] if triggers else TRIGGERS["postgresql"]), *statements]:
                connection.execute(statement.encode())
        return
    connection_ = sqlite3.connect(address)
    try:
        for statement in [*([] if triggers else TRIGGERS["sqlite"]), *statements]:
            connection_.execute(statement)
        connection_.commit()
    finally:
        connection_.close()


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    ledger.open_account("survey", ApproximateLimit(1.0))
    ledger.open_account("other", ApproximateLimit(1.0))
    for _ in range(3):
        spend(ledger, LaplaceNoise(0.25))
    ledger.complete(spend(ledger, LaplaceNoise(0.25), dataset="other"), "sha256:00")
    return ledger


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            "UPDATE entries SET purpose = 'another' WHERE sequence = 4",
            "Entry 4 of the ledger was changed after it was written",
        ),
        ("UPDATE entries SET body = replace(body, '0.25', '0.01') WHERE sequence = 5", "Entry 5"),
        ("UPDATE entries SET dataset = 'other' WHERE sequence = 3", "Entry 3"),
        ("DELETE FROM entries WHERE sequence = 3", "Entry 3 of the ledger is missing"),
        (
            SWAP_3_AND_4,
            "Entry 3 of the ledger does not follow",
        ),
        ("UPDATE entries SET hash = previous WHERE sequence = 2", "Entry 2"),
    ],
)
def test_the_check_names_the_first_wrong_entry(filled: Ledger, address: str, change: str, found: str) -> None:
    filled.check()
    tamper(address, *change.split(";"))
    with pytest.raises(VerificationError, match=found):
        filled.check()


OPENED = '{"limit":{"epsilon":1.0,"delta":0.0,"kind":"approximate"},"neighbours":"replace-one","unit":"one row",'
SUMS = '"spent":{"epsilon":"0","rho":"0"}}'
MALFORMED = [
    "not json",
    "[]",
    "5",
    "[" * 100_000,
    "{}",
    OPENED + '"spent":{}}',
    OPENED + '"spent":{"epsilon":"x","rho":"0"}}',
    OPENED + '"spent":{"epsilon":"NaN","rho":"0"}}',
    OPENED + '"spent":{"epsilon":"-1","rho":"0"}}',
    OPENED + '"spent":{"epsilon":"1e999999","rho":"0"}}',
    OPENED + '"spent":{"epsilon":[1],"rho":0}}',
    OPENED.replace("1.0", '"one"') + SUMS,
    OPENED.replace("1.0", "NaN") + SUMS,
    OPENED.replace("replace-one", "none") + SUMS,
    OPENED.replace('"replace-one"', "[]") + SUMS,
    OPENED.replace('"one row"', "7") + SUMS,
]


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: body[-60:])
def test_a_malformed_entry_with_the_right_hash_is_refused(ledger: Ledger, address: str, body: str) -> None:
    """Somebody wrote it who knows how hashes are made, or a program that was wrong."""
    opened = ledger.open_account("survey", ApproximateLimit(1.0))
    told = (1, "survey", "open", opened.opened, body, "", "survey", START)
    text = json.dumps(told, separators=(",", ":"), sort_keys=True)
    tamper(address, f"UPDATE entries SET body = '{body}', hash = '{hashlib.sha256(text.encode()).hexdigest()}'")
    with open_ledger(address) as again:
        with pytest.raises(VerificationError, match="Entry 1 of the ledger"):
            again.check()
        with pytest.raises(VerificationError, match="Entry 1 of the ledger"):
            again.spent("survey")


@pytest.mark.parametrize(
    "fields",
    [
        {"steps": []},
        {"steps": 5},
        {"steps": ["laplace"]},
        {"cost": None},
        {"cost": {"epsilon": "sNaN", "rho": "0"}},
        {"rule": [1]},
    ],
    ids=str,
)
def test_a_malformed_spend_is_refused(ledger: Ledger, fields: dict[str, object]) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    first = ledger.entries()[0]
    body = {"cost": {"epsilon": "0.1", "rho": "0.01"}, "rule": "added", "steps": [step_to_json(LaplaceNoise(0.1))]}
    said: Any = {"spent": {"epsilon": "0.1", "rho": "0.01"}, **body, **fields}
    entry = Entry.after(first, dataset="survey", kind=Kind.SPEND, body=said, purpose="x", reference="x")
    ledger._store.append(entry)
    with pytest.raises(VerificationError, match="Entry 2 of the ledger"):
        ledger.check()


def test_what_is_hashed_is_spelled_as_in_ledgers_written_before(ledger: Ledger) -> None:
    ledger.open_account("survey", ApproximateLimit(1), unit="one value of 'Größe'")
    entry = ledger.spend("survey", Cost((LaplaceNoise(0.25),)), "ages", "ages")
    ledger.complete(entry, "00")
    sums = f'{{"epsilon":"0.25","rho":"{entry.cost.rho}"}}'
    assert [one.body for one in ledger.entries()] == [
        (
            '{"limit":{"delta":0.0,"epsilon":1.0,"kind":"approximate"},"neighbours":"replace-one",'
            '"spent":{"epsilon":"0","rho":"0"},"unit":"one value of \'Gr\\u00f6\\u00dfe\'"}'
        ),
        (
            f'{{"cost":{sums},"rule":"added","spent":{sums},'
            '"steps":[{"count":1,"epsilon":0.25,"kind":"laplace-noise","sampling_probability":1.0}]}'
        ),
        f'{{"digest":"00","spent":{sums}}}',
    ]


def test_names_of_data_sets_come_from_files() -> None:
    names = ["a/people.csv", "people.v2.csv", "people.csv.gz", "people.v2.csv.ZST", "people", "part-*.parquet"]
    expected = ["people", "people.v2", "people", "people.v2", "people", "part-*"]
    assert [default_dataset(name) for name in names] == expected


def test_an_account_fits_by_unit_and_neighbours() -> None:
    account = Account("survey", ApproximateLimit(1.0))
    require_account(account, "one row", Neighbours.REPLACE_ONE)
    told = r"protects one row \(replace-one\), and this protects {} \({}\); .* --unit \"{}\" --neighbours {}\."
    for unit, neighbours, name in (
        ("one value of 'row'", Neighbours.REPLACE_ONE, "replace-one"),
        ("one row", Neighbours.ADD_OR_REMOVE_ONE, "add-or-remove"),
    ):
        with pytest.raises(OptionError, match=told.format(unit, name, unit, name)):
            require_account(account, unit, neighbours)


def test_a_cut_tail_is_missed_by_who_knows_the_head(filled: Ledger, address: str) -> None:
    head = filled.head
    tamper(address, "DELETE FROM entries WHERE sequence = 7")
    filled.check()
    with pytest.raises(VerificationError, match="entries were removed"):
        filled.check(head)


def test_nothing_is_spent_after_an_edited_entry(filled: Ledger, address: str) -> None:
    tamper(address, "UPDATE entries SET body = replace(body, '0.75', '0.01') WHERE sequence = 5")
    with pytest.raises(VerificationError, match="Entry 5 of the ledger was changed after it was written"):
        spend(filled, LaplaceNoise(0.1))


@pytest.mark.parametrize("change", ["UPDATE entries SET purpose = ''", "DELETE FROM entries"])
def test_the_database_itself_refuses_changes(filled: Ledger, address: str, change: str) -> None:
    with pytest.raises(Exception, match="never changed"):
        tamper(address, change, triggers=True)
    assert len(filled.entries()) == 7


def test_a_newer_format_is_refused(filled: Ledger, address: str) -> None:
    newer = "UPDATE format SET version = 2" if address.startswith("postgresql") else "PRAGMA user_version = 2"
    tamper(address, newer)
    with pytest.raises(FileError, match="from a newer version"):
        open_ledger(address)
    with pytest.raises(FileError, match="from a newer version"):
        open_ledger(address, create=True)


def test_a_ledger_that_is_not_there_is_not_made_by_chance(address: str) -> None:
    with pytest.raises(FileError, match="make one with `leakgauge ledger open`"):
        open_ledger(address)
    with pytest.raises(FileError):
        open_ledger(address)


def test_making_a_ledger_twice_keeps_the_first(filled: Ledger, address: str) -> None:
    with open_ledger(address, create=True) as again:
        assert again.head == filled.head
