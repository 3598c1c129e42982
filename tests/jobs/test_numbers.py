"""Numbers and dates as secrets, from the table to what is handed out: bins, errors, bounds."""

from __future__ import annotations

import csv
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from leakgauge.artefacts import Measurement, Record, Request, Utility
from leakgauge.design.certificate import not_reached
from leakgauge.distances.centres import centres
from leakgauge.errors import ColumnError, OptionError, RefusalError
from leakgauge.jobs.protect import Done, choice, protect
from leakgauge.jobs.protect.earlier import earlier_job
from leakgauge.measures.shannon import entropy
from leakgauge.release import verify
from leakgauge.release.guarantees import said_of_bins
from leakgauge.tables import in_bins, open_table, parse_binning
from tests.cli.running import run
from tests.jobs.stubs import stubbed
from tests.release.people import places

ROWS, WITHIN, UPPER = 1400, 600.0, 45


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stays in a hospital cost, with about as many different costs as rows; a few are not known."""
    place, draw = tmp_path_factory.mktemp("stays") / "stays.csv", np.random.default_rng(11)
    costs, nights = draw.lognormal(7, 1, ROWS).round(2), draw.integers(0, 61, ROWS)
    with place.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["cost", "nights", "admitted"])
        for at in range(ROWS):
            day = date(2021, 1, 1) + timedelta(days=int(draw.integers(0, 700)))
            lines.writerow([costs[at] if at % 50 else "", nights[at], day])
    return place


@pytest.fixture(scope="module")
def done(stays: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return protect(
        stays,
        tmp_path_factory.mktemp("job") / "out",
        secret=["cost", "nights"],
        public=["admitted"],
        bins=["admitted=auto"],
        within={"cost": WITHIN},
        mechanism=[f"nights=laplace:epsilon=1,lower=0,upper={UPPER}"],
        clamp=True,
        simulate=4,
    )


def column(place: Path, name: str) -> list[str]:
    with place.open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def test_the_file_holds_the_bins_that_were_measured(done: Done, stays: Path) -> None:
    record = done.read(Record, "release.json")
    assert {name: one.learnt.asked for name, one in record.plan.bins.items() if one.learnt} == {
        "cost": "auto:600:50",
        "admitted": "auto",
    }
    bins = {name: parse_binning(one.binning) for name, one in record.plan.bins.items()}
    assert record.plan.bins["admitted"].binning == "month"
    with open_table(stays) as table:
        binned = in_bins(table, bins)
        for name in bins:
            known = {"" if label is None else str(label) for label in binned.counts(name).labels(name)}
            assert set(column(done.folder / "release.csv", name)) <= known
        shares = binned.counts("cost").distribution("cost")
    assert len(shares.outcomes) > 15 and None in shares.outcomes
    measured = done.read(Measurement, "measurement-cost.json")
    assert measured.entropy.value == pytest.approx(entropy(shares))
    assert measured.letters["secret"] == len(shares.outcomes)
    said = " ".join(str(one) for one in said_of_bins(record.plan))
    assert "The bins of admitted were chosen for this table: one for each month." in said
    assert f"The bins of cost were chosen for this table: {len(shares.outcomes) - 1}, with edges from" in said


def test_the_error_is_promised_and_measured_in_the_unit_of_the_column(done: Done, stays: Path) -> None:
    worth = done.read(Utility, "utility-cost.json")
    found = worth.numbers["cost"]
    assert found.allowed is not None and found.allowed.value == WITHIN
    assert found.promised is not None and 0.99 * WITHIN < found.promised.value <= WITHIN * (1 + 1e-9)
    # By hand, with the centres of the bins that were released.
    true, shown = column(stays, "cost"), column(done.folder / "release.csv", "cost")
    released = [shown[at] for at in places(done.folder / "release.json")]
    with open_table(stays) as table:
        how = parse_binning(done.read(Record, "release.json").plan.bins["cost"].binning)
        labels = table.counts("cost", bins={"cost": how}).labels("cost")
    middles = centres(labels)
    place = {"" if label is None else str(label): float(at) for label, at in zip(labels, middles, strict=True)}
    largest = float(np.nanmax(middles) - np.nanmin(middles))
    errors = [
        largest * (x != y) if "" in (x, y) else abs(float(x) - place[y]) for x, y in zip(true, released, strict=True)
    ]
    # A mean over those who have a number: missing ones, mostly released as missing, must not make it look smaller.
    assert found.measured.value == pytest.approx(sum(errors) / sum(x != "" for x in true))
    # The triangle inequality makes it a bound; how a draw strays from the mean is far less than what it leaves.
    assert found.measured.value < WITHIN


def test_clamped_numbers_stay_within_their_declared_bounds(done: Done) -> None:
    released = [float(one) for one in column(done.folder / "release.csv", "nights")]
    assert min(released) == 0 and max(released) <= UPPER and max(released) > UPPER - 1
    assert verify(done.folder / "release.json").holds
    record = done.read(Record, "release.json")
    assert record.plan.columns["nights"].mechanism.endswith("clamp=yes")
    assert record.claims["nights"].levels["local-dp"].value == 1
    found = done.read(Utility, "utility-nights.json").numbers["nights"]
    assert found.clamped and found.beyond is not None and found.released_beyond is not None
    assert 0.15 < found.beyond.value < 0.35 and 0.5 < found.released_beyond.value < 0.8
    assert 'clamp = ["nights"]' in (done.folder / "plan.toml").read_text(encoding="utf-8")


def test_the_report_says_it_and_the_one_to_hand_out_only_what_was_declared(done: Done) -> None:
    report = (done.folder / "report.html").read_text(encoding="utf-8")
    assert "Mean error of released numbers" in report and "Bounds of released numbers" in report
    handed_out = (done.folder / "report-external.html").read_text(encoding="utf-8")
    measured = done.read(Utility, "utility-cost.json").numbers["cost"].measured.value
    # As a number of its own, not within a digest.
    told = re.compile(rf"(?<![\w.]){re.escape(f'{measured:.3g}')}(?![\w.])")
    assert told.search(report) and not told.search(handed_out)


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        ({"max_distortion": 0.2}, OptionError, "more than the 1000.*--bins cost=auto, which means cost=edges:"),
        ({"within": 1.0}, RefusalError, "Even the finest automatic bins of cost move values by"),
        ({"within": 500, "bins": ["cost=width:20000"]}, RefusalError, "but 500 is allowed; use finer bins"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(
    stays: Path, tmp_path: Path, asked: dict[str, Any], kind: type[Exception], words: str
) -> None:
    stages: list[str] = []
    with pytest.raises(kind, match=words):
        protect(stays, tmp_path / "out", secret="cost", progress=lambda event: stages.append(event.stage), **asked)
    assert not stages and not (tmp_path / "out").exists()


def test_an_error_of_text_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("illness\n" + "flu\nnone\n" * 20, encoding="utf-8")
    with pytest.raises(ColumnError, match="holds text, but --within needs numbers or dates"):
        protect(table, tmp_path / "out", secret="illness", within=1)
    with pytest.raises(OptionError, match="no --mechanism here adds noise"):
        protect(table, tmp_path / "out", secret="illness", mechanism=["randomized-response:epsilon=1"], clamp=True)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"within": 0.0}, "--within 0.0 is not a finite number above 0"),
        ({"within": {"price": 5.0}}, "--within is given for 'price'"),
        ({"within": 5.0, "max_distortion": 0.1}, "Two targets are given for cost"),
        ({"within": {"cost": 5.0}, "max_leakage": {"cost": 0.1}}, "Two targets are given for cost"),
        ({"within": 5.0, "distortion": ("squared",)}, "--within is a mean absolute error"),
        ({"within": 5.0, "mechanism": ("laplace:epsilon=1,lower=0,upper=9",)}, "leave one of them out"),
        ({"within": 5.0, "accounted": 1.0, "ledger": "x"}, "which --accounted protects"),
    ],
)
def test_an_error_to_bear_goes_with_no_other_aim(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Request.of(table="t.csv", secret=("cost",), **asked)


def test_several_secrets_may_have_aims_of_their_own() -> None:
    asked = Request.of(table="t.csv", secret=("cost", "illness"), within={"cost": 5.0}, max_distortion={"illness": 0.2})
    cost, illness = asked.aims
    assert (cost.within, cost.distortion, cost.max_distortion) == (5.0, "absolute", None)
    assert (illness.within, illness.distortion, illness.max_distortion) == (None, "hamming", 0.2)
    with pytest.raises(OptionError, match="taken together"):
        Request.of(table="t.csv", secret=("cost", "illness"), together=True, within=5.0)


def test_what_is_not_proved_is_left_out_or_refused(
    stays: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unproved(*_: object, **__: object) -> NoReturn:
        raise not_reached(2.66, 1e-5)

    asked: dict[str, Any] = {"secret": "cost", "within": 600.0, "simulate": 1}
    # Other mechanisms and curves are shown beside the channel, which does not need them.
    for name in ("comparison", "frontier"):
        monkeypatch.setattr(choice, name, unproved)
    with stubbed(made, ("report",)):
        done = protect(stays, tmp_path / "out", **asked).require()
    assert not {"comparison.json", "frontier.json"} & {path.name for path in done.folder.iterdir()}
    monkeypatch.setattr(choice, "solve", unproved)
    with stubbed(made, ("report",)), pytest.raises(RefusalError, match=r"^No channel for cost was proved"):
        protect(stays, tmp_path / "none", **asked).require()


def test_design_takes_an_error_too(stays: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "design", stays, "--secret", "cost", "--within", 600)
    assert code == 0 and "The bins of cost were learnt from this table: edges:" in " ".join(out.split())
    code, _, err = run(capsys, "design", stays, "--secret", "cost", "--within", 1)
    assert code == 1 and "automatic bins of cost move values by" in " ".join(err.split())
    for wrong in (("5", "--max-distortion", 1), ("-5",), ("nan",), ("5", "--distortion", "squared")):
        assert run(capsys, "design", stays, "--secret", "cost", "--within", *wrong)[0] == 2
    for verb in ("design", "compare"):
        code, _, err = run(capsys, verb, stays, "--secret", "cost", "--max-distortion", 0.2)
        assert code == 2 and "--bins cost=auto" in " ".join(err.split())


def test_bins_that_an_error_implied_are_taken_over_when_it_is_repeated(done: Done) -> None:
    earlier = earlier_job(done.folder)
    (own,) = (text for text in earlier.asked.coarsening.bins if text.startswith("cost="))
    assert own == f"cost={done.read(Record, 'release.json').plan.bins['cost'].binning}"
