"""An attacker who computes masked counts back from the external edition finds at least the limit of counts that fit.

The attacker knows the program, the number of rows, what was asked for and every count but one: how many rows have a
rare value instead of the commonest one. For each count that there may be, the attacker designs the channel again,
composes the report on it, and keeps the counts whose report is the one that was handed out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import encode, text_of
from leakgauge.artefacts.record import Plan, PlannedColumn
from leakgauge.artefacts.report import Picture
from leakgauge.design import MaxDistortion, MaxLeakage, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.jobs.design import as_design
from leakgauge.languages import Language
from leakgauge.measures import entropy, mutual_information
from leakgauge.mechanisms import through_channel
from leakgauge.probability import Channel, Distribution, PriorOrigin, Scenario
from leakgauge.probability.files import NamedChannel
from leakgauge.release.guarantees import assumptions, budget_of, claims_of, together_of
from leakgauge.report.document import twin
from leakgauge.report.external import LIMIT
from leakgauge.report.markdown import to_markdown
from leakgauge.report.report import Report
from leakgauge.telling.blocks import Edition
from tests.report.conftest import run
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH

RARE = range(1, 31)
ASKED = {"max_distortion": 0.2}


def exact(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, "low": value, "high": value, "confidence": 0.95}


def artefacts(rows: int, rare: int, asked: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a job on a table with a rare value writes, as far as it follows from the counts without any draw."""
    middle = rows * 3 // 10
    source = Distribution(["common", "middle", "rare"], [(rows - middle - rare) / rows, middle / rows, rare / rows])
    name, value = next(iter(asked.items()))
    target = MaxDistortion(value) if name == "max_distortion" else MaxLeakage(value)
    solution = solve(RateDistortion(source, Hamming(), target))
    channel: Channel = solution.channel
    mechanism = through_channel(channel)
    steps = (mechanism.step(),)
    named = NamedChannel(channel, ("illness",), ("illness",), PriorOrigin.THIS_TABLE)
    file = ChannelFile.of(named)
    column = PlannedColumn("channel", None, ("illness",), ("illness",), None, PriorOrigin.THIS_TABLE, file)
    plan = Plan(public=(), columns={"illness": column})
    claims = {"illness": claims_of(column, mechanism)}
    p, released = source.probabilities, source.probabilities @ channel.matrix
    kept = float((p * channel.matrix.diagonal()).sum())
    bits, told = entropy(source), mutual_information(Scenario(source, channel))
    return {
        "job.json": {
            "schema": "leakgauge/job/1",
            "asked": {"secret": "illness", "background": [], "public": [], **asked},
            "table": {"name": "people.csv", "rows": rows, "columns": [{"name": "illness", "kind": "text"}]},
            "outcome": {"released": True, "reason": None},
        },
        "measurement.json": {
            "secret": ["illness"],
            "background": [],
            "letters": {"secret": 3},
            "entropy": exact(bits, "bits"),
            "reliable": rare >= 10,
        },
        "leakage.json": {"entropy": exact(bits, "bits"), "mutual_information": exact(told, "bits")},
        "design.json": encode(as_design(solution)),
        "release.json": {
            "rows": rows,
            "private": True,
            "plan": encode(plan),
            "unit_of_protection": "one row",
            "neighbours": "replace-one",
            "claims": encode(claims),
            "together": encode(together_of(steps, plan.origin)),
            "budget": encode(budget_of(steps, plan.origin)),
            "assumptions": encode(tuple(assumptions(plan, claims, simulated=False))),
            "digest": f"{rare:064x}",
        },
        "utility.json": {
            "columns": {
                "illness": {
                    "protected": True,
                    "unchanged": exact(kept, "share"),
                    "distortion": exact(1 - kept, "hamming"),
                    "total_variation": exact(float(abs(p - released).sum() / 2), "share"),
                    "shares": [
                        {"value": [label], "table": exact(before, "share"), "released": exact(after, "share")}
                        for label, before, after in zip(source.outcomes, p.tolist(), released.tolist(), strict=True)
                    ],
                }
            }
        },
        "verdict.json": {
            "recommendation": "release" if rare > 5 else "do not release",
            "scores": {"illness": {"protection": exact(100 * (1 - kept), "points")}},
            "deciding": "illness",
            # What would change it follows from the counts, though it is written as if somebody had asked for it.
            "actions": [{"asked": {"secret": ["illness"], "max_distortion": kept}, "options": [f"{kept}"]}],
        },
    }


@cache
def printed(rows: int, rare: int, asked: tuple[tuple[str, Any], ...], limit: int) -> str:
    """Everything that the external editions in both languages say of a table, and what they draw pictures from."""
    facts = Facts(artefacts(rows, rare, dict(asked)))
    documents = [compose(facts, one, Edition.EXTERNAL, limit=limit) for one in (ENGLISH, CHINESE)]
    return "\n".join([*map(to_markdown, documents), text_of(twin(documents))])


def fitting(rows: int, rare: int, limit: int, asked: Mapping[str, Any]) -> list[int]:
    """The counts that an attacker cannot tell from the true one."""
    known = tuple(asked.items())
    seen = printed(rows, rare, known, limit)
    return [one for one in candidates(rows, limit) if printed(rows, one, known, limit) == seen]


def candidates(rows: int, limit: int) -> range:
    """The counts that the attacker tries; not more than the commonest value has, and no more than are needed."""
    return range(1, min(rows // 3, RARE[-1] + limit) + 1)


@pytest.mark.parametrize("rows", [40, 100, 1000, 10**4, 10**5])
def test_no_count_can_be_computed_back(rows: int) -> None:
    for rare in [one for one in RARE if one in candidates(rows, LIMIT)]:
        assert len(fitting(rows, rare, LIMIT, ASKED)) >= LIMIT, rare


@pytest.mark.parametrize("rows", [250, 1000, 10**5])
def test_no_count_can_be_computed_back_from_pictures_of_declared_shares(rows: int) -> None:
    declared = {**ASKED, "publish_shares": True}
    shown = {rare: "original data: " in printed(rows, rare, tuple(declared.items()), LIMIT) for rare in RARE}
    assert shown == {rare: rare > LIMIT for rare in RARE}
    for rare in RARE:
        assert len(fitting(rows, rare, LIMIT, declared)) >= LIMIT, rare


def test_no_picture_has_a_count_in_its_coordinates() -> None:
    rows, drawn = 1010, set[int]()
    for rare in RARE:
        facts = Facts(artefacts(rows, rare, {**ASKED, "publish_shares": True}))
        pictures = [
            block
            for section in compose(facts, ENGLISH, Edition.EXTERNAL).sections
            for block in section.blocks
            if isinstance(block, Picture)
        ]
        # The commonest value has what the others leave.
        exact_ones = {count / rows for count in (rare, rows * 3 // 10)}
        # A rare value whose count is a multiple of the step is drawn as all around it are.
        exact_ones -= {count / rows for count in range(0, rows, 2 * LIMIT)}
        for picture in pictures:
            drawn.add(rare)
            found = set(numbers_within(picture.spec["data"]))
            assert not any(abs(one - true) < 0.5 / rows for one in found for true in exact_ones), rare
    # Shares of rarer values are not drawn at all.
    assert drawn == {rare for rare in RARE if rare > LIMIT}


def numbers_within(data: Any) -> Iterator[float]:
    """Every number of parsed JSON."""
    if isinstance(data, dict):
        data = [*data.values()]
    if isinstance(data, list | tuple):
        for one in data:
            yield from numbers_within(one)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield float(data)


@pytest.mark.nightly
@pytest.mark.parametrize("limit", [2, 5, LIMIT, 40])
@pytest.mark.parametrize("asked", [ASKED, {"max_distortion": 0.05}, {"max_leakage": 0.3}], ids=str)
@pytest.mark.parametrize("rows", [40, 64, 100, 250, 1000, 2500, 10**4, 10**5])
def test_no_count_can_be_computed_back_whatever_was_asked(rows: int, asked: dict[str, float], limit: int) -> None:
    for rare in [one for one in RARE if one in candidates(rows, limit)]:
        assert len(fitting(rows, rare, limit, asked)) >= min(limit, len(candidates(rows, limit))), rare


def handed_out(folder: Path, rows: int, rare: int, limit: int, **asked: Any) -> str:
    """The external report on a table with a rare value, without the release's own digest."""
    folder.mkdir()
    middle = rows * 3 // 10
    column = ["common"] * (rows - middle - rare) + ["middle"] * middle + ["rare"] * rare
    (folder / "people.csv").write_text("\n".join(["illness", *column]) + "\n", encoding="utf-8")
    run(folder, "people.csv", "job", secret="illness", **asked)
    Report.of(folder / "job").to_markdown(folder / "report.md", "both", Edition.EXTERNAL, limit=limit)
    # Of what was released, which is drawn afresh.
    return re.sub(
        r"\b[0-9a-f]{64}\b|\bLG-[0-9A-F]{4}-[0-9A-F]{4}\b", "", (folder / "report.md").read_text(encoding="utf-8")
    )


def test_whole_reports_do_not_tell_counts_apart(tmp_path: Path) -> None:
    # ε alone: whether a channel is designed or randomized response is taken depends on the counts, too.
    limit = 2
    told = {rare: handed_out(tmp_path / str(rare), 40, rare, limit, local_dp=0.7, keep="nothing") for rare in (2, 11)}
    plans = [(tmp_path / str(rare) / "job" / "plan.toml").read_text(encoding="utf-8") for rare in told]
    assert "randomized-response" in plans[0] and "channel.json" in plans[1]
    assert len(set(told.values())) == 1
    assert "ε at most 0.7" in told[2]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "rare", "asked"),
    [(40, 3, {"max_distortion": 0.2}), (1000, 7, {"max_distortion": 0.2}), (200, 5, {"max_leakage": 0.3})],
)
def test_whole_reports_leave_as_many_counts_as_the_limit(
    tmp_path: Path, rows: int, rare: int, asked: dict[str, float]
) -> None:
    seen = handed_out(tmp_path / "true", rows, rare, LIMIT, **asked)
    tried = (handed_out(tmp_path / str(one), rows, one, LIMIT, **asked) for one in range(1, 2 * LIMIT))
    assert sum(one == seen for one in tried) >= LIMIT


def numbers_replaced(data: Any, by: int) -> Any:
    """Parsed JSON in which every number, and every yes or no, is another."""
    if isinstance(data, dict):
        return {name: numbers_replaced(value, by) for name, value in data.items()}
    if isinstance(data, list):
        return [numbers_replaced(value, by) for value in data][:-by]
    if isinstance(data, bool):
        return not data
    if isinstance(data, int | float):
        return data + by
    return data


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_everything_is_of_the_table_unless_it_is_said_to_be_shareable(facts: Facts, language: Language) -> None:
    """What a job measured, designed and found may be anything: the external edition is the same."""
    kept = ("job.json", "release.json", "measurement.json", "audit.json")
    files: dict[str, Any] = {
        file: fields if file in kept else numbers_replaced(fields, 1) for file, fields in facts.files.items()
    }
    job, release, measured, audit = (dict(files[file]) for file in kept)
    job |= {"headline": {}, "spent": {**job["spent"], "release": 9.0, "together": 9.0}, "stages": {}}
    job["table"] = {**job["table"], "bytes": 1, "sha256": "0"}
    release |= {name: numbers_replaced(release[name], 1) for name in ("claims", "together")}
    release |= {
        "assumptions": ["another"],
        "digest": "0",
        "reference": "0",
        "budget": numbers_replaced(release["budget"], 1),
    }
    column = {**release["plan"]["columns"]["illness"], "channel": None}
    release["plan"] = {**release["plan"], "columns": {"illness": column}}
    measured |= {name: numbers_replaced(measured[name], 1) for name in ("letters", "entropy", "background_floor")}
    audit |= {name: numbers_replaced(audit[name], 1) for name in ("attacks", "columns", "violated")}
    audit |= {"violations": ["another"], "confidence": 0.5}
    # Half of the rows are half of the released rows.
    (recipients,) = facts.items("recipients.json", "columns")
    private = {name: numbers_replaced(recipients[name], 1) for name in ("worth", "rows", "confused")}
    files["recipients.json"] |= {"columns": [{**recipients, **private}]}
    # The groups of public columns are in the release.
    files["survey.json"]["published"] = facts.get("survey.json", "published")
    files |= dict(zip(kept, (job, release, measured, audit), strict=True))
    found, other = (compose(one, language, Edition.EXTERNAL) for one in (facts, Facts(files, facts.diagram)))
    assert to_markdown(found) == to_markdown(other)
    assert twin([found]) == twin([other])
