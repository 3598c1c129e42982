"""Pictures of the files that the commands leave: their numbers, in two languages, readable on a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Audit, Comparison, Frontier, Judgement, Measurement, Record, StoredImprovement
from leakgauge.artefacts.channel_file import named_channel
from leakgauge.artefacts.codec import sentence_of
from leakgauge.artefacts.criteria import OverArcs
from leakgauge.artefacts.scores import OF_A_RAW_COPY
from leakgauge.assessment import default_diagram
from leakgauge.languages import Language
from leakgauge.telling.figures.attacks import attacks_figure
from leakgauge.telling.figures.channel import channel_figure
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.criteria import criteria_figure
from leakgauge.telling.figures.decomposition import decomposition_figure
from leakgauge.telling.figures.frontier import frontier_figure
from leakgauge.telling.figures.influence import influence_figure
from leakgauge.telling.figures.levels import levels_figure
from leakgauge.telling.figures.scores import scores_figure
from leakgauge.telling.figures.search import search_figure
from tests.report.artefacts import drawn, labels, numbers, smallest_letters, width, words
from tests.report.facts import typed

Files = dict[str, dict[str, Any]]
ENGLISH, CHINESE = Language("en"), Language("zh")


def comparison(files: Files) -> Comparison:
    return typed(Comparison, files["comparison"])


def audit(files: Files) -> Audit:
    return typed(Audit, files["audit"])


def verdict(files: Files) -> Judgement:
    return typed(Judgement, files["verdict"])


def over_arcs(files: Files) -> OverArcs:
    found = verdict(files).beside["illness"].over_arcs
    assert found is not None
    return found


PICTURES: dict[str, Callable[[Files, Language], Figure]] = {
    "frontier": lambda files, language: frontier_figure(
        typed(Frontier, files["frontier"]), comparison(files).ranking[0], comparison(files).ranking, language
    ),
    "decomposition": lambda files, language: decomposition_figure(
        typed(Measurement, files["measurement"]), audit(files).exposures[0].everything, language
    ),
    "channel": lambda files, language: channel_figure(
        named_channel(files["channel"], Path("channel.json")).channel, language
    ),
    "levels": lambda files, language: levels_figure(typed(Record, files["release"]).claims, language),
    "attacks": lambda files, language: attacks_figure(audit(files).attacks, language),
    "scores": lambda files, language: scores_figure(
        verdict(files).scores["illness"], verdict(files).policy, OF_A_RAW_COPY, language
    ),
    "criteria": lambda files, language: criteria_figure(verdict(files).beside["illness"].criteria, language),
    "influence": lambda files, language: influence_figure(over_arcs(files), default_diagram(), language),
    "tuning": lambda files, language: search_figure(typed(StoredImprovement, files["improvement"]), language),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_says_the_same_in_both_languages_and_fits_a_page(files: Files, name: str) -> None:
    english, chinese = (PICTURES[name](files, language) for language in (ENGLISH, CHINESE))
    # Chinese puts some numbers in another order.
    assert sorted(map(str, numbers(english))) == sorted(map(str, numbers(chinese)))
    assert english.told != chinese.told and not english.told.isspace()
    for figure in (english, chinese):
        svg = figure.to_svg()
        assert width(svg) <= 760
        assert smallest_letters(svg) >= 11
        assert 'fill="white"' in svg and 'style="' not in svg


@pytest.mark.parametrize("name", PICTURES)
def test_chinese_pictures_have_no_english_sentence(files: Files, name: str) -> None:
    known = set(CHINESE.catalogue)
    assert {word for word in words(PICTURES[name](files, CHINESE).to_svg()) if word in known} == set()


def test_a_frontier_marks_the_release_and_names_the_others(files: Files) -> None:
    points, ranking = files["frontier"]["points"], files["comparison"]["ranking"]
    figure = PICTURES["frontier"](files, ENGLISH)
    others = [one for one in ranking if one["role"] != "optimum"]
    leaks = [one["leakage_with_background"]["value"] for one in (*points, ranking[0], *others)]
    curve, floor = leaks[: len(points)], points[0]["background_floor"]["value"]
    assert drawn(figure, "leakage") == [*curve, floor, floor, *leaks[len(points) :]]
    told = labels(figure.to_svg(), "point")
    assert told[-len(others) - 1].startswith("this release: ") and "randomized-response:epsilon=1" in told[-1]
    # Two that are in the same place share a label.
    assert drawn(figure, "label")[-2:] == ["1, 2", "3"]


def test_a_decomposition_adds_up_to_the_entropy(files: Files) -> None:
    figure = PICTURES["decomposition"](files, ENGLISH)
    before, everything = files["measurement"], files["audit"]["exposures"][0]["everything"]
    entropy, floor, told = (
        before["entropy"]["value"],
        before["background_floor"]["value"],
        everything["information"]["value"],
    )
    assert drawn(figure, "bits")[-3:] == pytest.approx([floor, told - floor, entropy - told])
    ends = dict(zip(drawn(figure, "row"), drawn(figure, "end"), strict=False))
    assert ends["released with protection"] == pytest.approx(before["entropy"]["value"], abs=1e-9)
    alone = decomposition_figure(typed(Measurement, before), None)
    assert set(drawn(alone, "row")) == {"nothing released", "released unchanged"}


def test_every_level_of_the_record_is_drawn_on_the_axis_of_its_unit(files: Files) -> None:
    figure = PICTURES["levels"](files, ENGLISH)
    levels = files["release"]["claims"]["illness"]["levels"]
    for chart in figure.spec["vconcat"]:
        unit = chart["data"]["values"][0]["unit"]
        found = [row["level"] for row in chart["data"]["values"]]
        assert found == [level["value"] for level in levels.values() if level["unit"] == unit]
    assert len(drawn(figure, "level")) == len(levels)
    assert "illness" in " ".join(words(figure.to_svg()))


def test_every_attack_is_drawn_between_its_anchors(files: Files) -> None:
    figure = PICTURES["attacks"](files, ENGLISH)
    attacks = files["audit"]["attacks"]
    for row, attack in zip(figure.spec["data"]["values"], attacks, strict=True):
        assert (row["success"], row["without"]) == (attack["success"]["value"], attack["baseline"]["value"])
        assert row["raw"] == attack["baseline"]["value"] + attack["raw"]["value"]
        assert (row["low"], row["high"]) == (attack["success"]["low"], attack["success"]["high"])
        assert row["ceiling"] == (attack["ceiling"] and attack["ceiling"]["value"])
    told = labels(figure.to_svg(), "point")
    assert [one.split(":")[0] for one in told] == [str(sentence_of(attack["attack"])) for attack in attacks]


def test_the_five_criteria_are_drawn_and_what_nobody_was_asked_is_not_known(files: Files) -> None:
    criteria = files["verdict"]["beside"]["illness"]["criteria"]["criteria"]
    rows = PICTURES["criteria"](files, ENGLISH).spec["data"]["values"]
    assert [row["value"] for row in rows] == [one["points"]["value"] if one["points"] else 0.0 for one in criteria]
    assert len(rows) == 5 and rows[-1]["number"] == "not known"


def test_a_stored_score_over_arcs_is_drawn(files: Files) -> None:
    scored, nodes = files["verdict"]["beside"]["illness"]["over_arcs"], default_diagram().nodes
    figure = PICTURES["influence"](files, ENGLISH)
    states = {key: node["states"] for key, node in scored["nodes"].items()}
    shown = dict(zip(drawn(figure, "key"), drawn(figure, "state"), strict=True))
    assert set(shown) == set(nodes)
    assert all((shown[key] is None) == (key not in states) for key in nodes)
    assert shown["45"] == round(sum(25 * at * share for at, share in enumerate(states["45"])), 1)
    assert f"{scored['score']:.3g}" in figure.told


def test_every_trial_is_drawn_and_the_chosen_one_is_marked(files: Files) -> None:
    improvement = files["improvement"]
    figure = PICTURES["tuning"](files, ENGLISH)
    chosen, trials = improvement["chosen"], improvement["trials"]
    useful = [one["scores"]["usefulness"]["value"] for one in (*trials, chosen)]
    assert drawn(figure, "usefulness") == useful and drawn(figure, "limit") == [60]
    assert drawn(figure, "kind")[-1] == "chosen" and set(drawn(figure, "kind")) > {"meets the limits"}
    assert str(sentence_of(chosen["mechanism"])) in figure.told
    closest = search_figure(
        typed(StoredImprovement, {**improvement, "chosen": None, "asked": {"min_usefulness": 20.0}})
    )
    assert drawn(closest, "kind")[-1] == "closest" and drawn(closest, "limit") == [20]
