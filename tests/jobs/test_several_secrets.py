"""A whole table in one job: several secrets, one withheld, public columns, background, a unit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import leakgauge as lg
from leakgauge.artefacts import Audit, Job, Record, codec
from leakgauge.artefacts.request.roles import file_about
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.cli import main
from leakgauge.errors import ColumnError, OptionError, RefusalError, TableError
from leakgauge.jobs.protect import Done
from leakgauge.measures import background_floor
from leakgauge.probability import Scenario
from leakgauge.tables import open_table
from tests.cli.running import as_json, run
from tests.jobs.finished import Told

ROWS = 2400
ASKED: dict[str, Any] = {
    "secret": ["illness", "smoker"],
    "withhold": "drug",
    "public": ["city", "sex", "decade"],
    "background": "job",
    "unit": "person",
    "max_distortion": {"illness": 0.2, "smoker": 0.1},
    "simulate": 5,
}
TYPED = (
    *("--secret", "illness", "--secret", "smoker", "--withhold", "drug", "--public", "city", "--public", "sex"),
    *("--public", "decade", "--background", "job", "--unit", "person", "--simulate", "5"),
    *("--max-distortion", "illness=0.2", "--max-distortion", "smoker=0.1"),
)


def visits() -> pa.Table:
    """Every person comes twice; the drug tells the illness, and the job something of both."""
    draw = np.random.default_rng(3)
    people = ROWS // 2
    illness = draw.choice(["flu", "cold", "none"], people, p=[0.25, 0.25, 0.5])
    job = np.where(
        draw.random(people) < 0.3,
        np.where(illness == "flu", "nurse", "clerk"),
        draw.choice(["nurse", "clerk", "cook"], people),
    )
    columns: dict[str, Any] = {
        "person": [f"p{at}" for at in range(people)],
        "illness": illness,
        "drug": np.array([{"flu": "A", "cold": "B", "none": "-"}[one] for one in illness]),
        "smoker": draw.choice(["yes", "no"], people, p=[0.3, 0.7]),
        "job": job,
        "city": draw.choice(["A", "B"], people),
        "sex": draw.choice(["f", "m"], people),
        "decade": draw.choice(["1970s", "1980s", "1990s"], people),
    }
    return pa.table({name: np.repeat(values, 2) for name, values in columns.items()})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("visits") / "visits.csv"
    arrow_csv.write_csv(visits(), place)
    return place


@pytest.fixture(scope="module")
def steps() -> Told:
    """What Python is told of the job that the command line has finished."""
    return Told()


@pytest.fixture(scope="module")
def done(table: Path, steps: Told) -> Done:
    """Asked for on the command line, then in Python."""
    folder = table.with_name("out")
    assert main(["protect", str(table), *TYPED, "-o", str(folder)]) == 0
    return lg.protect(table, folder, **ASKED, progress=steps)


def test_every_secret_has_its_numbers_and_all_of_them_a_total(done: Done) -> None:
    assert [(one.secret, one.withheld) for one in done.job.secrets] == [
        (("illness",), False),
        (("smoker",), False),
        (("drug",), True),
    ]
    illness, smoker, drug = done.job.secrets
    for one in (illness, smoker, drug):
        assert one.leakage_after is not None and one.leakage_before is not None
        assert 0 <= one.leakage_after.ends[0] <= one.leakage_before.ends[1]
    # The drug says which illness it is, so what is released of the illness tells on it.
    assert drug.leakage_after is not None and drug.leakage_after.ends[0] > 0.2
    total = done.job.total
    assert total is not None
    assert total.information.ends[1] >= max(one.leakage_after.ends[0] for one in done.job.secrets if one.leakage_after)


def test_the_least_protected_secret_decides(done: Done) -> None:
    assert done.job.headline is not None and done.verdict is not None
    protection = {one.secret: one.scores.protection.ends[0] for one in done.job.secrets if one.scores is not None}
    assert set(protection) == {("illness",), ("smoker",), ("drug",)}
    assert done.job.headline.secret == min(protection, key=lambda secret: protection[secret])
    assert done.job.headline.scores == done.verdict.scores[done.verdict.deciding]


def test_what_is_released_and_what_is_not(done: Done) -> None:
    with open_table(str(done.folder / "release.csv")) as released:
        assert [one.name for one in released.columns()] == ["illness", "smoker", "city", "sex", "decade", "not_private"]
    assert done.job.withheld == ("person", "drug", "job")
    record = done.read(Record, "release.json")
    assert set(record.claims) == {"illness", "smoker"}


def test_the_attacker_sees_everything_that_leaves(done: Done) -> None:
    exposures = {one.secret: one for one in done.read(Audit, "audit.json").exposures}
    assert set(exposures) == {("illness",), ("smoker",), ("drug",)}
    roles = {
        name: role for one in exposures["illness",].columns for name, role in zip(one.columns, one.roles, strict=True)
    }
    assert roles == {
        "job": "background",
        "city": "public",
        "sex": "public",
        "decade": "public",
        "smoker": "protected",
        "illness": "own",
    }


def test_the_command_line_and_python_ask_for_the_same(done: Done, steps: Told) -> None:
    assert set(steps.states().values()) == {"kept"}
    # What the job would type is what was typed.
    assert [one.max_distortion for one in done.job.request.aims] == [0.2, 0.1]
    assert "--max-distortion illness=0.2 --max-distortion smoker=0.1" in done.job.command


def test_secrets_taken_together_go_through_one_channel(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "secret": ["illness", "smoker"],
        "together": True,
        "max_distortion": 0.2,
        "public": "city",
        "simulate": 1,
    }
    done = lg.protect(visits(), tmp_path / "out", **asked)
    (found,) = done.job.secrets
    assert found.secret == ("illness", "smoker")
    assert done.read(Record, "release.json").plan.columns["illness"].reads == ("illness", "smoker")
    assert (tmp_path / "out" / "channel.json").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"public": ["illness"]}, "'illness' is named both as secret and as public"),
        ({"public": ["drug"]}, "'drug' is named both as secret and as public"),
        ({"public": ["person"]}, "'person' is the unit, which is never released"),
        ({"unit": "illness"}, "'illness' is the unit"),
        ({"max_distortion": {"illness": 0.2, "smoker": 0.1, "city": 0.2}}, "given for 'city', which is not a secret"),
        ({"max_distortion": {"illness": 0.2}}, "No target is given for smoker"),
        ({"withhold": ["illness", "smoker"]}, "Every secret is withheld"),
        ({"accept_unique": "job"}, "'job', which is not public"),
        ({"unit": None, "rows_per_unit": 2}, "name the column that identifies persons"),
        ({"rows_per_unit": 0}, "0 rows per unit"),
        ({"secret": ["illness", "illness"]}, "named twice as secret"),
        ({"together": True}, "the secrets are taken together; give one number"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_one_sentence(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as told:
        lg.protect(visits(), tmp_path / "out", **{**ASKED, **change})
    assert says in str(told.value)
    assert not (tmp_path / "out").exists()


def test_a_unit_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match="did you mean 'person'"):
        lg.protect(visits(), tmp_path / "out", **{**ASKED, "unit": "persn"})


IDENTIFIERS = {
    "id": [str(at) for at in range(ROWS)],
    "姓名": [f"{'王李张刘陈'[at % 5]}{chr(0x4E00 + at % 600)}" for at in range(ROWS)],
    "name": [f"{first} {last}" for at in range(ROWS // 40) for first in "ABCDEFGHIJ" for last in (f"Xy{at}",) * 4],
    "手机号": [f"13{at // 2:09d}" for at in range(ROWS)],
    "contact": [f"p{at // 2}@example.org" for at in range(ROWS)],
    "plate": [f"京A{at // 3:05d}" for at in range(ROWS)],
    "note": [f"came in on day {at % 9} and felt rather unwell" for at in range(ROWS)],
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_refused_by_name_before_anything_is_written_or_spent(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, ledger = tmp_path / "people.csv", tmp_path / "budget.sqlite"
    arrow_csv.write_csv(visits().select(["illness"]).append_column(name, pa.array(IDENTIFIERS[name])), place)
    assert run(capsys, "ledger", "open", ledger, "--dataset", "people", "--epsilon", "10")[0] == 0
    typed = ("protect", place, "--secret", "illness", "--public", name, "--mechanism", "randomized-response:epsilon=1")
    code, out, said = run(capsys, *typed, "--ledger", ledger, "--dataset", "people", "-o", tmp_path / "out")
    assert (code, out) == (1, "")
    assert f"to be published: {name} (" in said and "--accept-unique" in said
    assert not (tmp_path / "out").exists()
    assert as_json(capsys, "ledger", "show", ledger)[1]["accounts"][0]["entries"] == []


def test_an_identifier_that_is_accepted_is_published(tmp_path: Path) -> None:
    table = visits().select(["illness"]).append_column("id", pa.array(IDENTIFIERS["id"]))
    asked: dict[str, Any] = {"secret": "illness", "public": "id", "max_distortion": 0.2, "simulate": 1}
    with pytest.raises(RefusalError, match=r"id \(nearly all values are unique\)"):
        lg.protect(table, tmp_path / "out", **asked)
    done = lg.protect(table, tmp_path / "out", **asked, accept_unique="id")
    assert done.released


def test_a_policy_judges_who_stands_alone(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    table = visits().select(["illness"])
    for name in ("left", "right"):
        table = table.append_column(name, pa.array(draw.integers(0, 50, ROWS)))
    (tmp_path / "policy.toml").write_text("max_alone = 0.05\n", encoding="utf-8")
    asked: dict[str, Any] = {"secret": "illness", "public": ["left", "right"], "max_distortion": 0.2, "simulate": 1}
    with pytest.raises(
        RefusalError, match="rows are unique in the public columns left, right, but the policy allows 5"
    ):
        lg.protect(table, tmp_path / "out", **asked, policy=tmp_path / "policy.toml")
    assert not (tmp_path / "out").exists()


def test_a_background_that_determines_the_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Whoever knows drug already knows illness"):
        lg.protect(visits(), tmp_path / "out", secret="illness", background="drug", max_distortion=0.2)
    assert not (tmp_path / "out").exists()


def test_a_secret_with_too_many_values_is_refused_at_once(tmp_path: Path) -> None:
    table = pa.table({"cost": np.arange(3000) * 1.5, "city": ["A", "B"] * 1500})
    with pytest.raises(OptionError, match="cost has 3000 values, more than the 1000"):
        lg.protect(table, tmp_path / "out", secret="cost", max_distortion=0.2)
    done = lg.protect(table, tmp_path / "out", secret="cost", bins="cost=quantiles:5", max_distortion=0.2, simulate=1)
    assert done.released


def test_names_with_an_equals_sign(tmp_path: Path) -> None:
    table = visits().rename_columns(["a=b" if name == "illness" else name for name in visits().column_names])
    place = tmp_path / "people.csv"
    arrow_csv.write_csv(table, place)
    typed = ["protect", str(place), "--secret", "a=b", "--max-distortion", "a=b=0.2", "--simulate", "1"]
    assert main([*typed, "-o", str(tmp_path / "out")]) == 0
    asked = json.loads((tmp_path / "out" / "job.json").read_text(encoding="utf-8"))["asked"]
    assert asked["max_distortion"] == 0.2


@pytest.mark.parametrize(
    ("secrets", "files"),
    [
        (["illness"], ["channel.json"]),
        (["illness", "smoker"], ["channel-illness.json", "channel-smoker.json"]),
        (["疾病", "a b/c"], ["channel-疾病.json", "channel-a-b-c.json"]),
        (["a", "A"], ["channel-1.json", "channel-2.json"]),
        (["!", "1"], ["channel-1.json", "channel-2.json"]),
        (["病" * 60, "b"], ["channel-1.json", "channel-2.json"]),
    ],
    ids=str,
)
def test_the_files_of_each_secret(secrets: list[str], files: list[str]) -> None:
    asked = lg.Request.of("t.csv", secret=tuple(secrets), max_distortion=0.2)
    assert [file_about("channel.json", group, asked.roles.sources) for group in asked.roles.sources] == files


def test_a_limit_in_bits_counts_everything_that_leaves(tmp_path: Path) -> None:
    # Two columns that say the same: what is released of one tells on the other.
    twins = visits().select(["illness"]).append_column("again", visits().column("illness"))
    asked: dict[str, Any] = {"secret": ["illness", "again"], "max_leakage": 0.3, "simulate": 1}
    done = lg.protect(twins, tmp_path / "out", **asked)
    with pytest.raises(RefusalError, match=r"bits of illness, but 0\.3 are allowed"):
        done.require()
    alone = lg.protect(twins, tmp_path / "alone", secret="illness", max_leakage=0.3, simulate=1)
    alone.require()


def test_a_background_that_nobody_shares_does_not_make_the_secret_go_out(tmp_path: Path) -> None:
    table = visits().append_column("id", pa.array(IDENTIFIERS["id"]))
    done = lg.protect(table, tmp_path / "out", secret="illness", background="id", max_distortion=0.1, simulate=1)
    assert done.job.headline is not None and done.job.headline.unchanged is not None
    assert done.job.headline.unchanged.value == pytest.approx(0.9, abs=1e-6)
    # What the background tells is enclosed, not counted.
    assert not done.job.headline.floor_exact


def test_too_few_rows_per_unit_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="'person' has 2 rows, but 1 are declared"):
        lg.protect(visits(), tmp_path / "out", **{**ASKED, "rows_per_unit": 1})
    assert not (tmp_path / "out").exists()


def test_the_epsilon_of_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "visits.csv"
    arrow_csv.write_csv(visits(), place)
    typed = (
        "--secret",
        "illness",
        "--mechanism",
        "randomized-response:epsilon=0.5",
        "--unit",
        "person",
        "--simulate",
        "1",
    )
    code, out, _ = run(capsys, "protect", place, *typed, "--rows-per-unit", "2", "-o", tmp_path / "out")
    assert code == 0
    assert "Guarantee for one person" in " ".join(out.split()) and "nats" not in out


def test_a_target_for_another_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="given for 'city', which is not a secret"):
        lg.protect(visits(), tmp_path / "out", secret="illness", public="city", max_distortion={"city": 0.3})


def test_a_withheld_secret_that_is_told_completely_decides(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"secret": "smoker", "withhold": "illness", "public": "drug", "max_distortion": 0.2}
    done = lg.protect(visits(), tmp_path / "out", **asked, simulate=1)
    assert done.verdict is not None and done.verdict.deciding == "illness"
    assert done.verdict.recommendation is Recommendation.DO_NOT_RELEASE and done.verdict.protection.value < 1


def test_the_bits_of_a_number_are_of_all_its_values(tmp_path: Path) -> None:
    salary = np.tile(np.arange(60), 60)
    table = pa.table({"salary": salary, "ill": ["yes", "no", "no"] * 1200, "band": [f"b{one}" for one in salary]})
    asked: dict[str, Any] = {"secret": "ill", "withhold": "salary", "public": "band", "max_distortion": 0.2}
    done = lg.protect(table, tmp_path / "out", **asked, simulate=1)
    _, withheld = done.job.secrets
    assert withheld.leakage_after is not None and withheld.leakage_before is not None
    assert withheld.leakage_after.ends[1] >= withheld.leakage_before.value - 1e-9


def test_the_headline_epsilon_is_of_all_protected_columns(done: Done) -> None:
    record = done.read(Record, "release.json")
    assert done.job.headline is not None and done.job.headline.epsilon is not None
    assert done.job.headline.epsilon.value == record.together["dp"].value


def test_what_a_noisy_secret_tells_on_a_withheld_one_is_exact_by_its_law(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    table = pa.table({"s": draw.choice(["a", "b"], 1000), "p": draw.choice(["x", "y"], 1000)})
    done = lg.protect(table, tmp_path / "out", secret="s", withhold="p", local_dp=0.1, simulate=1)
    _, withheld = done.job.secrets
    assert withheld.exact and withheld.leakage_after is not None and done.job.total is not None
    # Noise tells less than the column itself would, and one secret less than both.
    joint = open_table(table).counts("p", "s").joint(("p",), ("s",))
    assert withheld.leakage_after.value <= background_floor(Scenario(joint)) + 1e-12
    assert withheld.leakage_after.value <= done.job.total.information.ends[1] + 1e-12


def test_a_finished_job_is_read_again(done: Done) -> None:
    assert codec.read(Job, done.folder / "job.json") == done.job
