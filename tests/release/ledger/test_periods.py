"""Limits that renew: which period a spend is in, what it may cost there, and what all periods come to."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import count, groupby
from multiprocessing.connection import Connection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.errors import BudgetError, OptionError, VerificationError
from leakgauge.mechanisms.steps import GaussianNoise, LaplaceNoise, RandomizedResponse, Step
from leakgauge.notions.composition import compose
from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Entry, Ledger, Period, Unlimited, open_ledger
from leakgauge.release.ledger import ledger as ledgers
from leakgauge.release.ledger.account import Limit
from leakgauge.release.ledger.admission import rule_of_sums
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Kind
from leakgauge.release.ledger.summary import account_told, spent_in_all_periods
from tests.forks import PROCESSES

YEAR = Period("year", date(2026, 1, 1))
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
_NUMBERS = count()


class Clock:
    """What the ledger takes for the time."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 19, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(ledgers, "now", made)
    return made


def spend(ledger: Ledger, *steps: Step) -> Entry:
    return ledger.spend("survey", Cost(steps), "a test", f"reference-{next(_NUMBERS)}")


# Which period a moment is in.

DAYS = st.dates(date(1990, 1, 1), date(2200, 1, 1))
PERIODS = st.one_of(
    st.builds(Period, st.sampled_from(["year", "quarter", "month"]), DAYS.filter(lambda day: day.day <= 28)),
    st.builds(Period, st.integers(1, 3660), DAYS),
)
MOMENTS = st.integers(0, 6_000_000_000_000_000).map(lambda at: datetime(1990, 1, 1, tzinfo=UTC) + at * TICK)


@given(PERIODS, MOMENTS)
def test_periods_touch_and_contain_every_moment_once(period: Period, moment: datetime) -> None:
    running = period.at(moment)
    assert running.first <= moment.date() < running.renews
    start, end = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (running.first, running.renews))
    assert period.at(start) == running == period.at(end - TICK)
    assert period.at(end).first == running.renews and period.at(end).number == running.number + 1
    assert period.at(start - TICK).number == running.number - 1
    assert period.at(datetime(period.first.year, period.first.month, period.first.day, tzinfo=UTC)).number == 0


def test_periods_are_those_of_utc() -> None:
    far = timezone(timedelta(hours=14))
    assert YEAR.at(datetime(2027, 1, 1, 13, tzinfo=far)).first == date(2026, 1, 1)
    assert YEAR.at(datetime(2026, 12, 31, 12, tzinfo=timezone(-timedelta(hours=12)))).first == date(2027, 1, 1)


TODAY = date(2026, 11, 19)


@pytest.mark.parametrize(
    ("length", "first", "expected"),
    [
        ("year", None, (date(2026, 1, 1), date(2027, 1, 1))),
        ("quarter", None, (date(2026, 10, 1), date(2027, 1, 1))),
        ("month", None, (date(2026, 11, 1), date(2026, 12, 1))),
        ("30", None, (TODAY, date(2026, 12, 19))),
        ("30 days", None, (TODAY, date(2026, 12, 19))),
        ("year", "2020-04-01", (date(2026, 4, 1), date(2027, 4, 1))),
        ("month", "2026-01-28", (date(2026, 10, 28), date(2026, 11, 28))),
        ("7", "2026-11-12", (TODAY, date(2026, 11, 26))),
    ],
)
def test_typed_periods(length: str, first: str | None, expected: tuple[date, date]) -> None:
    running = Period.parse(length, first, TODAY).at(datetime(2026, 11, 19, tzinfo=UTC))
    assert (running.first, running.renews) == expected


@pytest.mark.parametrize(
    ("length", "first", "said"),
    [
        ("yaer", None, "'yaer' is neither a period nor a number of days: did you mean 'year'?"),
        ("week", None, "known are 'year', 'quarter', 'month'."),
        ("-3", None, "'-3' is neither a period"),
        ("1.5", None, "'1.5' is neither a period"),
        ("", None, "'' is neither a period"),
        ("0", None, "A period of 0 days is not a period; give 1 to 3660 days"),
        ("9" * 30, None, "A period of 9{30} days is not a period"),
        ("year", "tomorrow", "tomorrow is not a day from which periods count; give one such as 2026-01-01."),
        ("year", "0001-01-01", "0001-01-01 is not a day from which periods count"),
        ("month", "2026-01-31", "Periods cannot start on 2026-01-31, because not every month has a day 31"),
        ("year", "2027-01-01", r"2027-01-01 has not come, it is 2026-11-19 \(UTC\)"),
    ],
)
def test_what_is_no_period_is_refused(length: str, first: str | None, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Period.parse(length, first, TODAY)


# Spending.


def test_a_limit_renews_at_midnight_and_refunds_nothing(ledger: Ledger, clock: Clock) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    assert ledger.spent("survey").period == YEAR.at(clock.time)
    spend(ledger, LaplaceNoise(0.75))
    clock.time = NEW_YEAR - TICK
    with pytest.raises(
        BudgetError,
        match=r"sum of ε to 1\.25 in this period, past the limit ε = 1 each year of data set 'survey', which has "
        r"ε = 0\.25 left until it renews on 2027-01-01; no budget was used",
    ):
        spend(ledger, LaplaceNoise(0.5))
    last = spend(ledger, LaplaceNoise(0.25))
    clock.time = NEW_YEAR
    assert ledger.spent("survey").epsilon == 0.0 and ledger.spent("survey").epsilon_left == 1.0
    # Completing the release of last year costs nothing of this one.
    assert ledger.complete(last, "sha256:00").spent.epsilon == 0
    spend(ledger, LaplaceNoise(1.0))
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(1e-9))
    clock.time = datetime(2030, 5, 5, tzinfo=UTC)  # years in which nothing was spent leave nothing over
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(1.1))
    spend(ledger, LaplaceNoise(1.0))
    assert spent_in_all_periods(ledger, "survey").epsilon.value == 3.0
    assert ledger.check() == ledger.head


def test_a_clock_that_goes_back_opens_no_period_again(ledger: Ledger, clock: Clock, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    ledger.open_account("other", ApproximateLimit(1.0))
    spend(ledger, LaplaceNoise(1.0))
    clock.time = NEW_YEAR
    entry = spend(ledger, LaplaceNoise(0.75))
    for back in (TICK, timedelta(days=1), timedelta(days=4000)):
        clock.time = NEW_YEAR - back
        assert ledger.spent("survey").epsilon == 0.75
        with pytest.raises(BudgetError):
            spend(ledger, LaplaceNoise(0.5))
    late = spend(ledger, LaplaceNoise(0.1))
    assert late.time == entry.time
    other = ledger.spend("other", Cost((LaplaceNoise(0.1),)), "a test", "another data set")
    assert other.time == entry.time
    with open_ledger(address) as again:
        assert again.spent("survey").epsilon == 0.85
    # And what the ledger saw of the time in another account counts as well.
    clock.time = datetime(2028, 2, 1, tzinfo=UTC)
    ledger.complete(other, "00")
    clock.time = NEW_YEAR
    assert ledger.spent("survey").epsilon == 0.0
    spend(ledger, LaplaceNoise(1.0))
    assert ledger.check() == ledger.head


def test_an_entry_of_an_earlier_version_with_an_earlier_time_takes_nothing_back(ledger: Ledger, clock: Clock) -> None:
    """It took the clock as it was, so the newest entry of a ledger may be earlier than one of this account."""
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    ledger.open_account("other", ApproximateLimit(1.0))
    clock.time = NEW_YEAR
    spend(ledger, LaplaceNoise(1.0))
    opened = ledger.entries("other")[0]
    said: Any = {"spent": {"epsilon": "0", "rho": "0"}, "digest": "00"}
    ledger._store.append(
        Entry.after(ledger._store.last(), "other", Kind.COMPLETE, said, "x", "x", opened.moment - timedelta(days=9))
    )
    clock.time = opened.moment
    with pytest.raises(BudgetError):
        spend(ledger, LaplaceNoise(0.1))


@pytest.mark.parametrize("limit", [ApproximateLimit(1.0, 1e-6), ConcentratedLimit(0.02)])
def test_every_kind_of_limit_renews_whole(ledger: Ledger, clock: Clock, limit: Limit) -> None:
    ledger.open_account("survey", limit, period=Period("month", date(2026, 1, 1)))
    made = []
    for month in range(3):
        clock.time = datetime(2026, 11, 19, tzinfo=UTC) + month * timedelta(days=31)
        made.append(0)
        while ledger.preview("survey", Cost((GaussianNoise(20.0),))).allowed:
            spend(ledger, GaussianNoise(20.0))
            made[-1] += 1
    assert made[0] > 2 and made == [made[0]] * 3
    assert ledger.check() == ledger.head


def test_the_first_release_of_every_period_may_be_alone(ledger: Ledger, clock: Clock) -> None:
    noise = GaussianNoise(4.25)
    ledger.open_account("survey", ApproximateLimit(compose([noise], 1e-6).epsilon, 1e-6), period=YEAR)
    for year in (2026, 2027):
        clock.time = datetime(year, 12, 1, tzinfo=UTC)
        assert spend(ledger, noise).rule == "alone"
        with pytest.raises(BudgetError):
            spend(ledger, noise)
    assert ledger.check() == ledger.head


def test_an_account_without_a_period_never_renews(ledger: Ledger, clock: Clock) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0))
    spend(ledger, LaplaceNoise(1.0))
    clock.time += timedelta(days=40_000)
    assert ledger.running("survey") is None
    with pytest.raises(BudgetError, match="past the limit ε = 1 of data set"):
        spend(ledger, LaplaceNoise(0.1))


def test_earlier_versions_find_no_limit_in_an_account_that_renews(ledger: Ledger, clock: Clock) -> None:
    """They would not know when to begin anew; without a limit they refuse the account, as they do one with a clock."""
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    said = json.loads(ledger.entries()[0].body)
    assert said.keys() == {"neighbours", "period_limit", "spent", "unit"}
    assert said["period_limit"]["period"] == {"first": "2026-01-01", "length": "year"}
    assert ledger.account("survey").period == YEAR


@pytest.mark.parametrize(
    ("held", "asked", "said"),
    [
        (YEAR, Period("month", date(2026, 1, 1)), r"each month \(2026-11-01 to 2026-11-30\) would overlap it"),
        (YEAR, Period("year", date(2026, 4, 1)), r"each year \(2026-04-01 to 2027-03-31\) would overlap it"),
        (YEAR, None, r"holds each year \(2026-01-01 to 2026-12-31\); a limit over all time would overlap it"),
        (None, YEAR, r"holds over all time; a limit each year \(2026-01-01 to 2026-12-31\) would overlap it"),
        (None, None, "whose limit stays"),
    ],
)
def test_an_account_is_opened_once_with_one_period(
    ledger: Ledger, clock: Clock, held: Period | None, asked: Period | None, said: str
) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0), period=held)
    with pytest.raises(OptionError, match=said):
        ledger.open_account("survey", ApproximateLimit(9.0), period=asked)
    assert len(ledger.entries()) == 1


def test_what_has_no_limit_has_none_to_renew(ledger: Ledger) -> None:
    with pytest.raises(OptionError, match="has no limit that could renew"):
        ledger.open_account("survey", Unlimited(), period=YEAR)


def test_what_is_told_of_an_account_that_renews(ledger: Ledger, clock: Clock) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6), period=YEAR)
    steps = [LaplaceNoise(0.75), LaplaceNoise(0.5)]
    spend(ledger, steps[0])
    clock.time = datetime(2029, 3, 1, tzinfo=UTC)
    spend(ledger, steps[1])
    told = account_told(ledger.account("survey"), ledger)
    assert told.period is not None and told.period.allowed is not None and told.period.allowed.epsilon is not None
    assert (told.period.first, told.period.renews, told.period.renewed) == ("2029-01-01", "2030-01-01", 3)
    assert told.spent is not None and told.spent.epsilon.value == 0.5
    assert told.period.spent.epsilon.value == 1.25
    assert told.period.allowed.epsilon.value == 4.0 and told.period.allowed.delta == pytest.approx(4e-6)
    assert told.composition is not None and told.composition.epsilon.value == compose(steps, 1e-6).epsilon


# The chain.


@pytest.mark.parametrize(
    ("shift", "spent", "found"),
    [
        (timedelta(days=-365), "1.5", "Entry 4 of the ledger is of an earlier period than the one before it"),
        (timedelta(), "1.5", "Entry 4 of the ledger spends more than the limit"),
        (timedelta(days=365), "1.5", "Entry 4 of the ledger has sums that are not those of the entries"),
    ],
)
def test_a_forged_period_is_found(ledger: Ledger, clock: Clock, shift: timedelta, spent: str, found: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    spend(ledger, LaplaceNoise(0.75))
    clock.time = NEW_YEAR
    entry = spend(ledger, LaplaceNoise(0.75))
    forged: Any = {**json.loads(entry.body), "spent": {"epsilon": spent, "rho": str(2 * entry.cost.rho)}}
    ledger._store.append(Entry.after(entry, "survey", Kind.SPEND, forged, "x", "x", NEW_YEAR + shift))
    with pytest.raises(VerificationError, match=found):
        ledger.check()


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["period_limit"]["period"].update(length="decade"),
        lambda said: said["period_limit"]["period"].update(length=0),
        lambda said: said["period_limit"]["period"].update(first="2026-01-31"),
        lambda said: said["period_limit"].update(limit={"kind": "unlimited"}),
        lambda said: said.update(limit={"kind": "approximate", "epsilon": 1.0}),
    ],
)
def test_an_opening_that_cannot_be_is_refused(
    ledger: Ledger, clock: Clock, change: Callable[[dict[str, Any]], None]
) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0), period=YEAR)
    said = json.loads(ledger.entries()[0].body)
    change(said)
    ledger._store.append(Entry.after(ledger._store.last(), "other", Kind.OPEN, said, "", "other"))
    with pytest.raises(VerificationError, match="Entry 2 of the ledger cannot be read"):
        ledger.check()


# Any sequence of spends, at any times.

STEPS = st.sampled_from([LaplaceNoise(0.25), LaplaceNoise(0.6), RandomizedResponse(0.1, count=3), GaussianNoise(9.0)])
LEAPS = st.sampled_from([timedelta(), TICK, timedelta(days=11), timedelta(days=31), -timedelta(days=40)])
LIMITS = st.sampled_from([ApproximateLimit(1.0), ApproximateLimit(1.0, 1e-6), ConcentratedLimit(0.1)])


@contextmanager
def at(clock: Clock) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledgers, "now", clock)
        yield


@given(LIMITS, st.lists(st.tuples(LEAPS, STEPS), max_size=12))
def test_no_period_exceeds_the_limit_and_all_of_them_compose(limit: Limit, asked: list[tuple[timedelta, Step]]) -> None:
    clock, period = Clock(), Period("month", date(2026, 1, 1))
    with tempfile.TemporaryDirectory() as folder, at(clock), open_ledger(folder + "/x", create=True) as ledger:
        account = ledger.open_account("survey", limit, period=period)
        made: list[Step] = []
        for leap, step in asked:
            clock.time += leap
            try:
                spend(ledger, step)
            except BudgetError:
                assert not ledger.preview("survey", Cost((step,))).allowed
            else:
                made.append(step)
        spends = [entry for entry in ledger.entries() if entry.kind is Kind.SPEND]
        assert [entry.steps for entry in spends] == [(step,) for step in made]
        assert [entry.moment for entry in spends] == sorted(entry.moment for entry in spends)
        for _, entries in groupby(spends, key=lambda entry: period.at(entry.moment).number):
            inside = list(entries)
            whole = Cost(tuple(step for entry in inside for step in entry.steps)).total
            assert (inside[-1].spent.epsilon, inside[-1].spent.rho) == (whole.epsilon, whole.rho)
            assert rule_of_sums(account, inside[-1].spent) is not None
        if made:
            together = Cost(tuple(made)).total
            told = account_told(account, ledger).period
            assert told is not None
            assert told.spent.epsilon.value == pytest.approx(float(together.epsilon), rel=1e-15)
            assert told.spent.rho.value == pytest.approx(float(together.rho), rel=1e-15)
            assert ledger.composition("survey", 1e-6).epsilon == compose(made, 1e-6).epsilon
        assert ledger.check() == ledger.head


# Processes across a border.

COST = Cost((LaplaceNoise(0.01),))


def spending_across(address: str, told: Connection) -> None:
    """Spends until the new period is full; its clock passes the border a second after all have started."""
    told.send("ready")
    started = told.recv()

    def now() -> datetime:
        return NEW_YEAR + timedelta(seconds=time.time() - started - 1.0)

    pytest.MonkeyPatch().setattr(ledgers, "now", now)  # in this process alone
    with open_ledger(address) as ledger:
        for number in count():
            moment = now()
            try:
                ledger.spend("survey", COST, "a test", f"{os.getpid()}-{number}")
            except BudgetError:
                if moment >= NEW_YEAR:
                    break
                time.sleep(0.01)
            else:
                told.send(f"{os.getpid()}-{number}")


def across(address: str, processes: int, killed_after: float | None = None) -> list[str]:
    """What processes acknowledged that spend across the border at once, and are perhaps killed near it."""
    children = []
    for _ in range(processes):
        mine, theirs = PROCESSES.Pipe()
        child = PROCESSES.Process(target=spending_across, args=(address, theirs))
        child.start()
        theirs.close()
        children.append((child, mine))
    for _, pipe in children:
        assert pipe.poll(60) and pipe.recv() == "ready"
    started = time.time()
    for _, pipe in children:
        pipe.send(started)
    if killed_after is not None:
        time.sleep(1.0 + killed_after)
        for child, _ in children:
            os.kill(child.pid or 0, signal.SIGKILL)
    acknowledged: list[str] = []
    for child, pipe in children:
        with suppress(EOFError, ConnectionResetError), pipe:
            while True:
                acknowledged.append(pipe.recv())
        child.join(60)
    return acknowledged


def of_period(ledger: Ledger, year: int) -> list[str]:
    return [one.reference for one in ledger.entries() if one.kind is Kind.SPEND and one.moment.year == year]


def opened_for_processes(address: str, epsilon: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledgers, "now", lambda: NEW_YEAR - timedelta(days=1))
        with open_ledger(address, create=True) as ledger:
            ledger.open_account("survey", ApproximateLimit(epsilon), period=YEAR)


def test_processes_across_a_border_never_pass_the_limit_of_either_period(address: str) -> None:
    opened_for_processes(address, 0.4)
    acknowledged = across(address, 4)
    with open_ledger(address) as ledger:
        before, after = (len(of_period(ledger, year)) for year in (2026, 2027))
        assert 0 < before <= 40 and after == 40
        assert sorted(acknowledged) == sorted(of_period(ledger, 2026) + of_period(ledger, 2027))
        assert ledger.check() == ledger.head


@pytest.mark.parametrize(
    "delay",
    [pytest.param(late, marks=[pytest.mark.nightly] * (late != 0.0)) for late in (-0.02, -0.005, 0.0, 0.004, 0.03)],
)
def test_a_kill_at_the_border_loses_no_acknowledged_spend(address: str, delay: float) -> None:
    opened_for_processes(address, 1e3)
    acknowledged = across(address, 2, delay)
    with open_ledger(address) as ledger:
        made = of_period(ledger, 2026) + of_period(ledger, 2027)
        assert set(acknowledged) <= set(made) and len(made) - len(acknowledged) <= 2
        last = ledger.entries()[-1]
        assert last.spent.epsilon == pytest.approx(len(of_period(ledger, last.moment.year)) * COST.total.epsilon)
        assert ledger.check() == ledger.head
