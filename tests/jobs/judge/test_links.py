"""Limits on linking hold for releases of ours."""

from __future__ import annotations

import pyarrow as pa

from leakgauge.artefacts import Request
from leakgauge.artefacts.verdict import Judgement
from leakgauge.assessment.scores.policy import Policy
from leakgauge.jobs.protect.judged import Judging
from leakgauge.tables import open_table

PEOPLE = 400


def judged(policy: Policy, **asked: object) -> Judgement:
    """Of a job on people each of whom has a code of their own."""
    rows = pa.table(
        {
            "code": [f"c{at}" for at in range(PEOPLE)],
            "illness": [["flu", "none", "none", "cold"][at % 4] for at in range(PEOPLE)],
        }
    )
    how = {"secret": ("illness",), "public": ("code",), "mechanism": ("randomized-response:epsilon=1",), **asked}
    with open_table(rows) as table:
        return Judging(table, policy).before(Request.of("frame", **how))  # type: ignore[arg-type]


def test_a_limit_on_linking_is_kept_or_refuses() -> None:
    found = judged(Policy(max_linked=0.0, given=frozenset({"max_linked"})))
    (line,) = (one for one in found.policy if one.name == "max_linked")
    assert (line.found, line.holds, line.given) == (1.0, False, True)
    assert any("the row can be found without doubt" in str(one) for one in found.failed)
