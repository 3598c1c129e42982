"""Policies of scores: the default one, files, what was renamed, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.artefacts.verdict import Declaration
from leakgauge.assessment.scores.policy import REPLACED, Policy, read_policy
from leakgauge.errors import FileError, OptionError


def written(folder: Path, text: str) -> Path:
    place = folder / "policy.toml"
    place.write_text(text, encoding="utf-8")
    return place


def test_the_default_policy() -> None:
    assert Policy().limits() == {
        "min_protection": 60,
        "max_surest": 45,
        "min_usefulness": 20,
        "max_lost": 0.01,
        "max_alone": 0.05,
        "max_linked": 0.05,
    }
    assert Policy().declared == tuple(Declaration)


def test_a_file_sets_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path, 'min_protection = 70\nmin_k = 5\ndeclared = ["review"]\n'))
    assert policy.limits() == {"min_protection": 70, "min_k": 5}
    assert policy.declared == (Declaration.REVIEW,)
    earlier = read_policy(written(tmp_path, 'schema = "leakgauge/policy/1"\nmax_epsilon = 1.5\nmax_alone = 0.1\n'))
    assert earlier.limits() == {"max_epsilon": 1.5, "max_alone": 0.1}
    assert earlier.declared == ()
    unsaid = read_policy(written(tmp_path, "max_attack_advantage = 0.3\nmax_alone = 0.1\n"))
    assert unsaid.limits() == {"max_attack_advantage": 0.3, "max_alone": 0.1}


@pytest.mark.parametrize("name", REPLACED)
def test_a_signed_threshold_does_not_change_its_meaning(tmp_path: Path, name: str) -> None:
    place = written(tmp_path, f"{name} = 60\nmax_epsilon = 1\n")
    with pytest.raises(FileError) as error:
        read_policy(place)
    new = REPLACED[name]
    assert str(error.value) == (
        f"{place} sets {name!r}, a limit of earlier scores; choose a limit again and set {new!r} instead."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min_protecton = 60", "sets 'min_protecton', which is not a limit; did you mean 'min_protection'?"),
        ("min_protection = 101", "min_protection is 101; give a number from 0 to 100."),
        ("max_lost = 2", "max_lost is 2; give a number from 0 to 1."),
        ("max_epsilon = inf", "max_epsilon is inf; give a number of at least 0."),
        ("max_surest = nan", "max_surest is nan; give a number from 0 to 100."),
        ("min_usefulness = true", "min_usefulness is True; give a number from 0 to 100."),
        ("min_k = 2.5", "min_k is 2.5; give a whole number of at least 1."),
        (
            'declared = ["purpose", "signature"]',
            "declared holds 'signature'; give a list of purpose, recipient, review.",
        ),
        ('declared = "purposes"', "declared holds 'purposes'; give a list of purpose, recipient, review."),
        ("", "sets no limit; write lines such as min_protection = 60."),
        ('schema = "leakgauge/policy/9"', "has the schema 'leakgauge/policy/9', but this version reads"),
        (
            "min_protection = 100\nmin_usefulness = 20",
            "min_protection = 100 and min_usefulness = 20 contradict each other",
        ),
        ("max_epsilon = 0\nmin_usefulness = 10", "max_epsilon = 0 and min_usefulness = 10 contradict each other"),
        ("max_surest = 0\nmin_usefulness = 10", "max_surest = 0 and min_usefulness = 10 contradict each other"),
        (
            "min_protection = 5\nmin_usefulness = 100",
            "min_protection = 5 and min_usefulness = 100 contradict each other",
        ),
    ],
)
def test_what_is_not_a_policy_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FileError) as error:
        read_policy(written(tmp_path, text))
    assert said in str(error.value)


def test_a_policy_in_python_is_held_to_the_same() -> None:
    with pytest.raises(OptionError, match="contradict each other"):
        Policy(max_epsilon=0)
    assert Policy(max_epsilon=0, min_usefulness=None).limits()["max_epsilon"] == 0


def test_highly_sensitive_data_have_a_stricter_default_that_a_given_limit_replaces() -> None:
    assert Policy().for_sensitive_data().max_surest == 33
    given = Policy().asking(max_surest=45.0)
    assert given.for_sensitive_data() == given
