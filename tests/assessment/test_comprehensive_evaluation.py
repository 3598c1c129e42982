"""Multi-layer fuzzy comprehensive evaluation of evidence, on trees of one's own and on the paper's two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts import codec
from leakgauge.artefacts.criteria import ComprehensiveEvaluation
from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, protected_column
from leakgauge.assessment.comprehensive_evaluation import (
    INDEX_SYSTEM_A,
    INDEX_SYSTEM_B,
    FactorTree,
    evaluate_evidence,
    open_factors,
    paper_tree,
    rows_of,
)
from leakgauge.assessment.published import Frequency, State
from leakgauge.errors import InputError, ModelError
from leakgauge.mechanisms import through_channel
from leakgauge.papers.influence_diagram import evaluate, table_1
from leakgauge.probability import Channel
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from tests.assessment.diagrams import measured
from tests.assessment.indicators.small import LETTERS, table

TEXT = """
schema = "leakgauge/factors/1"
value = "effect"
lower_is_better = ["5"]

[factors.effect]
name = "protection effect"
parts = { secrecy = 3, use = 1 }

[factors.secrecy]
parts = ["5", "7", "trust"]
judgements = [[1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", 1]]

[factors.use]
parts = ["12", "13"]
"""


def read(place: Path, text: str = TEXT) -> FactorTree:
    file = place / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return open_factors(file)


def test_factors_of_ones_own_by_hand(tmp_path: Path) -> None:
    trust = Evidence("trust", Standing.ASKED, Sentence(""), answers=(1, 0, 0, 0, 3))
    tree = read(tmp_path)
    found = evaluate_evidence([*measured({"5": 1.0, "7": 0.5, "12": 1.0}), trust], tree)
    # Leaf 5 at its top is very low, since lower is better; leaf 7 in the middle is medium and a little of its
    # neighbours; 13 is not known, so that 12 is all of use.
    low, middle, top = np.eye(5)[0], np.array([0, 0.2, 1, 0.2, 0]) / 1.4, np.eye(5)[4]
    secrecy = (4 * low + 2 * middle + np.array([0.25, 0, 0, 0, 0.75])) / 7
    assert found.memberships == pytest.approx((0.75 * secrecy + 0.25 * top).tolist())
    assert found.grade == "VLL" and found.left_out == ("13",) and not found.decides
    assert [(one.key, one.under) for one in found.factors] == [
        ("effect", None),
        ("secrecy", "effect"),
        ("5", "secrecy"),
        ("7", "secrecy"),
        ("trust", "secrecy"),
        ("use", "effect"),
        ("12", "use"),
    ]
    assert found.factors[0].name == "protection effect" and found.factors[2].name == "success of inference attacks"
    assert codec.decode(ComprehensiveEvaluation, codec.encode(found), "evaluation") == found


@pytest.mark.parametrize(("name", "system"), [("paper-a", INDEX_SYSTEM_A), ("paper-b", INDEX_SYSTEM_B)])
def test_the_papers_trees_give_the_papers_grades(name: str, system: dict[str, str]) -> None:
    tree = open_factors(name)
    assert tree == paper_tree(system)
    # The labels of Table 1 on the named tree: all that the paper prints grades ML, and so does this.
    shares = {
        leaf: np.array([(2 * list(Frequency).index(states[one]) + 1) / 10 if one in states else 0.0 for one in State])
        for leaf, states in table_1().items()
    }
    row = rows_of(tree, {leaf: one / one.sum() for leaf, one in shares.items()})["45"]
    assert row.tolist() == pytest.approx([evaluate(table_1(), system).memberships[state] for state in State])
    assert list(State)[int(row.argmax())] is State.MEDIUM


def test_why_it_does_not_decide() -> None:
    copy = through_channel(Channel.identity(LETTERS))
    raw = collect(protected_column(table(), "illness", copy, Simulated(1)))
    found = evaluate_evidence(raw, open_factors("paper-a"))
    assert found.grade == State.VERY_HIGH.value and "even unchanged data may be graded well" in str(found.why_not)


FAULTS = [
    ("factors/1", "factors/2", "has the schema 'leakgauge/factors/2'"),
    ('value = "effect"', 'value = "efect"', "has no factor to evaluate"),
    ('["12", "13"]', '["12", "5"]', "makes '5' a part of two factors, 'secrecy' and 'use'"),
    ("secrecy = 3, use = 1", "secrecy = 3", "'use' is not a part of anything that leads to 'effect'"),
    ('["12", "13"]', '["12", "effect"]', "'effect' is not a part of anything"),
    ('["12", "13"]', '["12", "12"]', "the factor 'use' has no parts"),
    ('["12", "13"]', "[]", "the factor 'use' has no parts"),
    ("secrecy = 3", 'secrecy = "3"', "'secrecy' has the weight '3'; write a number"),
    ("secrecy = 3", "secrecy = -3", "'secrecy' has a weight of -3"),
    ("secrecy = 3", "secrecy = nan", "'secrecy' has a weight of nan"),
    ("secrecy = 3, use = 1", "secrecy = 0, use = 0", "weights of all parts of the factor 'effect' are 0"),
    ('[1, 2, 4], ["1/2"', '[1, 9, 4], ["1/9"', "for 'secrecy' contradict each other with a ratio of"),
    ("judgements", "judgement", "unknown key 'judgement'; did you mean 'judgements'"),
    ('lower_is_better = ["5"]', 'lower_is_better = "5"', "lower_is_better is not a list"),
    (
        'lower_is_better = ["5"]',
        'lower_is_better = ["use"]',
        "lower is better for 'use', which is not one of its leaves",
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), FAULTS)
def test_factors_that_cannot_be_used(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    message = str(caught.value)
    assert "mine.toml" in message and "\n" not in message and message.endswith((".", "?"))


def test_nothing_known_of_ones_own_factors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No leaf is known"):
        evaluate_evidence(measured({"14": 0.5}), read(tmp_path))
