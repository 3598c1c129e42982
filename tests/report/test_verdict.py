"""What is recommended, by which scores and limits, what would change it and what explains it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.report import Grid, Paragraph, Picture
from leakgauge.report.document import Document
from leakgauge.rounding import at_least
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Edition, inlines, text_of
from tests.report.facts import Facts, compose
from tests.report.reading import ENGLISH, changed, texts, tiles, warnings


def said_in(document: Document, key: str) -> str:
    (section,) = (one for one in document.sections if one.key == key)
    return "\n".join(text_of(one, ENGLISH) for block in section.blocks for one in inlines(block))


def rows(document: Document, key: str, caption: str) -> list[list[str]]:
    (section,) = (one for one in document.sections if one.key == key)
    grid = next(one for one in section.blocks if isinstance(one, Grid) and one.caption == caption)
    return [[text_of(cell, ENGLISH) for cell in row] for row in grid.rows]


def first(facts: Facts) -> tuple[str, str]:
    block = compose(facts, ENGLISH).sections[0].blocks[0]
    assert isinstance(block, Paragraph)
    return block.tone, text_of(block.parts, ENGLISH)


def judged(facts: Facts, recommendation: str, **fields: Any) -> Facts:
    return changed(facts, verdict={"recommendation": recommendation, **fields})


def test_the_first_sentence_is_what_to_do(facts: Facts) -> None:
    declare = encode(Sentence("declare {what}", what=(Sentence("its purpose"), Sentence("who receives it"))))
    assert first(judged(facts, "release")) == ("good", "Recommendation: release.")
    held = judged(facts, "release if", conditions=[declare], reasons=[declare, "protection is 70 of 100"])
    assert first(held) == ("caution", "Recommendation: release if you declare its purpose, who receives it.")
    # What is a condition is not said again as a reason.
    assert said_in(compose(held, ENGLISH), "statement").count("who receives it") == 1
    assert "protection is 70 of 100" in said_in(compose(held, ENGLISH), "statement")
    assert first(judged(facts, "do not release")) == ("warning", "Recommendation: do not release.")


def test_a_veto_and_a_limit_that_was_given_are_loud_and_said_once(facts: Facts) -> None:
    veto, limit = "'id' is published and identifies people (an identifier)", "usefulness is 9 of 100, below the 20"
    document = compose(judged(facts, "do not release", vetoes=[veto], failed=[limit], reasons=[veto, limit]), ENGLISH)
    assert f"Veto: {veto}." in warnings(document)
    assert f"A limit is not met: {limit}." in warnings(document)
    assert said_in(document, "statement").count(limit) == 1


def test_a_score_is_graded_at_its_unfavourable_end(facts: Facts) -> None:
    scores = copy.deepcopy(facts.get("verdict.json", "scores"))
    scores["illness"]["protection"] |= {"value": 62.0, "low": 58.0, "high": 66.0}
    scores["illness"]["surest"] |= {"value": 44.0, "low": 40.0, "high": 48.0}
    scores["illness"]["usefulness"] |= {"value": 0.0, "low": 0.0, "high": 100.0}
    document = compose(changed(facts, verdict={"scores": scores}), ENGLISH)
    assert tiles(document, "Scores, 0 to 100") == {
        "protection": ("62 [58, 66]", "✗ at least 60: NOT MET"),
        "surest": ("44 [40, 48]", "✗ at most 45: NOT MET"),
        "usefulness": ("not known", "✗ at least 20: NOT MET"),
    }
    scores["illness"]["protection"] |= {"value": 60.4, "low": None, "high": None}
    document = compose(changed(facts, verdict={"scores": scores}), ENGLISH)
    assert tiles(document, "Scores, 0 to 100")["protection"] == ("60.4 (as required)", "✓ at least 60: met")
    # A grade is said of what is well inside its band.
    for value, good in ((70.0, "70 (good)"), (84.0, "84"), (86.0, "86 (very good)")):
        scores["illness"]["protection"] |= {"value": value}
        document = compose(changed(facts, verdict={"scores": scores}), ENGLISH)
        assert tiles(document, "Scores, 0 to 100")["protection"][0] == good


def test_a_policy_says_which_limits_somebody_gave(facts: Facts) -> None:
    lines = [
        {"name": "min_protection", "limit": 60.0, "found": 51.234, "holds": False, "of": "", "given": True},
        {"name": "max_alone", "limit": 0.05, "found": 0.0123, "holds": True, "of": "", "given": False},
        {"name": "max_epsilon", "limit": 2.0, "found": None, "holds": False, "of": "", "given": False},
    ]
    document = compose(changed(facts, verdict={"policy": lines}), ENGLISH)
    assert rows(document, "verdict", "The policy") == [
        ["protection, at least", "60", "51.2", "NOT MET", "you"],
        ["people who are unique in the published columns, at most", "5%", "1.3%", "met", "default policy"],
        ["ε, at most", "2", "not known", "NOT MET", "default policy"],
    ]


def with_action(facts: Facts, protection: float) -> dict[str, Any]:
    scores = copy.deepcopy(facts.get("verdict.json", "scores"))
    scores["illness"]["protection"] |= {"value": protection + 2, "low": protection, "high": protection + 4}
    action = {
        "said": "take out town",
        "options": ["--max-distortion 0.3"],
        "left_out": ["--public town"],
        "asked": None,
        "promised": scores,
        "recommendation": "release if",
    }
    return {"actions": [action]}


@pytest.mark.parametrize(
    ("asked", "vetoes", "why"),
    [
        ({}, [], "no other setting that was tried keeps the policy, or comes nearer to it"),
        ({}, ["a claim is broken"], "other settings do not mend what the veto says"),
        (
            {"accounted": 0.5, "ledger": "l"},
            [],
            "the result of another noisy histogram is not known before its budget is used",
        ),
        ({"repeat": "out"}, [], "its mechanism is that of an earlier release and is not designed again"),
    ],
)
def test_a_verdict_without_an_action_says_why(facts: Facts, asked: dict[str, Any], vetoes: list[str], why: str) -> None:
    verdict: dict[str, Any] = {"recommendation": "do not release", "actions": [], "vetoes": vetoes}
    job: dict[str, Any] = {"asked": {**facts.get("job.json", "asked"), **asked}}
    document = compose(changed(facts, verdict=verdict, job=job), ENGLISH)
    assert f"Next step: do not hand out this release; {why}." in texts(document)
    alone = Facts(
        {name: fields for name, fields in changed(facts, verdict=verdict).files.items() if name != "job.json"}
    )
    assert "it was not made by a job, so no other settings could be tried." in texts(compose(alone, ENGLISH))


def test_an_action_is_told_with_its_options_and_what_it_does(facts: Facts) -> None:
    document = compose(changed(facts, verdict=with_action(facts, 77.0)), ENGLISH)
    ((what, does, then, options, left_out),) = rows(document, "verdict", "What would change it")
    assert (what, then) == ("take out town", "release if the conditions are met")
    assert (options, left_out) == ("--max-distortion 0.3", "--public town")
    assert "→ 77, usefulness" in does and f"Next step: take out town; {does}." in texts(document)


def test_what_a_policy_refused_has_scores_by_law_and_what_would_change_it(facts: Facts, refused: Facts) -> None:
    failed = "protection is 18.7 of 100, below the 60 that the policy asks for"
    promise = {**facts.files["verdict.json"], **with_action(facts, 77.0), "failed": [failed], "reasons": [failed]}
    stopped = Facts({**refused.files, "promise.json": promise})
    document = compose(stopped, ENGLISH)
    said = said_in(document, "statement")
    assert "Next step: take out town" in said and "Recommendation" not in said
    assert tiles(document, "Scores, calculated in advance, 0 to 100")
    assert "No release was made" in said_in(document, "verdict")
    assert "criteria" not in {section.key for section in document.sections}


def test_criteria_explain_with_every_leaf_and_the_paper_does_not_decide(facts: Facts) -> None:
    document = compose(facts, ENGLISH)
    found = rows(document, "criteria", "Criteria and their indicators")
    assert [row[1] for row in found if not row[0]] == [
        *("security", "guarantee", "utility", "feasibility", "user experience"),
        *("needed protection", "strength of the audit"),
    ]
    assert len([row for row in found if row[0]]) == 28
    # On paper each is a line, with the indicators that count.
    lines = {
        row[0]: row[-1] for row in rows(document, "criteria", "Criteria and their indicators, with points and weight")
    }
    assert "mean squared error" in lines["utility"] and "%)" in lines["utility"] and lines["user experience"] == "–"
    said = said_in(document, "criteria")
    assert "Not asked, or not known: user experience." in said
    assert "Missing, and counted as the worst case: sensitivity of the data." in said
    assert "a protection of up to" in said and "Audit strength " in said
    assert "By the published method the score is" in said and "does not decide" in said
    # Nobody asked for arcs here.
    assert "arcs" not in said and "comprehensive" not in said


def test_arcs_and_the_comprehensive_evaluation_are_told_where_they_were_asked_for(
    files: dict[str, dict[str, Any]],
) -> None:
    found = Facts({f"{name}.json": files[name] for name in ("release", "audit", "verdict")})
    document = compose(found, ENGLISH)
    scores = rows(document, "criteria", "Over the arcs of the diagram")
    assert scores[0] == ["score", f"{files['verdict']['beside']['illness']['over_arcs']['score']:.3g}"]
    (section,) = (one for one in document.sections if one.key == "criteria")
    (drawn,) = (one for one in section.blocks if isinstance(one, Picture))
    assert drawn.caption.startswith("From the indicators on the left")
    evaluated = rows(document, "criteria", "Fuzzy comprehensive evaluation, memberships")
    assert len(evaluated) == len(files["verdict"]["beside"]["illness"]["comprehensive"]["factors"])
    assert said_in(document, "criteria").count("does not decide") == 3


def test_a_search_tells_its_choice_and_the_best_of_each_kind(
    facts: Facts, refused: Facts, files: dict[str, dict[str, Any]]
) -> None:
    found = files["improvement"]
    document = compose(Facts({**facts.files, "improvement.json": found}), ENGLISH)
    assert "Chosen: " in said_in(document, "tuning")
    best = rows(document, "tuning", "Best setting of each mechanism (calculated in advance)")
    kinds = [row[0].partition(":")[0] for row in best]
    assert len(set(kinds)) == len(kinds) < len(found["trials"]) / 3 and "randomized-response" in kinds
    useful = max(one["scores"]["usefulness"]["value"] for one in found["trials"] if one["meets"])
    assert f"{at_least(useful):.3g}" in {row[4] for row in best if row[-1] == "yes"}
    missed = {**found, "chosen": None, "blocking": ["its protection is 40, but 60 is asked for"]}
    document = compose(Facts({**refused.files, "improvement.json": missed}), ENGLISH)
    assert "No setting that was tried meets the limits." in warnings(document, "tuning")
    assert "its protection is 40, but" in said_in(document, "tuning")


def test_nothing_of_a_verdict_or_a_search_is_for_everybody(facts: Facts, files: dict[str, dict[str, Any]]) -> None:
    told = [
        texts(compose(Facts(one), ENGLISH, Edition.EXTERNAL))
        for one in (
            facts.files,
            {**facts.files, "improvement.json": files["improvement"]},
            {file: fields for file, fields in facts.files.items() if file != "verdict.json"},
            {**facts.files, "verdict.json": {**facts.files["verdict.json"], "recommendation": "release"}},
        )
    ]
    assert told[0] == told[2] == told[3]
    assert "ecommendation:" not in told[0] + told[1] and "protection 6" not in told[1]
