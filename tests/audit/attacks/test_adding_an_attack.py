"""Another attack is a module, a line of the catalogue and a row of the reference; nothing else names it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import leakgauge
from leakgauge.artefacts import Audit, Finding, Sentence
from leakgauge.artefacts.codec import encode, read, write
from leakgauge.assessment.indicators.protected import protected_column
from leakgauge.audit import ATTACKS
from leakgauge.audit.attacks.attack import (
    Aim,
    Anchors,
    Attack,
    confidence_against_claims,
    independent_advantage,
    raw_advantage,
    scored,
)
from leakgauge.audit.attacks.attribute_inference import Knowledge
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.case.drawn import Drawn
from leakgauge.jobs.audit import audit_release
from leakgauge.mechanisms import randomized_response
from leakgauge.notions.ceilings import ceiling
from leakgauge.randomness import Simulated
from leakgauge.tables import open_table
from tests.audit.attacks.cases import RESPONSE, people, released

SOURCE = Path(leakgauge.__file__).parent
LETTERS = [f"illness {at}" for at in range(5)]
REFERENCE = SOURCE.parents[1] / "docs" / "concepts" / "audits.md"


def trusting(drawn: Drawn) -> tuple[Finding, ...]:
    """A toy: whatever was released is taken for the secret, by the number of its letter."""
    findings = []
    for secret in drawn.released_secrets:
        best = Knowledge.of(drawn.background, secret.letters, secret.column.inputs).best_without()
        without = best.guesses(drawn.background) == secret.letters
        letter_of = dict(zip(secret.column.inputs.tolist(), secret.letters.tolist(), strict=True))
        letters = np.array([letter_of[output] for output in secret.column.outputs.tolist()])
        shuffled = letters[drawn.draws().permutation(drawn.rows)]
        findings.append(
            scored(letters == secret.letters, without).finding(
                TRUSTING,
                drawn,
                secret.names,
                drawn.knows,
                Anchors(
                    independent_advantage(shuffled == secret.letters, without, drawn.draws(), drawn.confidence),
                    raw_advantage(without, drawn.confidence),
                    ceiling(secret.column.promises, best.share, best.letters, best.rows),
                ),
            )
        )
    return tuple(findings)


TRUSTING = Attack(Sentence("trusting guess"), Sentence("the released value is the secret"), Aim.SECRET, trusting)


def test_an_attack_of_the_catalogue_takes_part_in_an_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_table(people(600))
    made = released(table, {"illness": RESPONSE.format(epsilon=2)}, tmp_path)
    before = audit_release(made, table, targets=100)
    monkeypatch.setitem(ATTACKS, "trusting-guess", TRUSTING)
    audit = audit_release(made, table, targets=100)
    assert audit.attacks[:-1] == before.attacks
    found = audit.attacks[-1]
    assert attack_of(found.attack) is TRUSTING and str(found.method) == "the released value is the secret"
    assert found.judged and not found.beats_claim and found.advantage.value > 0.2 and 0 in found.independent
    write(tmp_path / "audit.json", audit)
    assert read(Audit, tmp_path / "audit.json").attacks[-1] == found
    assert encode(audit)["attacks"][-1]["attack"] == "trusting guess"


def test_it_shares_the_miss_and_is_tried_where_a_column_is_assessed(monkeypatch: pytest.MonkeyPatch) -> None:
    column = protected_column(
        open_table(people(600)), "illness", randomized_response(2.0, letters=LETTERS), Simulated(1)
    )
    assert column.drawn is not None
    alone = confidence_against_claims(column.drawn)
    monkeypatch.setitem(ATTACKS, "trusting-guess", TRUSTING)
    assert (1 - alone) * 5 == pytest.approx((1 - confidence_against_claims(column.drawn)) * 6)


def test_no_other_module_names_an_attack() -> None:
    modules = [SOURCE / "audit" / "attacks" / f"{name.replace('-', '_')}.py" for name in ATTACKS]
    allowed = {*modules, SOURCE / "audit" / "attacks" / "catalogue.py"}
    names = re.compile("|".join(name.replace("-", "[-_ ]") for name in ATTACKS), re.IGNORECASE)
    assert all(module.is_file() for module in modules)
    # What may happen to people has names in law, one of which is that of an attack too.
    risks = {path for path in SOURCE.rglob("*.py") if "risks" in path.read_text(encoding="utf-8")}
    others = [path for path in SOURCE.rglob("*.py") if path not in allowed | risks]
    assert [str(path) for path in others if names.search(path.read_text(encoding="utf-8"))] == []


def test_every_attack_has_its_row_in_the_reference() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == list(ATTACKS)
