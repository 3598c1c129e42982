"""A mechanism is added by one file, one line of the catalogue and one row of the reference: here is one more.

Everything below reaches it through the catalogue alone: no room names it, or asks what it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import leakgauge as lg
from leakgauge.artefacts import Audit
from leakgauge.claims import LocalDP
from leakgauge.cli import main
from leakgauge.mechanisms import CATALOGUE, Mechanism, spelled
from leakgauge.mechanisms.mechanism import Capabilities, Inputs, Law, Outputs
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.tables import Kind

pytestmark = pytest.mark.usefixtures("undrawn")

# --- the one file -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NextLetterLaw(Law):
    """The own letter, or with e^−ε times its probability each of the others."""

    count: int
    epsilon: float

    @property
    def own(self) -> float:
        return 1 / (1 + (self.count - 1) * math.exp(-self.epsilon))

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        words = randomness.words(2 * len(inputs)).reshape(2, -1)
        own = (words[0] >> np.uint64(11)) < np.uint64(round(self.own * 2**53))
        away = 1 + (words[1] % np.uint64(self.count - 1)).astype(np.int64)
        return np.where(own, inputs, (inputs + away) % self.count)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        return np.where(np.equal.outer(inputs, outputs), 0.0, -self.epsilon)


@dataclass(frozen=True)
class NextLetter(Mechanism):
    law: NextLetterLaw

    @property
    def letters(self) -> tuple[Label, ...]:
        letters = self.parameters["letters"]
        assert isinstance(letters, tuple)
        return letters

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(columns=tuple(Kind), finite=True, values=len(self.letters))

    def channel(self) -> Channel:
        places = np.arange(len(self.letters))
        weights = np.exp(self.law.scores(places, places))
        return Channel(self.letters, self.letters, weights / weights.sum(axis=1, keepdims=True))

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[Label]:
        rows = np.array([self.code(value) for value in values])
        return [self.letters[at] for at in self.law.draw(rows, randomness)]


def next_letter(epsilon: float, *, letters: Iterable[Label]) -> NextLetter:
    known = tuple(letters)
    law = NextLetterLaw(len(known), epsilon)
    return NextLetter("next-letter", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), law)


# --- what the rest of the house makes of it ---------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "next-letter", next_letter)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    illnesses, cities = ["flu", "flu", "none", "cold", "none"], ["north", "north", "south"]
    table = tmp_path / "people.csv"
    table.write_text("illness,city\n" + "".join(f"{illnesses[at % 5]},{cities[at % 3]}\n" for at in range(600)))
    return table


def test_it_is_spelled() -> None:
    mechanism = lg.mechanisms.parse_mechanism("next-letter:epsilon=1.5,letters=a|b|c")
    assert spelled(mechanism) == "next-letter:epsilon=1.5,letters=a|b|c"
    assert mechanism.claims == (LocalDP(1.5),)


def test_it_is_compared(people: Path) -> None:
    found = lg.compare(
        people, ["next-letter:epsilon=2", "randomized-response:epsilon=2"], secret="illness", max_distortion=0.5
    )
    by_name = {one.mechanism.partition(":")[0]: one for one in found.ranking}
    assert by_name["next-letter"].objective == pytest.approx(by_name["randomized-response"].objective, abs=1e-9)


def test_it_protects_a_table_from_release_to_report(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = lg.protect(people, out, secret="illness", public="city", mechanism="next-letter:epsilon=1")
    assert done.released
    audit = done.read(Audit, "audit.json")
    assert audit.attacks
    assert "next-letter:epsilon=1" in (out / "release.json").read_text()
    assert main(["verify", str(out / "release.json")]) == 0
    assert (out / "report.html").is_file()


def test_its_outputs_are_audited(capsys: pytest.CaptureFixture[str]) -> None:
    spelling = "next-letter:epsilon=1,letters=a|b|c"
    assert main(["audit", spelling, "--samples", "40000", "--simulate", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert 0.9 < found["epsilon_lower_bound"]["value"] <= 1


def test_its_budget_is_kept(people: Path, tmp_path: Path) -> None:
    ledger, plan = tmp_path / "book.ledger", tmp_path / "plan.toml"
    plan.write_text('[columns]\nillness = "next-letter:epsilon=0.5,letters=flu|none|cold"\n')
    assert main(["ledger", "open", str(ledger), "--dataset", "people", "--epsilon", "2"]) == 0
    command = ["release", str(people), "--plan", str(plan), "-o", str(tmp_path / "out.csv"), "--ledger", str(ledger)]
    assert main([*command, "--dataset", "people"]) == 0
