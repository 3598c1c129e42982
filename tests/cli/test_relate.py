"""``leakgauge relate`` as a person runs it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.claims import NOTIONS
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from tests.cli.running import fields, run


@pytest.fixture
def channel(tmp_path: Path) -> Path:
    path = tmp_path / "channel.json"
    example = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
    path.write_text(text_of(ChannelFile.of(NamedChannel(example, ("d",), ("e",)))))
    return path


@pytest.fixture
def prior(tmp_path: Path) -> Path:
    path = tmp_path / "prior.csv"
    path.write_text("label,value\n1,0.95\n2,0.05\n")
    return path


def test_a_channel_with_a_prior(capsys: pytest.CaptureFixture[str], channel: Path, prior: Path) -> None:
    found = fields(capsys, "relate", channel, "--prior", prior)
    assert found["schema"] == "leakgauge/relation/2"
    assert found["identifiability"]["value"] == pytest.approx(3.5635, abs=5e-5)
    assert found["identifiability"]["witness"] == {"inputs": ["1", "2"], "output": "1"}
    assert found["local_dp"]["value"] == pytest.approx(0.6190, abs=5e-5)
    assert found["local_dp"]["unit"] == "nats"
    assert found["mutual_information"]["unit"] == "bits"
    assert found["prior_skew"]["value"] == pytest.approx(2.9444, abs=5e-5)
    assert found["moment_skewness"]["value"] == pytest.approx((1 - 2 * 0.05) / math.sqrt(0.05 * 0.95))
    code, out, _ = run(capsys, "relate", channel, "--prior", prior)
    assert code == 0
    assert "3.56" in out
    assert "1 against 2 at 1" in out


def test_a_channel_without_a_prior(capsys: pytest.CaptureFixture[str], channel: Path) -> None:
    found = fields(capsys, "relate", channel)
    assert found["identifiability"] is None
    assert found["mutual_information"] is None
    assert found["prior_skew"] is None
    information = next(one for one in found["implied"] if one["notion"] == "mutual-information")
    # Tighter than its budget alone says: the capacity is known exactly.
    assert 0 < information["value"] < 0.0688


def test_an_infinite_level_is_a_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    path.write_text(text_of(ChannelFile.of(NamedChannel(Channel.identity("ab"), ("d",), ("e",)))))
    assert fields(capsys, "relate", path)["local_dp"]["value"] == "infinity"


def test_data_sets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one = Channel("01", "01", [[0.7, 0.3], [0.3, 0.7]])
    path = tmp_path / "two.json"
    path.write_text(text_of(ChannelFile.of(NamedChannel(one.product(one), ("a", "b"), ("u", "v")))))
    found = fields(capsys, "relate", path, "--records", "2")
    assert found["levels"]["dp"]["value"] == pytest.approx(math.log(7 / 3))
    assert found["local_dp"]["value"] == pytest.approx(2 * math.log(7 / 3))


def write(path: Path, channel: Channel, columns: str) -> Path:
    path.write_text(text_of(ChannelFile.of(NamedChannel(channel, tuple(columns), ("y",)))))
    return path


def test_unordered_data_sets_and_the_default_that_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sets = [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]
    path = write(
        tmp_path / "sets.json", Channel(sets, "uv", [[p, 1 - p] for p in (0.5, 0.9, 0.5, 0.5, 0.1, 0.5)]), "ab"
    )
    ordered = fields(capsys, "relate", path, "--records", "2")
    assert (ordered["records"], ordered["ordered"]) == (2, True)
    assert ordered["levels"]["dp"]["value"] == pytest.approx(1.6094, abs=5e-5)
    unordered = fields(capsys, "relate", path, "--records", "2", "--unordered")
    assert unordered["ordered"] is False
    assert unordered["levels"]["dp"]["value"] == pytest.approx(math.log(9))
    _, out, _ = run(capsys, "relate", path, "--records", "2")
    assert "Data sets are ordered: neighbours differ in the record at one position." in out
    assert "Warning: No data set holds the same records as another in a different order" in out
    _, out, _ = run(capsys, "relate", path, "--records", "2", "--unordered")
    assert "Data sets are unordered" in out and "Warning" not in out
    code, out, _ = run(capsys, "relate", "--help")
    assert code == 0 and "by default, neighbours differ in the record at one position" in " ".join(out.split())


def test_a_prior_over_data_sets_has_a_field_for_each_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = Channel("01", "01", [[0.7, 0.3], [0.3, 0.7]])
    path = tmp_path / "two.json"
    path.write_text(text_of(ChannelFile.of(NamedChannel(answer.product(answer), ("a", "b"), ("u", "v")))))
    for name, text in {
        "joined.csv": "0|0,0.09\n0|1,0.21\n1|0,0.21\n1|1,0.49\n",
        "fields.csv": "0,0,0.09\n0,1,0.21\n1,0,0.21\n1,1,0.49\n",
        "named.csv": "first,second,value\n0,0,0.09\n0,1,0.21\n1,0,0.21\n1,1,0.49\n",
        "one.csv": "0,0.3\n1,0.7\n",
    }.items():
        (tmp_path / name).write_text(text)
    for subject in (path, "dp:0.5"):
        asked = ("relate", subject, "--records", "2", "--independent", "--prior")
        expected, *others = (
            fields(capsys, *asked, tmp_path / name) for name in ("joined.csv", "fields.csv", "named.csv")
        )
        assert others == [expected, expected]
        assert expected["prior_skew"]["value"] == pytest.approx(math.log(7 / 3))
        alone = fields(capsys, *asked, tmp_path / "one.csv")
        assert alone["prior_skew"]["value"] == pytest.approx(math.log(7 / 3))
    found = fields(capsys, "relate", path, "--records", "2", "--independent", "--prior", tmp_path / "one.csv")
    bits = fields(capsys, "relate", path, "--records", "2", "--prior", tmp_path / "fields.csv")["levels"]
    name = "central-mutual-information"
    assert found["levels"][name]["value"] == pytest.approx(bits[name]["value"])


def test_data_sets_without_neighbours_have_a_warning_and_no_level(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "apart.json", Channel([(0, 0), (1, 1)], "uv", [[1, 0], [0, 1]]), "ab")
    found = fields(capsys, "relate", path, "--records", "2")
    assert "None of the data sets has a neighbour" in found["warnings"][0]
    assert set(found["levels"]) == {"local-dp", "maximal-leakage"}
    _, out, _ = run(capsys, "relate", path, "--records", "2")
    assert "Warning: None of the data sets has a neighbour" in out


def test_one_skew_in_sentence_table_and_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("a,0.9\nb,0.1\n")
    asked = ("relate", "dp:0.5", "--records", "3", "--independent", "--prior", prior)
    found = fields(capsys, *asked)
    assert found["prior_skew"]["value"] == pytest.approx(2.1972, abs=5e-5)
    listed = {one["notion"]: one for one in found["implied"]}
    assert listed["central-identifiability"]["value"] == pytest.approx(0.5 + 2.1972, abs=5e-5)
    assert listed["identifiability"]["value"] == pytest.approx(3 * (0.5 + 2.1972), abs=5e-4)
    _, out, _ = run(capsys, *asked)
    assert "Δ = 2.2 over neighbours" in out and "6.59" not in out


def test_a_prior_with_a_zero_is_no_dead_end(capsys: pytest.CaptureFixture[str], channel: Path, tmp_path: Path) -> None:
    zero = tmp_path / "zero.csv"
    zero.write_text("1,1\n2,0\n")
    found = fields(capsys, "relate", channel, "--prior", zero)
    assert found["mutual_information"]["value"] == 0
    assert found["local_dp"]["value"] == pytest.approx(0.6190, abs=5e-5)
    assert (found["identifiability"]["value"], found["identifiability"]["witness"]) == ("infinity", None)
    assert found["prior_skew"]["value"] == "infinity"
    assert found["restricted"] is False and "probability 0" in found["warnings"][0]
    restricted = fields(capsys, "relate", channel, "--prior", zero, "--restrict")
    assert restricted["identifiability"]["value"] == 0
    assert restricted["restricted"] is True and restricted["warnings"] == []


def test_bounds_stop_at_what_the_secret_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bit = tmp_path / "bit.csv"
    bit.write_text("a,0.5\nb,0.5\n")
    found = fields(capsys, "relate", "maximal-leakage:9.38", "--prior", bit)
    bits = {one["notion"]: one for one in found["implied"] if one.get("unit") == "bits"}
    assert len(bits) == 5
    assert all(one["value"] <= 1 for one in bits.values())
    assert bits["mutual-information"]["cut"] is True and bits["mutual-information"]["sharp"] is False
    _, out, _ = run(capsys, "relate", "maximal-leakage:9.38", "--prior", bit)
    assert "9.38 bits" not in out and "capped at the entropy of the secret" in " ".join(out.split())


def test_notions_have_one_spelling(capsys: pytest.CaptureFixture[str], channel: Path, prior: Path) -> None:
    found = fields(capsys, "relate", channel, "--prior", prior)
    assert set(found["levels"]) | {one["notion"] for one in found["implied"]} <= set(NOTIONS)
    assert found["local_dp"] == found["levels"]["local-dp"]
    _, out, _ = run(capsys, "relate", channel, "--prior", prior)
    assert all(name in out for name in found["levels"])


def test_a_notion(capsys: pytest.CaptureFixture[str], prior: Path) -> None:
    found = {one["notion"]: one for one in fields(capsys, "relate", "local-dp:1.0", "--prior", prior)["implied"]}
    # Less than the 0.178 bits that hold under every prior: the secret itself holds 0.286 bits, of which tanh(1/2).
    held = -0.95 * math.log2(0.95) - 0.05 * math.log2(0.05)
    assert found["mutual-information"]["value"] == pytest.approx(math.tanh(0.5) * held)
    anybody = {one["notion"]: one for one in fields(capsys, "relate", "local-dp:1.0")["implied"]}
    assert anybody["mutual-information"]["value"] == pytest.approx(0.123302 / math.log(2), abs=1e-5)
    assert found["identifiability"]["value"] == pytest.approx(1 + math.log(19))
    assert found["zcdp"]["value"] == pytest.approx(math.tanh(0.5))
    assert found["metric-privacy"]["statement"] is None
    nothing = {one["notion"]: one for one in fields(capsys, "relate", "mutual-information:0.2bits")["implied"]}
    assert nothing["local-dp"]["counterexample"] == "rare-revelation"
    code, out, _ = run(capsys, "relate", "mutual-information:0.2bits")
    assert code == 0
    assert "Nothing follows for identifiability, local-dp" in out


def test_independent_records_help(capsys: pytest.CaptureFixture[str]) -> None:
    def information(*flags: str) -> float:
        listed = fields(capsys, "relate", "dp:0.5", "--records", "100", *flags)["implied"]
        return float(next(one for one in listed if one["notion"] == "central-mutual-information")["value"])

    assert information("--independent") < information() / 5
    assert information("--independent") == pytest.approx(100 * 0.031142 / math.log(2), rel=1e-3)


def test_an_infinite_order_and_data_sets_out_of_reach(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = {one["notion"]: one for one in fields(capsys, "relate", "dp:1", "--order", "inf")["implied"]}
    assert found["renyi-dp"]["order"] == "infinity"
    path = tmp_path / "hole.json"
    told = Channel([(0, 0), (1, 1)], "uv", [[1, 0], [0, 1]])
    path.write_text(text_of(ChannelFile.of(NamedChannel(told, ("a", "b"), ("y",)))))
    listed = {one["notion"]: one for one in fields(capsys, "relate", path, "--records", "2")["implied"]}
    assert listed["mutual-information"]["value"] == pytest.approx(1)
    assert listed["central-mutual-information"]["value"] is None


def test_a_prior_over_data_sets_of_a_statement(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "prior.csv"
    path.write_text("0|0,0.45\n0|1,0.05\n1|0,0.05\n1|1,0.45\n")
    found = fields(capsys, "relate", "dp:0.5", "--records", "2", "--prior", path)
    assert found["prior_skew"]["value"] == pytest.approx(math.log(9))
    listed = {one["notion"]: one for one in found["implied"]}
    # Dependent records: 0.10328 bits are possible, twice the bound of one record (0.0899) would be false.
    assert listed["central-mutual-information"]["value"] > 0.10328
    code, _, err = run(capsys, "relate", "dp:0.5", "--records", "2", "--prior", path, "--independent")
    assert code == 2
    assert "they are not" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing.json"], "There is no file 'nothing.json'"),
        (["privacy:1"], "There is no notion 'privacy'"),
        (["local-dp:-1"], "at least 0"),
        (["identifiability:1", "--prior", "prior.csv"], "Δ = 2.94444"),
        (["local-dp:1", "--prior", "half.csv"], "sum to 0.5"),
        (["identifiability:3", "--prior", "zero.csv"], "gives a value probability 0; restrict"),
        (["local-dp:1", "--restrict"], "needs a prior"),
        (["local-dp:1", "--unordered"], "--records"),
        (["dp:1", "--records", "2", "--unordered", "--independent", "--prior", "sets.csv"], "prior of one record"),
        (["channel.json", "--records", "2"], "not data sets of 2 records"),
        (["dp:1", "--records", "2", "--prior", "ragged.csv"], "write its 2 records and a number per line"),
        (["dp:1", "--records", "0"], "0 records"),
        (["dp:1", "--delta", "2"], "δ of 2"),
        (["dp:1", "--order", "0.5"], "order of 0.5"),
        (["dp:1,delta=2"], "delta is 2.0; give at most 1"),
        (["dp:1,delta=1e-6,delta=3"], "twice"),
    ],
)
def test_bad_input(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    channel: Path,
    prior: Path,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(channel.parent)
    Path("half.csv").write_text("1,0.25\n2,0.25\n")
    Path("zero.csv").write_text("1,1\n2,0\n")
    Path("ragged.csv").write_text("1,1,0.5\n1,2\n")
    Path("sets.csv").write_text("1|1,0.25\n1|2,0.5\n2|2,0.25\n")
    code, out, err = run(capsys, "relate", *arguments)
    assert (code, out) == (2, ""), err
    assert len(err.strip().splitlines()) == 1
    assert sentence in err


def test_the_reproduction(capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "reproduce", "notions")
    assert found["agrees"] is True
    lines = found["reproductions"][0]["lines"]
    # One number of the example, three of Theorem 5, three of Theorem 9.
    assert sum(line["slip"] for line in lines) == 7
    false = [line["note"]["fields"]["records"] for line in lines if "false from" in str(line["note"])]
    assert false == [r for _ in ("Theorem 5", "Theorem 9") for r in (34, 19, 13)]
