"""Releases, answers, ledgers, audits and assessments told in English and in Chinese."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from leakgauge.artefacts.codec import digest_of
from leakgauge.cli import main
from tests.cli.running import run
from tests.cli.words import HALF_WIDTH

PLAN = """public = ["city"]
[columns]
illness = "randomized-response:epsilon=1,letters=flu|none|cold"
age = "laplace:epsilon=1,lower=0,upper=100"
"""
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4 office\n"
WEAK = '[columns]\nillness = "randomized-response:epsilon=6,letters=this-table"\n'
NUMBER = re.compile(r"(?:(?<=[\s\[±])[-+])?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
DIGEST = re.compile(r"\b[0-9a-f]{16,64}\b")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENGLISH_LEFT = re.compile(r"\b[A-Za-z]{3,}(?: [A-Za-z]{3,})+\b")
QUOTED = re.compile(r"'[^'\n]*'")
TYPED = re.compile(r"^  leakgauge .*$", re.M)


def _quietly(*arguments: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return main(list(arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 1000 people with releases, a ledger, audits and assessments of it, and one record that lies."""
    place = tmp_path_factory.mktemp("languages")
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(1000))
    with contextlib.chdir(place):
        Path("people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
        Path("plan.toml").write_text(PLAN)
        Path("weak.toml").write_text(WEAK)
        Path("bell.toml").write_text('[columns]\nage = "gaussian:epsilon=1,delta=1e-6,lower=0,upper=100"\n')
        Path("policy.toml").write_text('max_epsilon = 1\nmin_usefulness = 90\ndeclared = ["purpose"]\n')
        answers = [f"p{person},{leaf},{1 + person % 5}" for person in range(8) for leaf in ("14", "15", "19")]
        Path("answers.csv").write_text("\n".join(["respondent,leaf,answer", *answers]) + "\n")
        for arguments in (
            ("ledger", "open", "people.ledger", "--dataset", "people", "--epsilon", "9", "--delta", "1e-6"),
            ("ledger", "open", "people.ledger", "--dataset", "visits", "--rho", "0.1", "--unit", "one value of 'x'"),
            ("ledger", "open", "people.ledger", "--dataset", "free", "--unlimited", "--neighbours", "add-or-remove"),
            ("release", "people.csv", "--plan", "plan.toml", "--ledger", "people.ledger", "-o", "paid.csv"),
            ("query", "people.csv", "count", "--where", "city=A", "--epsilon", "1", "--ledger", "people.ledger"),
            ("release", "people.csv", "--plan", "plan.toml", "--simulate", "1", "-o", "seeded.csv"),
            ("release", "people.csv", "--plan", "weak.toml", "--simulate", "1", "-o", "weak.csv"),
            ("audit", "seeded.csv.json", "--original", "people.csv", "-o", "audit.json"),
            ("audit", "weak.csv.json", "--original", "people.csv", "-o", "weak_audit.json"),
            ("assess", "seeded.csv.json", "audit.json", "--original", "people.csv", "-o", "seeded.json"),
            ("assess", "weak.csv.json", "weak_audit.json", "--original", "people.csv", "-o", "weak.json"),
        ):
            assert _quietly(*arguments) == 0, arguments
        record = json.loads(Path("paid.csv.json").read_text())
        record["claims"]["illness"]["levels"]["local-dp"]["value"] = 0.1
        record["rows"] = 999
        Path("lying.json").write_text(json.dumps({**record, "digest": digest_of(record)}))
        Path("office.pub").write_text(PUBLIC_KEY)
        record = json.loads(Path("seeded.csv.json").read_text())
        record["private"] = True
        record["plan"]["columns"]["illness"]["epsilon"] = 1.5
        record["plan"]["columns"]["age"]["mechanism"] = "laplace:epsilon=1,lower=0,upper=100,grid=1024"
        record["claims"]["city"] = record["claims"]["age"]
        Path("forged.json").write_text(json.dumps({**record, "digest": digest_of(record)}))
        record["output"]["file"] = "/people.csv"
        Path("leading.json").write_text(json.dumps({**record, "digest": digest_of(record)}))
        record["certified"] = True
        Path("certified.json").write_text(json.dumps({**record, "digest": digest_of(record)}))
    return place


DRY_RELEASE = ("release", "people.csv", "--plan", "plan.toml", "--ledger", "people.ledger", "--dry-run")
COUNT = ("query", "people.csv", "count", "--where", "city=A", "--epsilon")
MEAN = ("query", "people.csv", "mean", "--column", "age", "--lower", "0", "--upper", "120", "--epsilon", "1")
HISTOGRAM = ("query", "people.csv", "histogram", "--column", "illness", "--labels", "flu|none|(missing)")
SEEDED = ("assess", "seeded.csv.json", "audit.json", "--original", "people.csv", "--stored", "seeded.json")
ILLNESS = ("assess", "weak.csv.json", "weak_audit.json", "--original", "people.csv", "--stored", "weak.json")
IMPROVE = ("improve", "people.csv", "--secret", "illness", "--min-protection")
SAME_BYTES = [
    DRY_RELEASE,
    (*COUNT, "1", "--simulate", "1"),
    (*COUNT, "1", "--dry-run", "--ledger", "people.ledger"),
    ("ledger", "show", "people.ledger"),
    ("ledger", "check", "people.ledger"),
    ("verify", "paid.csv.json", "--ledger", "people.ledger"),
    ("audit", "laplace:epsilon=1,sensitivity=1", "--simulate", "1", "--samples", "4000"),
    ("audit", "weak.csv.json", "--original", "people.csv", "--background", "city"),
    (*SEEDED, "--questionnaire", "answers.csv"),
    (*IMPROVE, "60"),
]
"""Verbs whose JSON says nothing of when they ran."""
TOLD = [
    *SAME_BYTES,
    ("release", "people.csv", "--plan", "plan.toml", "--simulate", "1", "--overwrite", "-o", "again.csv"),
    ("release", "people.csv", "--plan", "weak.toml", "--overwrite", "-o", "again.parquet"),
    ("release", "people.csv", "--plan", "bell.toml", "--simulate", "1", "--overwrite", "-o", "bell.csv"),
    (*MEAN, "--simulate", "1", "--unit", "city", "--rows-per-unit", "3"),
    (*MEAN, "--simulate", "1", "--delta", "1e-6"),
    (*HISTOGRAM, "--epsilon", "1", "--simulate", "1"),
    ("query", "people.csv", "sum", *MEAN[3:], "--simulate", "1"),
    ("query", "people.csv", "quantile", *MEAN[3:], "--simulate", "1"),
    ("query", "people.csv", "top", *HISTOGRAM[3:5], "--labels", "flu|none", "--epsilon", "1", "--simulate", "1"),
    (*COUNT, "100", "--dry-run", "--ledger", "people.ledger"),
    ("verify", "lying.json"),
    ("verify", "seeded.csv.json"),
    ("verify", "forged.json"),
    ("verify", "leading.json"),
    ("verify", "certified.json"),
    ("verify", "paid.csv.json", "--signed-by", "office.pub"),
    ("audit", "forged.json", "--original", "people.csv", "--secret", "illness"),
    ("audit", "randomized-response:epsilon=3,letters=a|b|c", "--claim", "local-dp:1", "--simulate", "1"),
    ("audit", "seeded.csv.json", "--original", "people.csv", "--secret", "age"),
    ("audit", "lying.json", "--original", "people.csv", "--secret", "illness"),
    (*SEEDED, "--policy", "policy.toml"),
    (*ILLNESS, "--policy", "policy.toml", "--diagram", "paper", "--fuzzy", "paper-b"),
    (*IMPROVE, "99", "--min-usefulness", "90"),
]


@pytest.mark.parametrize("arguments", TOLD, ids=" ".join)
def test_the_same_numbers_and_no_english_sentence(
    arguments: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    # No cell is folded within a number.
    monkeypatch.setenv("COLUMNS", "300")
    code, *parts = run(capsys, *arguments, "--language", "en")
    english = "".join(parts)
    again, *parts = run(capsys, *arguments, "--language", "zh")
    chinese = "".join(parts)
    assert (code, CHINESE.search(english)) == (again, None)
    assert CHINESE.search(chinese)
    assert ENGLISH_LEFT.search(english)
    assert _numbers(chinese) == _numbers(english)
    # Purposes are stored as texts, and shown as they are.
    told = TYPED.sub("", QUOTED.sub("", chinese.replace("count under a condition on", "")))
    assert ENGLISH_LEFT.findall(told) == []
    assert HALF_WIDTH.findall(chinese) == []


def _numbers(text: str) -> Counter[str]:
    # Digests of records made at two times differ.
    return Counter(NUMBER.findall(DIGEST.sub("", text)))


@pytest.mark.parametrize("arguments", SAME_BYTES, ids=" ".join)
def test_json_is_the_same_in_both_languages(
    arguments: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    english, chinese = (run(capsys, *arguments, "--json", "--language", code)[:2] for code in ("en", "zh"))
    assert json.loads(english[1])["schema"].startswith("leakgauge/")
    assert chinese == english


def test_an_account_is_opened_in_either_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for code in ("en", "zh"):
        ledger = str(tmp_path / f"{code}.ledger")
        _, told[code], _ = run(
            capsys, "ledger", "open", ledger, "--dataset", "public", "--epsilon", "2", "--language", code
        )
    assert told["en"].startswith("public: limit ε = 2, protects one row")
    # The name of a data set is nobody's word but the user's.
    assert told["zh"].startswith("public：上限 ε = 2")
    assert _numbers(told["zh"]) == _numbers(told["en"])
    assert not ENGLISH_LEFT.search(told["zh"])


def test_names_of_columns_and_values_are_not_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns and values may be named like words that are translated elsewhere."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{('good', 'none', 'poor')[at % 3]},{at % 40}" for at in range(400)]
    Path("words.csv").write_text("\n".join(["privacy,score", *lines]) + "\n")
    Path("plan.toml").write_text('[columns]\nprivacy = "randomized-response:epsilon=1,letters=good|none|poor"\n')
    spoken = ("--language", "zh")
    _, out, _ = run(capsys, "release", "words.csv", "--plan", "plan.toml", "--simulate", "1", "-o", "out.csv", *spoken)
    assert "│ privacy" in out
    _, out, _ = run(capsys, "verify", "out.csv.json", *spoken)
    assert "privacy 的保证" in out
    labels = ("--column", "privacy", "--labels", "good|none", "--epsilon", "1", "--simulate", "1")
    _, out, _ = run(capsys, "query", "words.csv", "histogram", *labels, *spoken)
    assert all(word in out for word in ("privacy 的直方图", "│ good", "│ none", "（其他）"))
    _, out, _ = run(capsys, "audit", "out.csv.json", "--original", "words.csv", *spoken)
    assert "│ privacy" in out
    _, out, _ = run(capsys, "query", "words.csv", "mean", "--column", "score", *MEAN[5:], "--simulate", "1", *spoken)
    assert "score 的均值" in out


def test_a_record_that_was_changed_is_told_with_its_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason of a check may be an error's sentence, which has lost its full stop."""
    monkeypatch.chdir(folder)
    record = json.loads(Path("paid.csv.json").read_text())
    Path("changed.json").write_text(json.dumps({**record, "rows": 998}))
    code, out, err = run(capsys, "verify", "changed.json", "--language", "zh")
    assert code == 1
    for text in (out, err):
        assert "changed.json" in text
        assert not ENGLISH_LEFT.search(text)
    code, out, err = run(capsys, "verify", "changed.json", "--language", "en")
    assert code == 1
    assert "was changed: its digest does not match its fields" in " ".join(out.split())


def test_what_is_said_beside_the_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code, _, err = run(capsys, *COUNT, "1", "--language", "zh")
    assert (code, err) == (0, "未指定 --ledger：没有台账将本次回答计入隐私预算。\n")
    assert run(capsys, "assess", "--template", "asked.csv", "--language", "zh") == (0, "已写入 asked.csv。\n", "")
