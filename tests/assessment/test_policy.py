"""Policies: what is held against each limit, and that no veto passes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leakgauge.artefacts.assessment import Grade, PolicyLine, Veto
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.policy import Policy, read_policy
from leakgauge.errors import FileError, OptionError
from leakgauge.sentences import Sentence
from tests.assessment.diagrams import measured

LEAVES = default_diagram().leaves


def assessed(*vetoes: Veto, **raised: float) -> Assessment:
    """Every leaf in the middle, with the upper ends of some raised."""
    evidence = [one for one in measured(dict.fromkeys(LEAVES, 0.5)) if f"leaf{one.leaf}" not in raised]
    for name, high in raised.items():
        evidence.append(Evidence(name[4:], Standing.MEASURED, Sentence(""), 0.5, "", Scale(0, 1), 0.5, high))
    return assess(default_diagram(), evidence, vetoes, draws=0)


def only(lines: tuple[PolicyLine, ...]) -> PolicyLine:
    (line,) = lines
    return line


def test_a_veto_is_a_line_that_fails_whatever_is_asked() -> None:
    policy = Policy(max_epsilon=10.0)
    assert [one.name for one in policy.judge(assessed())] == ["max_epsilon"]
    lines = policy.judge(assessed(Veto(Sentence("the claim is broken")), Veto(Sentence("nothing is kept"))))
    assert [(one.name, one.holds) for one in lines] == [("max_epsilon", True), ("vetoes", False)]
    assert str(lines[1].found) == "the claim is broken; nothing is kept"


def test_epsilon_is_the_largest_of_what_is_claimed_together_and_shown() -> None:
    policy, found = Policy(max_epsilon=1.0), assessed()
    own = only(policy.judge(found))
    assert (own.found, own.holds, str(own.of)) == (0.5, True, "ε of the column's claim")
    together = only(policy.judge(found, together=7.0, shown=0.4))
    assert (together.found, together.holds, str(together.of)) == (7.0, False, "ε of all columns together")
    shown = only(policy.judge(found, together=0.9, shown=3.0))
    assert (shown.found, shown.holds, str(shown.of)) == (3.0, False, "ε of what the audit shows")
    assert not only(policy.judge(found, together=math.inf)).holds
    rounded = only(policy.judge(found, together=0.5 * (1 + 1e-12)))
    assert str(rounded.of) == "ε of the column's claim", "rounding is no other column"


def test_epsilon_is_spent_by_every_release() -> None:
    policy = Policy(max_epsilon=1.0)
    twice, yearly = (only(policy.judge(assessed(), releases_per_period=count)) for count in (2, 365))
    assert (twice.found, twice.holds) == (1.0, True)
    assert (yearly.found, yearly.holds) == (182.5, False)
    assert str(yearly.of) == "ε of the column's claim, times 365 releases per period"


def test_upper_limits_are_held_against_upper_ends() -> None:
    found = assessed(leaf5=3.0, leaf6=0.6)
    policy = Policy(max_attack_advantage=0.7, max_leakage_bits=0.6, max_delta=0.4)
    assert [(one.name, one.found, one.holds) for one in policy.judge(found)] == [
        ("max_leakage_bits", 0.6, True),
        ("max_delta", 0.5, False),
        ("max_attack_advantage", 3.0, False),
    ]


def test_the_smallest_group_is_held_against_min_k() -> None:
    policy = Policy(min_k=5)
    kept, broken = (only(policy.judge(assessed(), smallest=smallest)) for smallest in (5, 4))
    assert (kept.name, kept.limit, kept.found, kept.holds) == ("min_k", 5.0, 5.0, True)
    assert not broken.holds
    assert str(broken.said) == "min_k is 4, the limit 5"
    assert policy.judge(assessed()) == (), "without public columns there are no groups"


@pytest.mark.parametrize("wrong", ["0", "-1", "2.5", "true", "'five'"])
def test_min_k_is_a_whole_number(wrong: str, tmp_path: Path) -> None:
    place = tmp_path / "policy.toml"
    place.write_text(f"min_k = {wrong}", encoding="utf-8")
    with pytest.raises(FileError, match=r"min_k is .*; give a whole number from 1 on"):
        read_policy(place)
    place.write_text("min_k = 5", encoding="utf-8")
    assert read_policy(place) == Policy(min_k=5)


def test_what_is_not_known_is_not_kept() -> None:
    evidence = measured({key: 0.9 if key in ("12", "13") else 0.1 for key in ("10", "11", "12", "13")})
    found = assess(default_diagram(), evidence, draws=0)
    assert found.privacy is None and found.score == pytest.approx(90)
    lines = Policy(target_grade=Grade.VERY_GOOD, max_epsilon=1.0).judge(found, shown=0.2)
    assert [(one.name, one.found, one.holds) for one in lines[:2]] == [
        ("max_epsilon", None, False),
        ("target_grade", Sentence("poor"), False),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"max_epsilon = 1{'0' * 400}", "max_epsilon is 1000"),
        ("min_utility = 500", "min_utility is 500; give a number from 0 to 100"),
        ("min_score = 100.5", "min_score is 100.5"),
        ("max_epsilon = nan", "max_epsilon is nan"),
        ("max_epsilon = inf", "max_epsilon is inf"),
        ("max_delta = true", "max_delta is True"),
    ],
)
def test_a_limit_that_is_none(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(FileError, match=says) as caught:
        read_policy(tmp_path / "policy.toml")
    assert "policy.toml" in str(caught.value) and len(str(caught.value)) < 300


def test_limits_given_in_python_are_checked_too() -> None:
    with pytest.raises(OptionError, match="min_privacy is 101"):
        Policy(min_privacy=101)
    assert Policy(min_privacy=100).min_privacy == 100
