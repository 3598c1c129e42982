"""Designs, comparisons, relations, answers, ledgers and reproductions as files, those written before included."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from leakgauge.artefacts import (
    Answer,
    Comparison,
    Design,
    Frontier,
    LedgerTold,
    Origin,
    Relation,
    Utility,
    codec,
)
from leakgauge.artefacts.reproduction import Reproductions
from leakgauge.claims import LocalDP
from leakgauge.design import Knowledge, MaxDistortion, frontier, solve
from leakgauge.distances import Hamming
from leakgauge.jobs.compare import comparison
from leakgauge.jobs.design import Question, as_design, as_frontier
from leakgauge.jobs.query import ask, preview, stored_answer, stored_preview
from leakgauge.jobs.relate import relate
from leakgauge.notions import Circumstances
from leakgauge.papers import information_models
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.release.ledger import ApproximateLimit, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.release.queries import Condition, Count, Groups, Operator, Protection
from leakgauge.release.queries.query import MOST_CONDITIONS
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table

STORED = Path(__file__).parents[1] / "jobs" / "stored" / "released"
PEOPLE = pa.table({"illness": ["flu"] * 5 + ["none"] * 3 + ["cold"] * 2, "city": ["A", "B"] * 5})
QUESTION = Question(("illness",), ("city",), Hamming(), Knowledge.ATTACKER)


def again(found: msgspec.Struct) -> msgspec.Struct:
    return codec.decode(type(found), json.loads(codec.text_of(found)), "the file")


@pytest.mark.parametrize(
    ("kind", "name"), [(Design, "design"), (Frontier, "frontier"), (Comparison, "comparison"), (Utility, "utility")]
)
def test_what_was_written_before_reads_as_it_stands(kind: type[msgspec.Struct], name: str) -> None:
    fields = json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))
    written = codec.encode(codec.read(kind, STORED / f"{name}.json"))

    def without_new(now: object, then: object) -> object:
        if isinstance(now, dict) and isinstance(then, dict):
            return {key: without_new(one, then.get(key)) for key, one in now.items() if key in then}
        if isinstance(now, list) and isinstance(then, list):
            return [without_new(one, other) for one, other in zip(now, then, strict=True)]
        return now

    assert without_new(written, fields) == fields


def test_designs_and_comparisons_come_back() -> None:
    with open_table(PEOPLE) as table:
        problem = QUESTION.problem(table, MaxDistortion(0.2))
        found = comparison(table, QUESTION, ["randomized-response:epsilon=1"], MaxDistortion(0.3))
    solution = solve(problem)
    design = as_design(solution)
    assert again(design) == design
    assert (design.epsilon.value, design.epsilon.origin) == (solution.epsilon, Origin.TABLE)
    assert design.prior is PriorOrigin.THIS_TABLE and design.keep_inside
    bought = as_design(solution, PriorOrigin.NOISY_HISTOGRAM)
    assert bought.leakage.origin is Origin.ACCOUNTED and not bought.keep_inside
    curve = as_frontier(frontier(problem, 3))
    assert again(curve) == curve
    assert again(found) == found
    assert found.max_distortion is not None and found.max_distortion.origin is Origin.DECLARED


def test_relate_takes_objects_as_well_as_their_texts(tmp_path: Path) -> None:
    statement = relate(LocalDP(1.0))
    assert statement == relate("local-dp:1") == again(statement)
    channel, prior = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]]), Distribution("ab", [0.9, 0.1])
    found = relate(channel, prior)
    assert isinstance(found, Relation) and again(found) == found
    assert found.local_dp is not None and found.local_dp.value == pytest.approx(math.log(3))
    (tmp_path / "prior.csv").write_text("label,value\na,0.9\nb,0.1\n", encoding="utf-8")
    assert relate(channel, tmp_path / "prior.csv").prior_skew == found.prior_skew
    infinite = relate(Channel.identity("ab"), wanted=Circumstances(order=3.0))
    assert infinite.levels["local-dp"].value == math.inf and again(infinite) == infinite


def test_answers_and_ledgers_come_back(tmp_path: Path) -> None:
    query, protection = Count(where=Condition("city", "A"), epsilon=0.5), Protection()
    with open_table(PEOPLE) as table, open_ledger(str(tmp_path / "a.ledger"), create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(1.0))
        tried = stored_preview(query, protection, *preview(query, table, protection, ledger, "people"), "people.csv")
        answer = stored_answer(ask(query, table, protection, ledger, "people"), "people.csv")
        free = stored_answer(ask(query, table, protection), "people.csv")
        told = LedgerTold(ledger.head, (account_told(ledger.account("people"), ledger),))
    assert isinstance(answer, Answer) and again(answer) == answer
    assert again(tried) == tried and again(told) == told
    assert str(answer.question) == "count over rows where 'city' is 'A'"
    assert answer.question.fields["conditions"] == Sentence("{column!r} is {value!r}", column="city", value="A")
    assert answer.answers[0].origin is Origin.ACCOUNTED
    # Numbers that no budget paid for come from the table.
    assert free.answers[0].origin is Origin.TABLE
    assert told.accounts is not None and told.accounts[0].spent is not None
    assert told.accounts[0].spent.epsilon.value == 0.5


def test_an_answer_by_groups_under_as_many_conditions_as_can_be_comes_back() -> None:
    where = [Condition("city", ["A", None], Operator.AMONG)] * MOST_CONDITIONS
    query = Count(where=where, by=Groups("city", ["A", "B"]), epsilon=0.5)
    with open_table(PEOPLE) as table:
        answer = stored_answer(ask(query, table, Protection()), "people.csv")
    assert again(answer) == answer
    assert str(answer.question).count("'city' is one of 'A', (missing)") == MOST_CONDITIONS
    assert answer.groups == tuple(one.label for one in answer.answers) == ("A", "B", "(other)")


def test_a_reproduction_comes_back() -> None:
    found = information_models.reproduce()
    told = Reproductions(found.agrees, (found,))
    assert found.agrees and again(told) == told
    first = msgspec.structs.replace(found.lines[0], published=found.lines[0].published + 1)
    assert not first.agrees
