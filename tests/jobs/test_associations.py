"""Keeping associations: the main job with a channel that reads the public columns, and what it says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2

from leakgauge.artefacts import Measurement, Record, Request
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.cli import main
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.errors import ColumnError, OptionError
from leakgauge.jobs.protect import protect
from leakgauge.jobs.protect.choice import choose, possibilities
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.samples import adult_rows
from leakgauge.mechanisms import through_channel
from leakgauge.probability import Channel, Joint
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import verify
from leakgauge.release.estimates import effective_rows
from leakgauge.tables import in_bins, open_table, parse_binning

CITIES = {"A": (0.6, 0.3, 0.08, 0.02), "B": (0.2, 0.3, 0.4, 0.1), "C": (0.3, 0.2, 0.1, 0.4)}
ILLNESSES = ("none", "flu", "cold", "asthma")


def write_cities(place: Path, rows: int = 900) -> Path:
    """People whose illness depends on their city, each share as it is meant."""
    lines = []
    for city, shares in CITIES.items():
        for illness, share in zip(ILLNESSES, shares, strict=True):
            lines += [f"{city},{illness}"] * round(rows / 3 * share)
    order = np.argsort([(at * 7919) % len(lines) for at in range(len(lines))], kind="stable")
    numbered = [f"{lines[at]},p{number},{20 + number * 7 % 60}" for number, at in enumerate(order.tolist())]
    place.write_text("\n".join(["city,illness,name,age", *numbered]) + "\n", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def job(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    def make(place: Path) -> None:
        table = write_cities(place / "people.csv")
        public, bins = ("city", "age"), ("age=width:20",)
        protect(
            str(table),
            place / "out",
            secret="illness",
            public=public,
            bins=bins,
            max_distortion=0.2,
            keep="associations",
            simulate=3,
        ).require()

    return once("associations", make) / "out"


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_the_channel_reads_what_is_published_and_keeps_its_cross_tables(job: Path) -> None:
    named = msgspec.json.decode((job / "channel.json").read_bytes(), type=ChannelFile).named()
    assert named.inputs == ("illness", "city", "age")
    assert named.given == ("city", "age")
    with open_table(job.parent / "people.csv") as table:
        counts = in_bins(table, {"age": parse_binning("width:20")}).counts("illness", "city", "age")
    joint = counts.joint(["illness"], ["city", "age"])
    law = _law(joint, named)
    assert np.abs(law - joint.matrix).max() < 1e-15
    design, leakage = read(job, "design.json"), read(job, "leakage.json")
    assert (design["knowledge"], design["keep"]) == ("both", "associations")
    assert design["distortion"]["value"] <= 0.2
    assert leakage["leakage_with_background"]["value"] == pytest.approx(design["leakage_with_background"]["value"])
    assert read(job, "utility.json")["columns"]["illness"]["total_variation"]["value"] < 1e-12
    everything = read(job, "audit.json")["exposures"][0]["everything"]
    assert everything["exact"]
    assert everything["information"]["value"] == pytest.approx(design["leakage_with_background"]["value"])
    assert effective_rows(_by_pairs(named, joint), joint, own=True).share > 0.5


def test_epsilon_is_the_same_on_both_sides(job: Path) -> None:
    record = read(job, "release.json")
    channel = np.array(record["plan"]["columns"]["illness"]["channel"]["matrix"])
    labels = record["plan"]["columns"]["illness"]["channel"]["inputs"]["labels"]
    by_hand = 0.0
    for known in {tuple(label[1:]) for label in labels}:
        rows = channel[[tuple(label[1:]) == known for label in labels]]
        by_hand = max(by_hand, float((np.log(rows.max(axis=0)) - np.log(rows.min(axis=0))).max()))
    assert record["claims"]["illness"]["levels"]["local-dp"]["value"] == pytest.approx(by_hand, rel=1e-12)
    assert read(job, "design.json")["epsilon"]["value"] == pytest.approx(by_hand, rel=1e-12)
    assert record["budget"]["epsilon"]["value"] == pytest.approx(by_hand, rel=1e-12)
    verify(job / "release.json").require()


def test_report_and_screen_say_which_cross_tables_are_right(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = (job / "report.html").read_text(encoding="utf-8")
    assert "so that cross-tables with city, age counted in the release are right on average" in report
    assert "they compare two values of illness in rows that agree in these" in report
    assert "all channels that keep the associations with city, age" in report
    assert main(["protect", *Request.of(**_asked(job)).arguments(), "-o", str(job)]) == 0
    assert "so that cross-tables with city, age counted in the release are right on average" in " ".join(
        capsys.readouterr().out.split()
    )


def _asked(job: Path) -> dict[str, Any]:
    asked = msgspec.json.decode((job / "job.json").read_bytes())["asked"]
    return {name: tuple(value) if isinstance(value, list) else value for name, value in asked.items()}


def test_a_repeated_job_needs_what_the_mechanism_reads(job: Path, tmp_path: Path) -> None:
    table = write_cities(tmp_path / "new.csv", 600)
    with pytest.raises(OptionError, match="reads 'age', which must therefore be public"):
        protect(str(table), tmp_path / "out", repeat=str(job), public=("city",))
    with pytest.raises(OptionError, match="--keep differs from"):
        protect(str(table), tmp_path / "out", repeat=str(job), keep="shares")
    done = protect(str(table), tmp_path / "out", repeat=str(job), simulate=4)
    repeated = done.job.repeated
    assert repeated is not None
    (secret,) = repeated.secrets
    measured = done.read(Measurement, "leakage.json")
    assert secret.alone is not None and secret.together is not None and measured.leakage_with_background is not None
    assert secret.alone.value == pytest.approx(measured.leakage_with_background.value)
    assert secret.alone.value < secret.together.value < secret.entropy.value
    record = done.read(Record, "release.json")
    assert record.plan.columns["illness"].given == ("city", "age")
    # The channel keeps the associations of the table that it was designed for, not those of this one.
    assert "right on average" not in (done.folder / "report.html").read_text(encoding="utf-8")


def _sources(table: pa.Table, **asked: Any) -> tuple[Request, Sources]:
    request = Request.of("frame", max_distortion=asked.pop("max_distortion", 0.2), keep="associations", **asked)
    with ExitStack() as opened:
        return request, open_sources(request, open_table(table), opened)


def test_reference_numbers_of_adult() -> None:
    """Both know occupation and its associations are kept: the last column of the reference table."""
    for distortion, told in ((0.1, 1.109478), (0.2, 0.705292), (0.3, 0.408919)):
        request, sources = _sources(
            adult_rows(), secret=("marital_status",), public=("occupation",), max_distortion=distortion
        )
        choice = choose(sources, request.aims[0], lambda *_: None, {})
        how, evidence = choice.require(), choice.evidence()
        design = evidence.design
        assert design is not None and design.leakage_with_background is not None
        assert design.background_floor is not None
        added = design.leakage_with_background.value - design.background_floor.value
        assert added == pytest.approx(told, abs=1e-6)
        assert how.channel is not None and how.channel.given == ("occupation",)
        assert evidence.comparison is not None
    frontier = possibilities(sources, request.aims[0])
    assert frontier is not None and frontier.knowledge == "both"


def _by_pairs(named: NamedChannel, joint: Joint) -> Channel:
    places = {label: at for at, label in enumerate(named.channel.inputs)}
    pairs = [(x, z) for x in joint.rows for z in joint.columns]
    rows = [places[x, *(z if isinstance(z, tuple) else (z,))] for x, z in pairs]
    return Channel(pairs, named.channel.outputs, named.channel.matrix[rows])


def _law(joint: Joint, named: NamedChannel) -> Floats:
    """p(y, z) of the release, in the order of the secret's values."""
    channel = _by_pairs(named, joint)
    cells = joint.matrix[:, :, None] * channel.matrix.reshape(*joint.matrix.shape, -1)
    order = [channel.outputs.index(label) for label in joint.rows]
    return np.asarray(cells.sum(axis=0).T[order])


def _chi_squared(joint: Joint, channel: Channel, releases: int, n: int) -> float:
    """The chance of means of released cross-tables as far from the true one as these are, if they are right on average.

    Given the table, counts of one background are sums of multinomial ones, whose covariance is known.
    """
    counts = np.rint(joint.matrix * n).astype(np.int64)
    pairs = channel.matrix.reshape(*joint.matrix.shape, -1)
    law, inputs = through_channel(channel).law, np.repeat(np.arange(counts.size), counts.ravel())
    known = inputs % len(joint.columns)
    released = np.zeros((len(joint.columns), len(channel.outputs)))
    for seed in range(releases):
        np.add.at(released, (known, law.draw(inputs, Simulated(seed))), 1 / releases)
    statistic, freedom = 0.0, 0
    for z in range(len(joint.columns)):
        q = pairs[:, z]
        spread = (np.diag(counts[:, z] @ q) - (q.T * counts[:, z]) @ q) / releases
        off = released[z] - counts[:, z]
        statistic += float(off @ np.linalg.pinv(spread, hermitian=True, rtol=1e-9) @ off)
        freedom += int(np.linalg.matrix_rank(spread, hermitian=True, tol=1e-9 * max(spread.max(), 1e-300)))
    return float(chi2.sf(statistic, freedom))


def test_released_cross_tables_are_right_on_average_and_not_with_shares_alone() -> None:
    n = 3000
    joint = Joint(ILLNESSES, tuple(CITIES), np.array(list(CITIES.values())).T / 3)
    both = RateDistortion(joint, Hamming(), MaxDistortion(0.2), Knowledge.BOTH, keep=Keep.ASSOCIATIONS)
    alone = RateDistortion(joint, Hamming(), MaxDistortion(0.2), Knowledge.ATTACKER, keep=Keep.SHARES)
    assert 0.001 < _chi_squared(joint, solve(both).channel, 40, n) < 0.999
    plain = solve(alone).channel
    pairs = [(x, z) for x in joint.rows for z in joint.columns]
    lifted = Channel(pairs, plain.outputs, np.repeat(plain.matrix, len(joint.columns), axis=0))
    assert _chi_squared(joint, lifted, 40, n) < 1e-12


def test_which_columns_fit() -> None:
    draw = np.random.default_rng(1)
    rows = 2000
    table = pa.table(
        {
            "illness": draw.choice(ILLNESSES, rows),
            "city": draw.choice(list(CITIES), rows),
            "street": [f"s{at}" for at in draw.integers(300, size=rows)],
            # Two people live on the island: their illness would be released nearly as it is.
            "place": ["island"] * 2 + ["main land"] * (rows - 2),
            "country": ["NO"] * rows,
            "name": [f"p{at}" for at in range(rows)],
        }
    )

    def kept(*public: str) -> tuple[str, ...]:
        _, sources = _sources(table, secret=("illness",), public=public)
        return sources.kept_with(("illness",))

    assert kept("city", "country") == ("city",)
    assert kept("street", "city", "place") == ("city",)
    with pytest.raises(OptionError, match="has the same value in every row"):
        kept("country")
    with pytest.raises(OptionError, match=r"of illness with street, place cannot be kept: .* at least 5 rows"):
        kept("street", "place", "country")


def test_what_is_asked_wrongly(job: Path, tmp_path: Path) -> None:
    table = str(job.parent / "people.csv")
    asked: dict[str, Any] = {"table": table, "secret": ("illness",), "keep": "associations", "max_distortion": 0.2}
    with pytest.raises(OptionError, match="published unchanged, but there are none"):
        Request.of(**asked)
    with pytest.raises(OptionError, match="is for a designed channel"):
        Request.of(**asked, public=("city",), mechanism=("randomized-response:epsilon=1",))
    with pytest.raises(OptionError, match="does not show associations"):
        Request.of(**asked, public=("city",), accounted=1.0, ledger="l")
    with pytest.raises(OptionError, match="how useful the release must be"):
        Request.of(**{**asked, "max_distortion": None}, public=("city",), local_dp=1.0)
    with pytest.raises(OptionError, match="not nothing, shares or associations"):
        Request.of(**{**asked, "keep": "cells"}, public=("city",))
    with pytest.raises(ColumnError, match="There is no column 'town'"):
        protect(Request.of(**asked, public=("town",)), tmp_path / "out")
    assert not (tmp_path / "out").exists()
