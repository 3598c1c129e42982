"""The search: what it takes, what it chooses, and what it says where nothing will do."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from leakgauge.artefacts.assessment import Grade
from leakgauge.assessment import default_diagram, improve
from leakgauge.assessment.candidates import candidates
from leakgauge.assessment.improvement import Goal, Improvement
from leakgauge.assessment.indicators import Form
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, OptionError, RefusalError
from leakgauge.release.estimates.effective_rows import keeps_shares
from leakgauge.tables import Table, open_table


@pytest.fixture(scope="module")
def people() -> Table:
    rows = range(800)
    return open_table(
        pa.table(
            {
                "illness": [("flu", "none", "none", "cold", "none")[(at * 7 + at // 3) % 5] for at in rows],
                "sick": [at % 3 == 0 for at in rows],
                "age": [20 + at * 13 % 61 for at in rows],
                "pay": [None if at % 10 == 0 else 1000.5 + at % 97 for at in rows],
                "odd": [math.inf if at == 5 else float(at % 70) for at in rows],
            }
        )
    )


def search(people: Table, column: str, target: float | Grade, **options: float) -> Improvement:
    return improve(people, column, target, default_diagram(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["illness", "sick"])
def test_the_choice_is_the_best_balanced_of_the_cheapest_stage(people: Table, column: str) -> None:
    found = search(people, column, Grade.MEDIUM)
    assert found.chosen is not None
    chosen = found.chosen.assessment
    assert chosen.grade >= Grade.MEDIUM and not chosen.vetoes
    assert chosen.privacy is not None and chosen.utility is not None
    assert min(chosen.privacy, chosen.utility) >= 40
    meeting = [one.assessment for one in found.trials if one.meets]
    assert min(chosen.privacy, chosen.utility) == max(min(a.privacy or 0, a.utility or 0) for a in meeting)
    share = {one.leaf: one.value for one in chosen.evidence.values()}
    assert share["5"] is not None and share["5"] < 0.9


@pytest.mark.parametrize("keep", [Keep.SHARES, Keep.NOTHING])
def test_designed_channels_keep_the_shares_unless_nothing_is_to_be_kept(people: Table, keep: Keep) -> None:
    found = [one for one in candidates(people, "illness", keep=keep) if one.designed is not None]
    prior = people.counts("illness").distribution("illness")
    kept = [keeps_shares(one.designed, prior) for one in found if one.designed is not None]
    assert len(found) == 8 and all(kept) == (keep is Keep.SHARES)
    assert all(("keeps the shares" in str(one.name)) == (keep is Keep.SHARES) for one in found)
    # It is the default.
    first = next(one for one in candidates(people, "illness") if one.designed is not None)
    assert "keeps the shares" in str(first.name)


def test_a_release_that_is_nearly_the_data_meets_nothing(people: Table) -> None:
    found = search(people, "illness", 40.0)
    raw = [one for one in found.trials if str(one.candidate.name) == "randomized-response:epsilon=8"]
    assert [one.meets for one in raw] == [False]
    assert raw[0].assessment.score >= 40 and "nearly everything" in str(raw[0].assessment.vetoes[0].reason)


def test_a_refusal_names_the_condition_that_failed(people: Table) -> None:
    found = search(people, "illness", Grade.MEDIUM, min_utility=95)
    assert found.chosen is None
    with pytest.raises(
        RefusalError, match=r"medium with utility of at least 95: .*; its utility is .* where 95 is asked"
    ):
        found.require()
    assert found.failed and "score" not in str(found.failed[0])
    assert not found.best.assessment.vetoes
    # The leaves that block are those of utility.
    of = found.best.assessment.utility_sensitivities
    assert all(abs(of[leaf]) >= points for leaf, points in found.blocking) and len(found.blocking) == 3


def test_what_is_chosen_can_be_made(people: Table) -> None:
    found = search(people, "age", 99.0, trials=200)
    forms = {str(one.candidate.form): one.candidate for one in found.trials}
    assert len(forms["histogram"].bins["edges"]) > 2
    binned = forms["column in 8 bins"].bins["intervals"]
    assert len(binned) == 8 and str(binned[0]).startswith("(-∞, ") and str(binned[1]).startswith("[")
    designed = [one.candidate for one in found.trials if one.candidate.designed]
    assert designed[0].channel_file() is not None
    assert search(people, "illness", 99.0).trials[0].candidate.channel_file() is None


@pytest.mark.parametrize(
    "bounds",
    [
        {"lower": 100.0, "upper": 0.0},
        {"lower": 0.0},
        {"upper": 100.0},
        {"lower": 0.0, "upper": math.nan},
        {"lower": -math.inf, "upper": 0.0},
        {"lower": 5.0, "upper": 5.0},
    ],
)
def test_bounds_that_are_none_are_refused(people: Table, bounds: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=r"bounds? "):
        search(people, "age", 50.0, **bounds)


def test_columns_that_cannot_be_used_so(people: Table) -> None:
    with pytest.raises(ColumnError, match="no numbers; leave lower and upper out"):
        search(people, "illness", 50.0, lower=0, upper=1)
    with pytest.raises(ColumnError, match="infinite numbers"):
        search(people, "odd", 50.0)
    # Noise cannot take what is missing; bins and histograms can.
    found = search(people, "pay", 99.0, lower=0, upper=2000)
    assert {one.candidate.setting.form for one in found.trials} == {Form.LETTERS, Form.ANSWERS}


def test_a_goal_outside_its_range() -> None:
    for goal in ((200.0, 0.0, 0.0), (50.0, 101.0, 0.0), (50.0, 0.0, -1.0)):
        with pytest.raises(OptionError, match="has no grade"):
            Goal(*goal)
    assert Goal(Grade.GOOD, 70.0).asked() == {"score": 60, "privacy": 70, "utility": 60}
    assert Goal(75.0).asked() == {"score": 75, "privacy": 0, "utility": 0}
