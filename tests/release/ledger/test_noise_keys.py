"""Keys of kept noise: one for each account, the same for every process, and in no entry."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.artefacts.codec import text_of
from leakgauge.errors import OptionError
from leakgauge.release import ReleasePlan, release
from leakgauge.release.ledger import Ledger, Unlimited, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.tables import open_table
from tests.forks import PROCESSES


@pytest.fixture
def ledger(ledger: Ledger) -> Ledger:
    for dataset in ("panel", "other"):
        ledger.open_account(dataset, Unlimited(), unit="the rows of one value of 'person'")
    return ledger


def test_an_account_has_one_key_which_opening_the_ledger_again_does_not_change(ledger: Ledger, address: str) -> None:
    head = ledger.head
    key = ledger.noise_key("panel")
    with open_ledger(address) as again:
        assert again.noise_key("panel") == key != again.noise_key("other")
    with pytest.raises(OptionError, match="no account of data set 'nobody'"):
        ledger.noise_key("nobody")
    assert ledger.head == head == ledger.check()


def _ask(address: str, told: object) -> None:
    with open_ledger(address) as ledger:
        told.send(ledger.noise_key("panel").identity)  # type: ignore[attr-defined]


def test_processes_that_ask_at_once_have_one_key(ledger: Ledger, address: str) -> None:
    heard, told = PROCESSES.Pipe(duplex=False)
    asking = [PROCESSES.Process(target=_ask, args=(address, told)) for _ in range(4)]
    for one in asking:
        one.start()
    found = {heard.recv() for _ in asking if heard.poll(60)}
    for one in asking:
        one.join(60)
    assert found == {ledger.noise_key("panel").identity}


def test_releases_of_every_store_keep_noise(ledger: Ledger, tmp_path: Path) -> None:
    table = pa.table({"person": list(range(200)), "answer": ["a", "b"] * 100})
    plan = ReleasePlan({"answer": "randomized-response:epsilon=1,letters=a|b"}, unit="person", keep_order=True)
    texts = []
    for name in ("1.csv", "2.csv"):
        made = release(plan, open_table(table), tmp_path / name, ledger=ledger, dataset="panel")
        texts.append(made.output.read_text())
    assert texts[0] == texts[1]
    told = account_told(ledger.account("panel"), ledger)
    assert told.unchanged is not None and told.unchanged.epsilon.value == pytest.approx(1)
    assert ledger.noise_key("panel").key.hex() not in text_of(told)
    ledger.check()
