"""Pictures for whoever decides: a hundred people, repeated releases, telling columns, steps to a right guess."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts import Audit, Survey
from leakgauge.artefacts.exposure import Exposure
from leakgauge.artefacts.measurement import ValueShares
from leakgauge.languages import Language
from leakgauge.measures.sequences import repeated_leakage, sequence_leakage
from leakgauge.probability import Channel, Distribution
from leakgauge.telling.figures.channel import channel_figure
from leakgauge.telling.figures.people import ICONS, people_figure, shared_out
from leakgauge.telling.figures.repeats import RELEASES, repeats_figure
from leakgauge.telling.figures.shares import prior_of
from leakgauge.telling.figures.telling import MOST, telling_figure
from leakgauge.telling.figures.waterfall import waterfall_figure
from tests.report.artefacts import drawn, marks, numbers, smallest_letters, width, words
from tests.report.facts import typed

LANGUAGES = (Language("en"), Language("zh"))


def quantity(value: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"value": value, "unit": "share", "low": low, "high": high, "confidence": None}


def attack(name: str, baseline: float, advantage: float, **more: Any) -> dict[str, Any]:
    fields = {"attack": name, "target": ["illness"], "judged": True, "baseline": quantity(baseline)}
    return {**fields, "advantage": quantity(advantage), **more}


def audit(*attacks: dict[str, Any], rows: int = 1000) -> dict[str, Any]:
    return {"rows": rows, "attacks": list(attacks)}


def typed_audit(*attacks: dict[str, Any], rows: int = 1000) -> Audit:
    return typed(Audit, audit(*attacks, rows=rows))


def survey(columns: list[dict[str, Any]]) -> Survey:
    return typed(Survey, {"columns": columns})


def icons(figure: Any) -> list[int]:
    """How many icons each group has, in the order of the groups."""
    groups = drawn(figure, "group")
    names = figure.spec["encoding"]["shape"]["scale"]["domain"]
    return [groups.count(name) for name in names]


@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=3).filter(any))
def test_a_hundred_icons_are_shared_in_proportion_and_nobody_is_left_out(counts: list[int]) -> None:
    made = shared_out(counts)
    assert sum(made) == ICONS
    for count, icons_of_it in zip(counts, made, strict=True):
        assert (icons_of_it > 0) == (count > 0)
        # Those who have an icon below their share are paid for by the others.
        assert abs(icons_of_it - 100 * count / sum(counts)) < 2 + 1e-9


def test_people_are_those_of_the_strongest_attack_on_the_release() -> None:
    fields = audit(
        attack("attribute inference, best guess", 0.5, 0.2),
        attack("attribute inference, learnt", 0.5, 0.1),
        # None of these is a guess of the secret from this release alone.
        attack("record linkage", 0.0, 0.9),
        attack("averaging, 16 releases", 0.5, 0.5, judged=False),
        attack("attribute inference, best guess", 0.1, 0.7, target=["wage"]),
    )
    figure = people_figure(typed(Audit, fields), ["illness"])
    assert icons(figure) == [50, 20, 30]
    assert figure.told.startswith(
        "Because of this release, 200 more of 1,000 people have their value guessed correctly."
    )
    assert "guessed correctly without this release: 500 people, 50%" in words(figure.to_svg())
    assert icons(people_figure(typed(Audit, fields), ["wage"])) == [10, 70, 20]


def test_groups_differ_without_colour_and_a_small_one_is_said_to_be_rounded_up() -> None:
    figure = people_figure(typed_audit(attack("attribute inference, learnt", 0.4, 0.0002), rows=10_000))
    assert icons(figure) == [40, 1, 59]
    assert "A smaller group is shown by one icon." in " ".join(words(figure.to_svg()))
    looks = [figure.spec["encoding"][name]["scale"]["range"] for name in ("shape", "fill")]
    assert len({*zip(*looks, strict=True)}) == 3 and looks[0][1] != looks[0][0] and looks[1][0] != looks[1][2]
    less = people_figure(typed_audit(attack("attribute inference, learnt", 0.4, -0.1)))
    assert icons(less) == [40, 0, 60] and "smaller group" not in " ".join(words(less.to_svg()))
    none = people_figure(typed_audit(attack("record linkage", 0.0, 0.9)))
    assert none.told == "No attack on the release guessed a value of the secret."


def test_repeats_are_counted_by_law_and_marked_where_the_limit_is_missed() -> None:
    prior = Distribution("ab", [0.5, 0.5])
    answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
    figure = repeats_figure(prior, answer, 40)
    rows = figure.spec["data"]["values"]
    assert [row["releases"] for row in rows] == list(RELEASES)
    # Of two answers that differ neither tells anything; of one or two agreeing ones three in four are right.
    assert rows[0]["success"] == pytest.approx(75) == rows[1]["success"]
    # A: half of what was left to guess right is; B is 0.19 bits of one.
    assert rows[0]["protection"] == pytest.approx(50)
    five = 0.75**5 + 5 * 0.75**4 * 0.25 + 10 * 0.75**3 * 0.25**2
    assert rows[2]["success"] == pytest.approx(100 * five)
    assert [row["missed"] for row in rows] == [row["protection"] < 40 for row in rows] and rows[2]["missed"]
    assert "Protection is below the limit of 40 (dashed) from 5 releases on: diamonds." in figure.told
    assert all(row["exact"] for row in rows) and "simulated" not in figure.told
    # Each number has an axis of its own.
    assert len({panel["layer"][1]["encoding"]["y"]["title"] for panel in figure.spec["hconcat"]}) == 2
    assert "stays at or above the limit of 0" in repeats_figure(prior, answer, 0).told
    assert "limit" not in repeats_figure(prior, answer).told
    kept = repeats_figure(prior, answer, 40, kept=True)
    assert {row["success"] for row in kept.spec["data"]["values"]} == {rows[0]["success"]}
    assert "their noise is kept" in kept.told and "their noise is kept" not in figure.told


def test_what_is_too_large_to_count_is_simulated_close_to_the_truth() -> None:
    values = [str(at) for at in range(8)]
    prior = Distribution(values, [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05])
    channel = Channel(values, values, [[0.65 if x == y else 0.05 for y in values] for x in values])
    # Three releases are few enough to count: the simulation is held against the law.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leakgauge.measures.sequences.JOINT_CELLS", 1)
        simulated = repeated_leakage(prior, channel, 3)
    exact = sequence_leakage(prior, [channel] * 3)
    assert not simulated.exact and exact.exact
    assert simulated.success == pytest.approx(exact.success, abs=0.01)
    assert simulated.bits == pytest.approx(exact.bits, abs=0.03)
    figure = repeats_figure(prior, channel, 60)
    assert "20,000 people and the seed 1" in figure.told
    success = drawn(figure, "success")
    assert success == sorted(success) and drawn(figure, "success_written")[-1] == ">99.9"


def test_zeros_of_a_channel_rule_values_out_in_a_simulation() -> None:
    values = [str(at) for at in range(12)]
    channel = Channel(values, values, [[0.5 * (x == y) + 0.5 * (y == "0") for y in values] for x in values])
    found = repeated_leakage(Distribution.uniform(values), channel, 20)
    assert not found.exact and found.success == pytest.approx(1, abs=1e-3)


def test_nothing_is_guessed_where_all_rows_agree() -> None:
    figure = repeats_figure(Distribution("ab", [1.0, 0.0]), Channel.identity("ab"))
    assert figure.told == "All rows have the same value: there is nothing to guess."


def surveyed(name: str, bits: float, low: float, high: float, identifier: str | None = None) -> dict[str, Any]:
    told = {"secret": "illness", "information": quantity(bits, low, high), "significant": low > 0}
    return {"name": name, "identifier": identifier, "tells": [told]}


def test_columns_are_ranked_by_what_they_tell_and_identifiers_marked() -> None:
    columns = [
        surveyed("city", 0.2, 0.15, 0.25),
        surveyed("id", 1.8, 1.7, 1.9, "nearly all values are unique"),
        surveyed("wide", 0.5, 0.1, 0.5),
        surveyed("idle", 0.01, 0.0, 0.02),
        {"name": "illness", "identifier": None, "tells": []},
    ]
    figure = telling_figure(survey(columns), "illness")
    assert drawn(figure, "column") == ["id", "wide", "city", "idle"]
    assert drawn(figure, "number") == [
        "1.8, identifies people",
        "at least 0.1, at most 0.5",
        "0.2",
        "no more than chance",
    ]
    # The bar of what was not counted is what was shown.
    assert drawn(figure, "bits") == [1.8, 0.1, 0.2, 0.01] and drawn(figure, "high") == [1.9, 0.5, 0.25, 0.02]
    assert "not drawn" not in figure.told and width(figure.to_svg()) <= 760
    many = telling_figure(survey([surveyed(f"c{at}", at / 100, 0.001, 1) for at in range(31)]), "illness")
    assert len(drawn(many, "column")) == MOST and "Columns that reveal less and are not shown: 11." in many.told
    assert telling_figure(survey(columns[-1:]), "illness").told == "No other column was examined."


def told_by(columns: list[str], roles: list[str], success: float) -> dict[str, Any]:
    return {"columns": columns, "roles": roles, "success": quantity(success)}


def exposure(*columns: dict[str, Any], pairs: tuple[dict[str, Any], ...] = (), **found: float) -> dict[str, Any]:
    brackets = {name: {"success": quantity(value)} for name, value in found.items()}
    return {"secret": ["illness"], "columns": list(columns), "pairs": list(pairs), "scored": 300, **brackets}


AGE = told_by(["age"], ["background"], 0.45)
CITY, JOB = told_by(["city"], ["public"], 0.5), told_by(["job"], ["public"], 0.42)
OWN = told_by(["illness"], ["own"], 0.7)


def steps(figure: Any) -> dict[str, float]:
    rows = figure.spec["data"]["values"]
    return {row["step"].replace("\n", " "): round(row["end"] - row["start"], 6) for row in rows}


def test_every_step_to_a_right_guess_is_what_it_adds() -> None:
    pairs = (told_by(["age", "city"], ["background", "public"], 0.55), told_by(["city", "job"], ["public"] * 2, 0.6))
    whole = exposure(AGE, CITY, JOB, OWN, pairs=pairs, known=0.45, plain=0.6, everything=0.8)
    figure = waterfall_figure(typed(Exposure, whole), 10_000, 0.4)
    assert steps(figure) == {
        "nothing known: the most common value": 0.4,
        "the background: age": 0.05,
        "the most revealing published column: city": 0.1,
        "the other published columns": 0.05,
        "the released secret: illness": 0.2,
        "guessed correctly in the end": 0.8,
    }
    assert drawn(figure, "number")[:2] == ["4,000 people, 40%", "+500 people, +5%"]
    assert {"8,000 people, 80%"} <= words(figure.to_svg()) and len(marks(figure.to_svg(), "bar")) == 6


def test_what_was_not_measured_apart_is_one_step_and_none_is_negative() -> None:
    # The best pair holds a column of the background and no published one: the columns cannot be told apart.
    whole = exposure(AGE, told_by(["sex"], ["background"], 0.41), CITY, JOB, known=0.45, plain=0.44, everything=0.8)
    found = steps(waterfall_figure(typed(Exposure, whole), 10_000))
    assert found == {
        "already known: age, sex": 0.45,
        "the published columns: city, job": 0.0,
        "the released secret: illness": 0.35,
        "guessed correctly in the end": 0.8,
    }
    withheld = exposure(CITY, known=0.4, plain=0.5)
    withheld["everything"] = withheld["plain"]
    assert list(steps(waterfall_figure(typed(Exposure, withheld), 10_000))) == [
        "nothing known: the most common value",
        "the published column: city",
        "guessed correctly in the end",
    ]


def test_a_channel_is_sorted_by_frequency_with_its_margins() -> None:
    channel = Channel(["rare", "common"], ["none", "rare", "common"], [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    prior = Distribution(["rare", "common"], [0.2, 0.8])
    figure = channel_figure(channel, prior=prior)
    above, (cells, beside) = figure.spec["vconcat"][0], figure.spec["vconcat"][1]["hconcat"]
    assert [(one["input"], one["output"], one["probability"]) for one in cells["data"]["values"]] == [
        *(("common", "common", 0.5), ("common", "rare", 0.25), ("common", "none", 0.25)),
        *(("rare", "common", 0.0), ("rare", "rare", 0.5), ("rare", "none", 0.5)),
    ]
    assert [(one["input"], one["share"]) for one in beside["data"]["values"]] == [("common", 0.8), ("rare", 0.2)]
    released = {one["output"]: one["share"] for one in above["data"]["values"]}
    assert released == pytest.approx({"common": 0.4, "rare": 0.3, "none": 0.3})


def test_a_prior_is_read_from_the_shares_of_a_column_where_they_name_its_values() -> None:
    shares = [{"value": [name], "table": quantity(share)} for name, share in (("3", 0.25), (None, 0.75), ("x", 0.0))]
    typed_shares = [typed(ValueShares, one) for one in shares]
    assert prior_of(typed_shares, [None, 3]) == Distribution([None, 3], [0.75, 0.25])
    assert prior_of(typed_shares, [3, "3", None]) is None
    assert prior_of(typed_shares, [3]) is None and prior_of([], [3]) is None


@pytest.mark.parametrize("name", ["people", "repeats", "telling", "waterfall"])
def test_pictures_say_the_same_in_both_languages_and_fit_a_page(name: str) -> None:
    whole = exposure(AGE, CITY, OWN, known=0.45, plain=0.6, everything=0.8)
    prior, channel = Distribution("ab", [0.6, 0.4]), Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
    pictures = {
        "people": lambda language: people_figure(typed_audit(attack("record", 0.4, 0.2)), ["illness"], language),
        "repeats": lambda language: repeats_figure(prior, channel, 60, language),
        "telling": lambda language: telling_figure(survey([surveyed("a", 1, 0.5, 2, "x")]), "illness", language),
        "waterfall": lambda language: waterfall_figure(typed(Exposure, whole), 30_718, 0.4, language),
    }
    english, chinese = map(pictures[name], LANGUAGES)
    assert sorted(map(str, numbers(english))) == sorted(map(str, numbers(chinese)))
    for figure in (english, chinese):
        svg = figure.to_svg()
        assert width(svg) <= 760 and smallest_letters(svg) >= 11 and 'style="' not in svg
