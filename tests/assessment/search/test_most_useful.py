"""The search: what it takes, what it chooses, and what it says where nothing will do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.verdict import ReleaseFacts
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.search import Goal, HandedOut, Stage, Use, most_useful
from leakgauge.assessment.search.column import counted_column
from leakgauge.assessment.search.families import by_noise
from leakgauge.assessment.verdict import verdict_of
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, OptionError, RefusalError, TableError
from leakgauge.mechanisms import laplace, parse_mechanism, randomized_response
from leakgauge.release.estimates.effective_rows import keeps_shares
from leakgauge.tables import Table, open_table
from tests.assessment.search.columns import LETTERS, made_up


@pytest.fixture(scope="module")
def people() -> Table:
    rows = range(3000)
    return open_table(
        pa.table(
            {
                "illness": [("flu", "none", "none", "cold", "none")[(at * 7 + at // 3) % 5] for at in rows],
                "sick": [at % 3 == 0 for at in rows],
                "pay": [None if at % 10 == 0 else 1000.5 + at % 97 for at in rows],
                "gain": [0 if at % 50 else at for at in rows],
                "odd": [math.inf if at == 5 else float(at % 70) for at in rows],
                "same": ["x" for _ in rows],
                "name": [f"person {at}" for at in rows],
                "copy": [("flu", "none", "none", "cold", "none")[(at * 7 + at // 3) % 5].upper() for at in rows],
                "born": pa.array([at * 5 for at in rows], pa.date32()),
            }
        )
    )


def test_the_choice_is_the_most_useful_of_all_that_keep_the_limits(people: Table) -> None:
    found = most_useful(people, "illness", min_protection=70)
    chosen = found.require()
    kept = [one for one in found.trials if not one.short and not one.family.counts_rows]
    assert chosen.usefulness >= max(one.usefulness for one in kept) - 0.5
    assert chosen.scores.protection.ends[0] >= 70 and chosen.scores.surest.ends[1] <= 45
    assert not found.blocking and found.closest is chosen
    # Everybody who reads the verdict sees the same.
    policy = Policy(min_protection=70, min_usefulness=None, max_lost=None, max_alone=None, declared=())
    assert all(line.holds for line in verdict_of({"illness": chosen.scores}, policy, ReleaseFacts()).policy)


def test_parameters_are_found_between_the_points_of_a_grid(people: Table) -> None:
    """A little less noise is not enough protection, or no more useful."""
    for least in (61.7, 73.1, 84.9):
        found = most_useful(people, "sick", min_protection=least)
        chosen = found.require()
        family = [one for one in found.trials if one.family is chosen.family and one.parameter > chosen.parameter]
        nearest = min(family, key=lambda one: one.parameter)
        assert nearest.short and nearest.usefulness <= chosen.usefulness + 0.11


def test_without_a_protection_the_most_protecting_one_is_chosen(people: Table) -> None:
    found = most_useful(people, "illness", min_usefulness=25, use="rows")
    chosen = found.require()
    assert 25 <= chosen.usefulness <= 26
    # Rows drawn again keep the shares, which is all that is asked of statistics: half as precise, and nobody is known.
    redrawn = most_useful(people, "illness", min_usefulness=25).require()
    assert redrawn.usefulness == pytest.approx(50, abs=0.1) and redrawn.scores.protection.ends[0] > 99
    kept = [one for one in found.trials if not one.short and not one.family.counts_rows]
    assert chosen.scores.protection.ends[0] >= max(one.scores.protection.ends[0] for one in kept) - 0.5


def test_both_may_be_asked_for(people: Table) -> None:
    chosen = most_useful(people, "illness", min_protection=50, min_usefulness=20).require()
    assert chosen.scores.protection.ends[0] >= 50 and chosen.usefulness >= 20


def test_a_refusal_says_how_close_it_came_and_what_blocks(people: Table) -> None:
    found = most_useful(people, "illness", min_protection=90, min_usefulness=99.999)
    assert found.chosen is None and found.blocking
    with pytest.raises(
        RefusalError,
        match=r"No setting that was tried for 'illness' meets a protection of 90, .* usefulness of 99\.9.*",
    ):
        found.require()
    assert "but" in str(found.blocking[0])


def test_answers_beat_rows_where_shares_are_all_that_is_needed(people: Table) -> None:
    found = most_useful(people, "illness", min_protection=60)
    assert found.answers is not None and found.answers.usefulness > found.require().usefulness
    assert any("a table of counts serves better than rows" in str(note) for note in found.notes)
    # Rows are released all the same; they are what was asked about.
    assert not found.require().family.counts_rows


def test_where_no_rows_keep_the_limits_counts_may(people: Table) -> None:
    found = most_useful(people, "illness", min_protection=80, min_usefulness=60)
    assert found.require() is found.answers and "Only noisy counts" in str(found.notes[0])


@pytest.mark.parametrize("keep", [Keep.SHARES, Keep.NOTHING])
def test_designed_channels_keep_the_shares_unless_nothing_is_to_be_kept(people: Table, keep: Keep) -> None:
    found = most_useful(people, "illness", min_protection=60, keep=keep, handed_out=HandedOut.EVERYTHING)
    prior = people.counts("illness").distribution("illness")
    designed = [one for one in found.trials if one.family.parameter == "slope"]
    channels = [one.channel for one in designed if one.channel is not None and not one.lost]
    assert channels and all(keeps_shares(one, prior) for one in channels) == (keep is Keep.SHARES)
    lost = [one for one in found.trials if one.lost > 0.01]
    assert bool(lost) == (keep is Keep.NOTHING) and all("max_lost" in one.short for one in lost)


def test_what_is_fitted_to_counts_guarantees_nothing_unless_they_were_bought(people: Table) -> None:
    asked: dict[str, Any] = {"min_protection": 20, "max_epsilon": 3.0, "max_surest": None}
    private = most_useful(people, "illness", **asked)
    assert not private.require().family.is_fitted
    fitted = [one for one in private.trials if one.family.is_fitted]
    assert fitted and all(one.scores.guarantee is None or "max_epsilon" in one.short for one in fitted)
    bought = most_useful(people, "illness", counts_are_private=False, rows=500, **asked)
    fitted = [one for one in bought.trials if one.family.is_fitted]
    assert any(not one.short for one in fitted) and not any(
        one.scores.guarantee is not None and one.scores.guarantee.given_counts for one in fitted
    )


def test_a_mechanism_of_today_is_the_cheapest_to_change(people: Table) -> None:
    today = randomized_response(5.0, letters=("flu", "none", "cold"))
    found = most_useful(people, "illness", min_protection=60, start=today)
    assert found.start is not None and found.start.parameter == 5.0 and "min_protection" in found.start.short
    stages = {str(one.family.name): one.family.stage for one in found.trials if not one.family.counts_rows}
    assert stages["randomized-response"] is Stage.PARAMETERS
    assert {stage for name, stage in stages.items() if name != "randomized-response"} == {Stage.MECHANISM}


def test_published_and_known_columns_count(people: Table) -> None:
    alone = most_useful(made_up(), "even", min_protection=60).require()
    published = most_useful(made_up(), "even", min_protection=60, published=["area"])
    known = most_useful(made_up(), "even", min_protection=60, backgrounds=["area"]).require()
    assert published.answers is None and published.withheld is not None and published.withheld.protection.value < 100
    assert max(published.require().usefulness, known.usefulness) < alone.usefulness + 0.5
    # A column that tells everything leaves nothing to search for.
    told = most_useful(people, "illness", min_protection=60, published=["copy"])
    assert told.chosen is None and "published columns alone leave a protection of 0" in str(told.notes[0])


def test_noise_is_judged_alike_beside_a_column_that_tells_nothing() -> None:
    table, noise = made_up(), laplace(7.0, lower=0, upper=100)
    alone, beside = (
        scores_of(by_noise(counted_column(table, Goal("bell", published=published)), Use.STATISTICS, noise))
        for published in ((), ("area",))
    )
    # Counts of few rows tell a little by chance, which is against the release.
    assert beside.protection.value == pytest.approx(alone.protection.value, abs=1.5)
    assert beside.protection.value <= alone.protection.value + 0.2
    assert beside.usefulness.value == pytest.approx(alone.usefulness.value, abs=1)


def test_rows_are_worth_what_is_right_of_them(people: Table) -> None:
    found = most_useful(people, "illness", min_protection=40, use="rows")
    assert found.require().usefulness > 5 and found.answers is None
    names = {str(one.family.name) for one in found.trials}
    assert "subset-selection" not in names and "randomized-response" in names
    numbers = most_useful(made_up(4000), "bell", min_protection=60, use=Use.ROWS, lower=0, upper=100)
    assert 5 < numbers.require().usefulness < 60


def test_columns_of_every_kind(people: Table) -> None:
    for name in ("pay", "born"):
        chosen = most_useful(people, name, min_protection=60).require()
        # Numbers with gaps, and dates, are released as bins.
        assert "bins" in str(chosen.family.form) and chosen.family.stage is Stage.FORM
    # Nearly all rows are in one bin of gains, and all of them in one where bins are few.
    assert most_useful(people, "gain", min_protection=60).trials


def test_the_text_of_a_setting_is_read_back() -> None:
    for name in LETTERS:
        for one in most_useful(made_up(4000), name, min_protection=70).trials[::40]:
            if one.text is not None and not one.family.counts_rows:
                assert parse_mechanism(one.text).claims == one.mechanism.claims
            assert (one.channel is None) == (one.text is not None)
            for score in ("protection", "surest", "usefulness"):
                low, high = getattr(one.scores, score).ends
                assert 0 <= low <= high <= 100 and not np.isnan(low + high)


def test_a_search_is_told_how_far_it_is(people: Table) -> None:
    told: list[int] = []
    found = most_useful(people, "sick", min_protection=60, progress=told.append)
    assert told == list(range(1, len(found.trials) + 1))


@pytest.mark.parametrize(
    ("column", "options", "error", "words"),
    [
        ("illness", {}, OptionError, "No requirement is given"),
        ("illness", {"min_protection": 101}, OptionError, "min_protection is 101; give a number from 0 to 100"),
        ("illness", {"min_protection": 100, "min_usefulness": 5}, OptionError, "contradict each other"),
        ("ilness", {"min_protection": 60}, ColumnError, "did you mean 'illness'"),
        ("illness", {"min_protection": 60, "published": ["sik"]}, ColumnError, "did you mean 'sick'"),
        (
            "illness",
            {"min_protection": 60, "published": ["illness"]},
            OptionError,
            "is the secret, but is also published",
        ),
        ("illness", {"min_protection": 60, "use": "row"}, OptionError, "There is no use"),
        ("illness", {"min_protection": 60, "lower": 0, "upper": 1}, OptionError, "leave lower and upper out"),
        ("gain", {"min_protection": 60, "lower": 0}, OptionError, "One bound of the numbers"),
        ("gain", {"min_protection": 60, "lower": 5, "upper": 1}, OptionError, "give lower below upper"),
        ("same", {"min_protection": 60}, ColumnError, "has one value only"),
        ("odd", {"min_protection": 60}, ColumnError, "holds infinite numbers"),
        ("name", {"min_protection": 60}, ColumnError, "has 3000 different values"),
    ],
)
def test_bad_input(people: Table, column: str, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        most_useful(people, column, **options)


def test_a_table_of_few_rows_is_refused() -> None:
    with pytest.raises(TableError, match="has 4 rows"):
        most_useful(open_table(pa.table({"a": ["x", "y", "x", "y"]})), "a", min_protection=60)


def test_values_that_are_read_by_name_are_those_of_the_table() -> None:
    """Not what is left of them after weighing: 5.000000000000001 is another value than 5.0."""
    counts = {float(at): 7 * at + 3 for at in range(1, 31)} | {0.1: 11, 0.7: 13}
    values = [value for value, count in counts.items() for _ in range(count)]
    column = counted_column(open_table(pa.table({"score": values})), Goal("score"))
    assert column.by_name and {*column.values.outcomes} == {*counts}
