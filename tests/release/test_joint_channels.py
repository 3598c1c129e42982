"""A channel that writes several columns: the plan names each of them, and so does everything made from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.cli import main
from leakgauge.errors import ColumnError, OptionError
from leakgauge.jobs.audit import audit_release
from leakgauge.measures import mutual_information
from leakgauge.probability import Channel, Distribution, PriorOrigin, Scenario
from leakgauge.probability.files import NamedChannel
from leakgauge.release import ReleasePlan, read_plan, release, verify
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.report import Report
from leakgauge.tables import open_table
from tests.release.test_keep_inside import left_out

PAIRS = [(illness, city) for illness in ("flu", "none") for city in ("Oslo", "Bergen")]
JOINT = NamedChannel(
    Channel(PAIRS, PAIRS, np.full((4, 4), 0.1) + 0.6 * np.eye(4)),
    ("illness", "city"),
    ("illness", "city"),
    PriorOrigin.THIS_TABLE,
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    lines = [f"{illness},{city}" for illness, city in PAIRS * 30]
    (tmp_path / "people.csv").write_text("illness,city\n" + "\n".join(lines) + "\n")
    (tmp_path / "joint.json").write_text(text_of(ChannelFile.of(JOINT)))
    return tmp_path / "people.csv"


def test_a_plan_that_does_not_name_what_its_channel_writes_is_refused(people: Path) -> None:
    with pytest.raises(OptionError, match="also writes 'city'; name every column"):
        ReleasePlan({"illness": JOINT})
    plan = people.with_name("plan.toml")
    plan.write_text('[columns]\nillness = "joint.json"\n')
    with pytest.raises(OptionError, match="also writes 'city'"):
        read_plan(plan)
    out = people.with_name("out.csv")
    assert main(["release", str(people), "--plan", str(plan), "-o", str(out)]) == 2
    assert not out.exists()
    other = NamedChannel(Channel.identity(PAIRS), JOINT.inputs, JOINT.outputs)
    with pytest.raises(OptionError, match="also writes"):
        ReleasePlan({"illness": JOINT, "city": other})
    renamed = NamedChannel(JOINT.channel, JOINT.inputs, ("illness", "town"))
    with pytest.raises(OptionError, match="also writes 'town'"):
        ReleasePlan({"illness": renamed, "city": renamed})
    with pytest.raises(ColumnError, match="reads"):
        ReleasePlan({"age": JOINT})


def test_every_column_is_listed_everywhere(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, out = people.with_name("plan.toml"), people.with_name("out.csv")
    plan.write_text('[columns]\nillness = "joint.json"\ncity = "joint.json"\n')
    arguments = ["release", str(people), "--plan", str(plan)]
    assert main([*arguments, "--dry-run"]) == 0
    assert "│ illness, city │" in capsys.readouterr().out
    assert main([*arguments, "-o", str(out)]) == 0
    assert "│ illness, city │" in capsys.readouterr().out
    ledger = open_ledger(people.with_name("l"), create=True)
    ledger.open_account("people", Unlimited())
    with open_table(people) as table:
        made = release(read_plan(plan), table, out, ledger=ledger, dataset="people", overwrite=True)
    assert made.entry is not None and made.entry.purpose == "release of 'illness', 'city'"
    # Each column is counted with what the channel tells of both, and never with more than there is.
    told = {one.column: one for one in account_told(ledger.account("people"), ledger).told}
    law = JOINT.channel
    both = mutual_information(Scenario(Distribution(law.inputs, np.full(4, 0.25)), law))
    assert told.keys() == {"illness", "city"}
    for one in told.values():
        assert one.bits is not None and one.bits.value == pytest.approx(min(both, 1.0), abs=1e-12)
    (column,) = made.record.plan.columns.values()
    assert column.writes == made.record.output.columns == ("illness", "city")
    # The channel is applied once, and costs once.
    assert made.record.budget.epsilon.value == pytest.approx(np.log(7), rel=1e-9)
    assert "channel of illness, city" in left_out(made)
    assert any("The channels of illness, city were designed" in str(said) for said in made.record.assumptions)
    for record in (made.record_file, made.public_record_file):
        verify(record, released=out).require()
    Report(made).to_markdown(people.with_name("report.md"))
    report = people.with_name("report.md").read_text()
    assert "the columns illness, city were released" in report
    assert "illness, city was released through a designed channel" in report
    with open_table(people) as table:
        audited = audit_release(made.record_file, table, simulation_seed=1)
    assert [name for name, _ in audited.columns.items()] == ["illness, city"]
