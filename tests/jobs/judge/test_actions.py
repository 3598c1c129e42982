"""Actions are real: what the first one promises is what its release shows, and it turns the verdict where any does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from msgspec.structs import replace

from leakgauge.artefacts import Quantity, Request
from leakgauge.artefacts.verdict import Declaration, Recommendation
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.verdict import SIMULATED
from leakgauge.jobs.protect.actions import MOST_ACTIONS, actions, with_actions
from leakgauge.jobs.protect.judged import Judging
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from tests.grids import nightly
from tests.jobs.judge.tables import households, judged

SCORES = ("protection", "surest", "usefulness")
TOLD = {"purpose": "teaching", "recipient": "a school", "review": "2099-01-01"}
JOBS: dict[str, dict[str, Any]] = {
    "too little noise": {"max_distortion": 0.1, **TOLD},
    "too much noise": {"max_distortion": 0.55, "use": "rows"},
    "beside a public column": {"public": ("trade",), "max_distortion": 0.15},
    "bits": {"max_leakage": 1.0, "public": ("town",)},
    "few bits": {"max_leakage": 0.01, "use": "rows"},
    "a large ε": {"local_dp": 4.0, "background": ("trade",)},
    "a small ε": {"local_dp": 0.2, "use": "rows"},
    "randomized response": {"mechanism": ("randomized-response:epsilon=4",), "public": ("trade",)},
    "weak randomized response": {"mechanism": ("randomized-response:epsilon=0.3",)},
    "keep or redraw": {"mechanism": ("keep-or-redraw:epsilon=4",)},
    "sets": {"mechanism": ("unary-encoding:epsilon=5",), "public": ("town",)},
    "numbers": {"secret": ("age",), "mechanism": ("laplace:epsilon=20,lower=18,upper=80",)},
    "much noise in numbers": {"secret": ("age",), "mechanism": ("laplace:epsilon=1,lower=18,upper=80",)},
    "numbers within": {"secret": ("age",), "within": 2.0, "public": ("town",)},
    "bins": {"secret": ("age",), "bins": ("age=width:10",), "max_distortion": 0.3},
    "two secrets": {"secret": ("status", "trade"), "max_distortion": {"status": 0.1, "trade": 0.4}},
    "one limit for two": {"secret": ("status", "trade"), "max_distortion": 0.1},
    "together": {"secret": ("status", "trade"), "together": True, "max_distortion": 0.1},
    "a name": {"public": ("patient_id", "town"), "max_distortion": 0.4},
    "associations": {"public": ("trade",), "keep": "associations", "max_distortion": 0.1},
    "dropped values": {"keep": "nothing", "max_distortion": 0.5},
    "withheld": {"withhold": ("trade",), "public": ("town",), "max_distortion": 0.1},
    "alone": {"public": ("age", "trade", "town"), "max_distortion": 0.55, "use": "rows"},
}
EVERY_RUN = ("too little noise", "a name")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    return households(tmp_path_factory.mktemp("actions") / "people.parquet")


def near(promised: Quantity, shown: Quantity) -> bool:
    """Whether what is shown lies in the interval of what was promised; exact numbers agree to the last digits."""
    low, high = promised.ends
    return low - 1e-6 <= shown.value <= high + 1e-6


@pytest.mark.parametrize("name", [one if one in EVERY_RUN else nightly(one) for one in JOBS])
def test_the_first_action_gives_what_it_promises(people: str, tmp_path: Path, name: str) -> None:
    asked = Request.of(people, **{"secret": ("status",), **JOBS[name]})
    with open_table(people) as table:
        judging = Judging(table)
        now = judging.before(asked)
        found = actions(now, asked, judging)
        assert now.recommendation is Recommendation.DO_NOT_RELEASE
        assert 1 <= len(found) <= MOST_ACTIONS
        first = found[0]
        assert first.request is not None and first.request != asked
        assert first.recommendation is not Recommendation.DO_NOT_RELEASE
        shown = judged(first.request, table, tmp_path)
    for secret, promised in first.promised.items():
        for score in SCORES:
            assert near(getattr(promised, score), getattr(shown.scores[secret], score)), (secret, score)
    if first.promised[shown.deciding].protection.low is None:
        # Where columns are learnt from, the interval of an attack on what is drawn may reach beyond a limit.
        # Drawn from a seed, it is not recommended for that alone.
        assert SIMULATED in shown.reasons and not shown.vetoes and all(line.holds for line in shown.policy)


def test_actions_are_said_in_plain_words_with_the_options_that_do_them(people: str) -> None:
    with open_table(people) as table:
        judging = Judging(table)
        asked = Request.of(people, secret=("status",), public=("patient_id", "town"), max_distortion=0.1)
        found = with_actions(judging.before(asked), asked, judging)
        first = found.actions[0]
    said = str(first.said)
    assert said.startswith("take out patient_id; change ") and said.endswith(" of the values of status instead of 10%")
    assert first.options[0].startswith("--max-distortion ") and "--public patient_id" in first.left_out
    assert str(first.outcome(found)).startswith("protection 0 → ")
    assert first.request is not None and "patient_id" not in first.request.command("out")


def test_what_is_left_to_declare_is_the_action(people: str) -> None:
    asked = Request.of(people, secret=("status",), max_distortion=0.34, purpose="teaching")
    with open_table(people) as table:
        judging = Judging(table)
        now = judging.before(asked)
        (action,) = actions(now, asked, judging)
        assert action.options == ("--recipient TEXT", "--review DATE")
        assert action.recommendation is Recommendation.RELEASE and action.promised == now.scores
        told = asked.having(recipient="a school", review="2099-01-01")
        done = judging.before(told)
        assert done.recommendation is Recommendation.RELEASE and actions(done, told, judging) == ()
        # A policy that asks for less to be declared is asked for less.
        policy = Policy(declared=(Declaration.PURPOSE,))
        assert Judging(table, policy).before(asked).recommendation is Recommendation.RELEASE


@pytest.mark.nightly
def test_nothing_is_promised_that_cannot_be_kept() -> None:
    # Everybody's trade tells the secret, so that no channel for the secret helps: the column has to go.
    rows = pa.table({"secret": ["a", "b", "c", "d"] * 100, "trade": ["w", "x", "y", "z"] * 100})
    with open_table(rows) as table:
        judging = Judging(table, Policy(min_usefulness=10))
        asked = Request.of("frame", secret=("secret",), public=("trade",), mechanism=("randomized-response:epsilon=2",))
        found = actions(judging.before(asked), asked, judging)
        assert str(found[0].said).startswith("take out trade")
        assert found[0].recommendation is Recommendation.RELEASE_IF
        strict = Judging(table, Policy(min_protection=90, min_usefulness=80))
        helpless = actions(strict.before(asked), asked, strict)
        assert all(one.recommendation is Recommendation.DO_NOT_RELEASE for one in helpless)


def test_a_setting_is_evaluated_once_and_few_are_needed(people: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = list[tuple[str, ...]]()
    sources = Judging._sources

    def counted(self: Judging, asked: Request, *more: Any) -> Any:
        evaluated.append(tuple(asked.arguments()))
        return sources(self, asked, *more)

    monkeypatch.setattr(Judging, "_sources", counted)
    asked = Request.of(people, secret=("status",), public=("town",), max_distortion=0.1)
    with open_table(people) as table:
        judging = Judging(table)
        now = judging.before(asked)
        found = actions(now, asked, judging)
        # Halving would take 8 numbers, and three more settings are without the town, or with a channel for it.
        assert len(evaluated) == len(set(evaluated)) <= 9
        assert actions(now, asked, judging) == found and len(evaluated) <= 9
        assert judging.before(asked).facts.epsilon is not None
        # Where both protection and use are missing, no noise helps, and none is tried.
        evaluated.clear()
        both = Judging(table, Policy(min_protection=80, min_usefulness=80))
        wrong = Request.of(people, secret=("status",), max_distortion=0.3)
        assert actions(both.before(wrong), wrong, both) == () and len(evaluated) == 1


def test_no_number_is_changed_of_what_was_searched_for(people: str) -> None:
    asked = Request.of(people, secret=("status",), public=("patient_id", "town"), min_protection=40.0)
    with open_table(people) as table:
        judging = Judging(table)
        first, *more = actions(judging.before(asked), asked, judging)
    assert str(first.said) == "take out patient_id" and first.left_out == ("--public patient_id",)
    assert all(one.request is not None and one.request.limits.min_protection == 40 for one in (first, *more))


def test_what_was_bought_or_repeated_has_no_actions(people: str) -> None:
    asked = Request.of(people, secret=("status",), max_distortion=0.1)
    with open_table(people) as table:
        judging = Judging(table)
        now = judging.before(asked)
        assert actions(now, asked.having(accounted=0.5, ledger="budget.ledger"), judging) == ()
        assert actions(now, asked.having(repeat="earlier"), judging) == ()


def test_rows_are_judged_by_rows(people: str) -> None:
    asked = Request.of(people, secret=("status",), max_distortion=0.55, use="rows")
    with open_table(people) as table:
        judging = Judging(table, Policy(min_protection=None, max_surest=None))
        now = judging.before(asked)
        (first, *_) = actions(now, asked, judging)
    assert now.use == "rows" and first.promised["status"].usefulness.value >= 20


def test_limits_of_budgets_are_known_before_anything_is_drawn(people: str) -> None:
    asked = Request.of(people, secret=("status",), mechanism=("randomized-response:epsilon=2",))
    with open_table(people) as table:
        policy = Policy(min_protection=None, max_surest=None, min_usefulness=None, max_epsilon=1, max_leakage_bits=1)
        judging = Judging(table, policy)
        now = judging.before(asked)
        first = actions(now, asked, judging)[0]
    assert now.facts.epsilon == pytest.approx(2, abs=1e-6)
    assert str(now.reasons[0]) == "ε is 2; you allow at most 1"
    assert first.options == ("--mechanism randomized-response:epsilon=1",)
    assert now.facts.leakage_bits is not None and now.facts.leakage_bits < 1


def test_no_setting_mends_a_broken_claim(people: str) -> None:
    asked = Request.of(people, secret=("status",), max_distortion=0.1)
    with open_table(people) as table:
        judging = Judging(table)
        now = judging.before(asked)
        assert actions(replace(now, vetoes=(Sentence("a claim is broken"),)), asked, judging) == ()


def test_what_a_draw_fell_short_is_asked_of_other_settings(people: str) -> None:
    asked = Request.of(people, secret=("status",), max_distortion=0.35)
    with open_table(people) as table:
        judging = Judging(table, Policy(min_protection=50, min_usefulness=10))
        kept = judging.before(asked)
        assert kept.recommendation is Recommendation.RELEASE_IF
        worse = replace(kept.scores["status"], protection=Quantity(45.0, "points"))
        now = replace(kept, recommendation=Recommendation.DO_NOT_RELEASE, scores={"status": worse})
        first = actions(now, asked, judging)[0]
    assert first.promised["status"].protection.value > 50 + kept.scores["status"].protection.value - 45 - 1e-6
