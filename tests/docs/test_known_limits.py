"""The page of known limits says each thing once, and what it says is still so."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Final

import click
import pytest

import leakgauge
from leakgauge.audit import combinations, features, identifiers, reconstruction, released_rows, scores, subjects
from leakgauge.audit.attacks import rows, singling_out
from leakgauge.case import columns, learner
from leakgauge.cli import verbs
from leakgauge.cli.help import spoken
from leakgauge.design import arrays, ends, families, metric_privacy, output_entropy
from leakgauge.design.rounds import designing
from leakgauge.distances import map_cells
from leakgauge.jobs import capacities, design, measure, survey
from leakgauge.jobs.protect import choice, stages, telling
from leakgauge.location import extent
from leakgauge.measures import bootstrap, sequences
from leakgauge.mechanisms.mechanism import MOST_PAIRS
from leakgauge.notions import curves
from leakgauge.notions.relation import PAIRWISE_CELLS
from leakgauge.probability import cells
from leakgauge.release.queries import query
from leakgauge.tables import binnings, sampling, table
from leakgauge.tables.sql import bins as sql_bins
from leakgauge.web import guard
from tests.cli.tree import options

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "known-limits.md").read_text(encoding="utf-8")
SAID = " ".join(TEXT.split())


def power_of_two(number: int) -> str:
    assert number == 1 << int(math.log2(number))
    return f"2^{int(math.log2(number))}"


def power_of_ten(number: float) -> str:
    return f"10^{round(math.log10(number))}"


LIMITS: Final = (
    f"capacities of channels of up to {capacities.MOST_INPUTS:,} inputs and {power_of_two(capacities.MOST_CELLS)}",
    f"16 inputs with {capacities.MOST_OUTPUTS:,} outputs, or {capacities.SEARCHED_CELLS} inputs × outputs",
    f"rest on {bootstrap._REDRAWS} redraws of each population",
    f"are left out beyond {measure.REDRAWN:,} combinations",
    f"A category of more than {power_of_ten(table.LARGEST)} distinct values is refused",
    f"more than {power_of_two(sql_bins.LAST)} widths from 0",
    f"**Channels and joints** above {power_of_two(cells.LARGEST)} cells",
    f"all hold at once, up to {query.MOST_CONDITIONS} of them",
    f"`levels` up to {power_of_two(PAIRWISE_CELLS)} numbers",
    f"at most 2·{power_of_ten(curves.ZCDP_TOLERANCE)} of it too large",
    f"a matrix of up to {power_of_two(cells.LARGEST)} cells",
    f"`sequence_leakage` counts up to {power_of_two(sequences.JOINT_CELLS)} cells jointly",
    f"beside earlier ones of up to {power_of_two(designing.ROUND_CELLS)} cases × inputs",
    f"`largest_output_entropy` takes up to {output_entropy.ENTROPY_CELLS} inputs × outputs",
    f"`metric_privacy.least_distance` takes up to {metric_privacy.MOST_INPUTS} inputs, in Python only",
    f"Up to {metric_privacy.WHOLE} it proves its loss to a millionth",
    f"up to {power_of_two(families.COLUMN_CELLS)} inputs × outputs ({families.BOUNDED_CELLS} where",
    f"is proven up to {power_of_two(ends.PROGRAM_CELLS)} inputs × outputs",
    f"up to {power_of_two(arrays.PRICED_CELLS)} inputs² × outputs",
    f"up to {MOST_PAIRS} pairs are tried; more than {subjects.MOST_GIVEN} given pairs are refused",
    f"the {features.COLUMNS} columns that differ most",
    f"A score needs {scores.FEWEST} outputs of each input to learn from",
    f"a column needs {released_rows.FEWEST_ROWS} of each of two inputs",
    f"with more than {columns.LETTERS} values are known, and guessed, by deciles",
    f"with more than {choice.LETTERS} values no frontier is drawn",
    f"In tables of fewer than {identifiers.FEWEST_ROWS} rows",
    f"Sets of up to {combinations.LARGEST_SET} columns are searched",
    f"at least {combinations.MANY_ALONE * 100:.0f} row in 100 is unique",
    "Sets are tried on {:,} and then on {:,} rows, and the {} and then {} with most unique".format(
        *(screen[0] for screen in combinations._SCREENS), *(screen[1] for screen in combinations._SCREENS)
    ),
    f"whole table as come to {combinations._WORK:,} rows, {combinations._FEWEST} at least",
    f"What columns reveal is estimated on {sampling.MOST_ROWS:,} rows drawn at random",
    f"More than {survey.MOST_COLUMNS} columns are refused",
    f"boosted trees on at most {learner.MOST_ROWS:,} rows",
    f"by the {learner.CLASSES} most frequent ones and the rest",
    f"A secret with more than {design.MOST_VALUES} values is not designed for",
    f"Bins that are chosen for it are at most {binnings.MOST_BINS}",
    f"from about {math.isqrt(choice.NUMBER_CELLS // 2)} bins on",
    f"Channels for public columns are designed up to {telling.MOST_DESIGNED} values",
    f"what a column would reveal is shown up to {telling.MOST_SHOWN};",
    "at a confidence of 1 − 10⁻⁶",
    f"Beyond {map_cells.MOST_STRETCH:.0%} the verbs refuse a map",
    f"points all beyond {-extent.HARDLY_ANYBODY} degrees south",
    f"Beyond {power_of_two(rows.AT_ONCE)} comparisons, columns are taken as independent",
    f"at most {singling_out.MOST_DESCRIPTIONS:,} descriptions of each kind",
    f"up to {power_of_two(reconstruction.MOST_CELLS)} queries × kinds of rows",
)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_number_of_a_limit_is_that_of_the_code(limit: str) -> None:
    assert limit in SAID


def test_what_the_numbers_rest_on_is_still_so() -> None:
    assert math.isclose(1 - stages.SURE, 1e-6)
    assert columns.QUANTILES == 10
    # The page's cookie is bound to a path, so that another server of this machine does not receive it.
    assert "path" in (guard.__doc__ or "")
    assert "cookie" not in SAID.lower()


def test_every_option_that_is_named_exists() -> None:
    known = {spelling for _, one in options() for spelling in one.opts}
    named = set(re.findall(r"--[a-z][a-z-]*", TEXT))
    assert named
    assert named <= known


def test_every_name_in_quotes_exists() -> None:
    public = {name for room in leakgauge.__all__ for name in (room, *getattr(getattr(leakgauge, room), "__all__", ()))}
    known = public | set(spoken(verbs).list_commands(click.Context(verbs)))  # type: ignore[attr-defined]
    fields = {"reliable", "both", "max_epsilon", "max_alone", "width", "quantiles", "auto"}
    named = {name for name in re.findall(r"`([a-z_]+)`", TEXT) if name not in fields}
    assert {"solve", "verify", "assess"} <= named
    assert named <= known


@pytest.mark.parametrize("file", sorted(DOCS.rglob("*.md")), ids=lambda path: path.relative_to(DOCS).as_posix())
def test_no_heading_and_no_line_of_a_list_stands_twice(file: Path) -> None:
    text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^(?:#+ .*|\*\*[^*]+\*\*)", text, flags=re.MULTILINE)
    items = re.findall(r"^(?:- |\d+\. ).*", text, flags=re.MULTILINE)
    assert [one for one, times in Counter((*headings, *items)).items() if times > 1] == []
