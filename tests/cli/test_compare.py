"""``leakgauge compare`` as a person runs it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leakgauge as lg
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import sentence_of, text_of
from leakgauge.artefacts.design import Role
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, solve, symmetric_channel, waste
from leakgauge.distances import Absolute, Distortion, Hamming
from leakgauge.errors import LabelError, OptionError
from leakgauge.jobs.compare import comparison
from leakgauge.jobs.design import Question
from leakgauge.jobs.samples import adult_rows
from leakgauge.measures import mutual_information
from leakgauge.probability import Channel, Distribution, PriorOrigin, Scenario
from leakgauge.probability.files import NamedChannel
from tests.cli.running import fields, run


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pyarrow import parquet

    path = tmp_path_factory.mktemp("adult") / "adult.parquet"
    parquet.write_table(adult_rows(), path)
    return path


@pytest.fixture
def ages(tmp_path: Path) -> Path:
    path = tmp_path / "ages.csv"
    path.write_text("age\n" + "2\n" * 3 + "3\n" * 5 + "5\n" * 2 + "8\n")
    return path


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["mechanism"]: one for one in found["ranking"]}


def test_ranking_at_a_distortion(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    response = [f"randomized-response:epsilon={epsilon}" for epsilon in (1, 3, 4)]
    found = fields(capsys, "compare", adult, "--secret", "marital_status", *response, "--max-distortion", 0.3)
    assert found["schema"] == "leakgauge/comparison/1"
    assert found["max_distortion"]["value"] == 0.3
    assert found["max_leakage"] is None
    assert found["background_floor"] is None
    assert found["ranking"][0]["mechanism"] == "least leaking channel"
    assert [one["mechanism"] for one in found["ranking"]][3:] == [response[1], response[2], response[0]]
    rows = by_name(found)
    assert [rows[name]["meets_target"] for name in response] == [False, True, True]
    first = rows[response[0]]
    assert first["role"] == "given"
    assert first["epsilon"]["value"] == pytest.approx(1)
    assert first["distortion"]["value"] == pytest.approx(6 / (math.e + 6))
    assert first["leakage_with_background"] is None
    # Always guessing the most frequent letter is as useful and leaks nothing: all of it is wasted.
    assert first["waste"]["value"] == pytest.approx(first["leakage"]["value"])
    assert rows["symmetric channel"]["distortion"]["value"] == pytest.approx(0.3)
    assert rows["symmetric channel"]["leakage"]["value"] == pytest.approx(
        rows["exponential mechanism"]["leakage"]["value"], abs=1e-9
    )


def test_ranking_at_a_leakage_with_background(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    given = ["randomized-response:epsilon=1", "randomized-response:epsilon=3"]
    found = fields(
        capsys,
        "compare",
        adult,
        "--secret",
        "marital_status",
        "--background",
        "occupation",
        *given,
        "--max-leakage",
        0.3,
    )
    assert found["knowledge"] == "attacker"
    assert found["background_floor"]["value"] == pytest.approx(0.076373, abs=5e-7)
    rows = by_name(found)
    # What the attacker knows counts: the order is by distortion, the best first.
    met = [one for one in found["ranking"] if one["meets_target"]]
    assert [one["mechanism"] for one in met][0::3] == ["least leaking channel", given[0]]
    assert [one["distortion"]["value"] for one in met] == sorted(one["distortion"]["value"] for one in met)
    assert all(one["leakage_with_background"]["value"] <= 0.3 for one in met)
    assert rows["symmetric channel"]["leakage_with_background"]["value"] == pytest.approx(0.3, abs=1e-9)
    assert rows["exponential mechanism"]["leakage_with_background"]["value"] == pytest.approx(0.3, abs=1e-9)
    assert found["ranking"][-1]["mechanism"] == given[1]


def test_a_channel_that_was_designed_wastes_nothing(
    capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path
) -> None:
    channel = tmp_path / "channel.json"
    secret = ["--secret", "marital_status"]
    assert run(capsys, "design", adult, *secret, "--max-distortion", 0.2, "-o", channel)[0] == 0
    ranking = fields(capsys, "compare", adult, *secret, channel, "--max-distortion", 0.2)["ranking"]
    assert [one["mechanism"] for one in ranking[:2]] == ["least leaking channel", str(channel)]
    assert ranking[1]["waste"]["value"] <= 2e-9
    assert ranking[0]["waste"]["value"] == 0
    assert ranking[1]["leakage"]["value"] == pytest.approx(ranking[0]["leakage"]["value"], abs=1e-9)
    assert ranking[2]["waste"]["value"] > 0.3


def test_a_channel_file_in_another_order_with_more_letters(
    capsys: pytest.CaptureFixture[str], ages: Path, tmp_path: Path
) -> None:
    path = tmp_path / "channel.json"
    letters = [9, 8, 5, 3, 2]
    path.write_text(text_of(ChannelFile.of(NamedChannel(symmetric_channel(letters, 0.4), ("age",), ("age",)))))
    found = by_name(fields(capsys, "compare", ages, "--secret", "age", path, "--max-distortion", 0.5))[str(path)]
    assert found["distortion"]["value"] == pytest.approx(0.4)
    assert found["epsilon"]["value"] == pytest.approx(math.log(6))


def test_noise_is_clamped_to_its_bounds(capsys: pytest.CaptureFixture[str], ages: Path) -> None:
    name = "geometric:epsilon=2,lower=0,upper=10"
    how = ["--secret", "age", "--distortion", "absolute"]
    found = by_name(fields(capsys, "compare", ages, *how, name, "--max-distortion", 3))[name]
    # The law by hand: P(k) ∝ a^|k| with a = e^(−2/10), cut at 0 and 10.
    a, prior = math.exp(-0.2), {2: 3 / 11, 3: 5 / 11, 5: 2 / 11, 8: 1 / 11}

    def chance(x: int, y: int) -> float:
        return a ** abs(x - y) / (1 + a) if y in (0, 10) else (1 - a) / (1 + a) * a ** abs(x - y)

    assert sum(chance(3, y) for y in range(11)) == pytest.approx(1)
    mean = sum(p * chance(x, y) * abs(x - y) for x, p in prior.items() for y in range(11))
    assert found["distortion"]["value"] == pytest.approx(mean, rel=1e-12)
    # The claim is about all numbers from 0 to 10, not only about the ages of this table.
    assert found["epsilon"]["value"] == pytest.approx(2, rel=1e-12)


def test_exponential_has_the_distortion_as_utility(capsys: pytest.CaptureFixture[str], ages: Path) -> None:
    how = ["--secret", "age", "--distortion", "absolute"]
    found = by_name(fields(capsys, "compare", ages, *how, "exponential:epsilon=3", "--max-distortion", 1))
    letters = np.array([2, 3, 5, 8])
    weights = np.exp(-3 / 12 * abs(letters[:, None] - letters))
    matrix = weights / weights.sum(axis=1, keepdims=True)
    mean = np.array([3, 5, 2, 1]) / 11 @ (matrix * abs(letters[:, None] - letters)).sum(axis=1)
    assert found["exponential:epsilon=3"]["distortion"]["value"] == pytest.approx(mean)
    assert found["exponential mechanism"]["distortion"]["value"] <= 1
    assert found["symmetric channel"]["distortion"]["value"] == pytest.approx(1)


@pytest.mark.parametrize("distortion", [Hamming(), Absolute()])
def test_waste_is_never_negative_and_nothing_for_the_optimum(distortion: Distortion) -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        prior = Distribution(range(5), random.dirichlet(np.ones(5)))
        problem = RateDistortion(prior, distortion, MaxDistortion(0.3))
        channel = Channel(range(5), range(5), random.dirichlet(np.ones(5), size=5))
        found = waste(channel, problem)
        assert found.leakage - found.best.objective >= -found.best.gap - 1e-12
        best = solve(problem)
        again = waste(best.channel, problem)
        assert again.bits <= best.gap + again.best.gap + 1e-12
        least = solve(problem.with_target(MaxLeakage(found.leakage)))
        assert least.distortion <= found.distortion + 1e-6


@pytest.mark.parametrize("target", [("--max-distortion", 0.4), ("--max-leakage", 0.3)])
def test_weights_decide_the_order(
    capsys: pytest.CaptureFixture[str], ages: Path, tmp_path: Path, target: tuple[str, float]
) -> None:
    weights = tmp_path / "weights.csv"
    weights.write_text("label,value\n2,0\n3,1\n5,1\n8,40\n")
    given = ["randomized-response:epsilon=1", "randomized-response:epsilon=3"]
    how = ["compare", ages, "--secret", "age", *given, *target]
    plain, found = fields(capsys, *how), fields(capsys, *how, "--weights", weights)
    assert all(one["weighted_leakage"] is None for one in plain["ranking"])
    rows, weighed = by_name(found), {"2": 0.0, "3": 1.0, "5": 1.0, "8": 40.0}
    prior = Distribution([2, 3, 5, 8], np.array([3, 5, 2, 1]) / 11)
    for text, epsilon in zip(given, (1, 3), strict=True):
        channel = symmetric_channel([2, 3, 5, 8], 3 / (math.exp(epsilon) + 3))
        bits = mutual_information(Scenario(prior, channel, weights=list(weighed.values())))
        assert rows[text]["weighted_leakage"]["value"] == pytest.approx(bits, abs=1e-9)
    met = [one for one in found["ranking"] if one["meets_target"]]
    by = "weighted_leakage" if target[0] == "--max-distortion" else "distortion"
    assert [one[by]["value"] for one in met[1:]] == sorted(one[by]["value"] for one in met[1:])
    assert met[0]["role"] == "optimum"
    assert all(one["weighted_leakage"]["value"] <= 0.3 for one in met if by == "distortion")
    assert all(one["waste"]["value"] >= 0 for one in found["ranking"])
    # The gap of 1e-6 nats is counted in the largest weight.
    assert found["ranking"][0]["gap"]["value"] < 40 * 1e-6 / math.log(2)
    code, out, _ = run(capsys, *how, "--weights", weights)
    assert code == 0 and "weighted" in out


def test_tables_for_a_person(capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path) -> None:
    output = tmp_path / "comparison.json"
    given = ["randomized-response:epsilon=1", "randomized-response:epsilon=3"]
    what = ["--secret", "marital_status", "--background", "occupation", *given, "--max-distortion", 0.3]
    code, out, err = run(capsys, "compare", adult, *what, "-o", output)
    assert (code, err) == (0, "")
    for words in ("least leaking channel", "symmetric channel", "missed", "I(X;Z) = 0.0764", "leakage"):
        assert words in out
    assert json.loads(output.read_text())["ranking"][0]["role"] == "optimum"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--max-leakage", "0.05", "--background", "occupation"], 1, "reveals I(X;Z) = 0.0763730046"),
        ([], 2, "0 targets"),
        (["--max-distortion", "0.1", "--max-leakage", "1"], 2, "2 targets"),
        (["--max-distortion", "-1"], 2, "-1"),
        (["--max-distortion", "nan"], 2, "nan"),
        (["randomised-response:epsilon=1", "--max-distortion", "0.1"], 2, "did you mean 'randomized-response'"),
        (["randomized-response:epsilon=1,letters=a|b", "--max-distortion", "0.1"], 2, "7 of the 7 values"),
        (["laplace:epsilon=1,lower=0,upper=9", "--max-distortion", "0.1"], 2, "adds noise to numbers"),
        (["laplace:epsilon=1,sensitivity=1", "--max-distortion", "0.1"], 2, "has no bounds"),
        (["unary-encoding:epsilon=1", "--max-distortion", "0.1"], 2, "releases sets of the secret's values"),
        (["permute-and-flip:epsilon=1", "--max-distortion", "0.1"], 2, "has no finite channel"),
        (["--weights", "nothing.csv", "--max-distortion", "0.1"], 2, "nothing.csv cannot be read"),
        (["nothing.json", "--max-distortion", "0.1"], 2, "There is no file 'nothing.json'"),
        (["--distortion", "absolute", "--max-distortion", "0.1"], 2, "not a finite number"),
    ],
)
def test_refusals_are_one_sentence(
    capsys: pytest.CaptureFixture[str], adult: Path, arguments: list[str], code: int, words: str
) -> None:
    found, out, err = run(capsys, "compare", adult, "--secret", "marital_status", *arguments)
    assert (found, out) == (code, "")
    assert err.startswith("leakgauge: ") and err.count("\n") == 1
    assert words in err


def test_an_impossible_distortion_is_named(capsys: pytest.CaptureFixture[str], ages: Path, tmp_path: Path) -> None:
    file = tmp_path / "distances.csv"
    file.write_text("age,low,high\n2,1,4\n3,1,4\n5,4,1\n8,4,1\n")
    how = ["--secret", "age", "--distortion", file]
    code, _, err = run(capsys, "compare", ages, *how, "--max-distortion", 0.5)
    assert (code, "already have 1" in err) == (1, True)
    # No symmetric channel where the letters released are others.
    assert "symmetric channel" not in by_name(fields(capsys, "compare", ages, *how, "--max-distortion", 2))


def test_an_output_that_is_read_is_refused(capsys: pytest.CaptureFixture[str], ages: Path) -> None:
    before = ages.read_text()
    code, _, err = run(capsys, "compare", ages, "--secret", "age", "--max-distortion", 0.1, "-o", ages)
    assert code == 2 and err.startswith("leakgauge: ")
    assert ages.read_text() == before


def test_the_exponential_mechanism_just_meets_a_leakage_in_any_unit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = {}
    for unit in (1e-12, 1.0, 1e10):
        path = tmp_path / f"incomes {unit}.csv"
        path.write_text("income\n" + "".join(f"{(1 + at % 5) * unit!r}\n" for at in range(50)))
        told = fields(capsys, "compare", path, "--secret", "income", "--distortion", "squared", "--max-leakage", 0.5)
        found[unit] = by_name(told)["exponential mechanism"]
        assert found[unit]["leakage"]["value"] == pytest.approx(0.5, abs=1e-9)
        assert found[unit]["leakage"]["value"] <= 0.5
        assert found[unit]["distortion"]["value"] == pytest.approx(
            found[1e-12]["distortion"]["value"] * (unit / 1e-12) ** 2
        )


def test_another_measure_ranks(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    given = ["randomized-response:epsilon=1", "randomized-response:epsilon=3", "randomized-response:epsilon=4"]
    what = ["compare", adult, "--secret", "marital_status", *given, "--max-distortion", 0.3]
    for by in ("epsilon", "identifiability"):
        found = fields(capsys, *what, "--by", by)
        levels = [one[by]["value"] for one in found["ranking"] if one["meets_target"]]
        assert found["by"] == by and levels == sorted(levels)
        assert [one["meets_target"] for one in found["ranking"]][-1] is False
        # No posterior ratio is below that of the prior.
        assert min(levels) >= found["prior_skew"]["value"] or by == "epsilon"
    assert found["prior_skew"]["value"] == pytest.approx(math.log(0.466827 / 0.000683639), abs=1e-3)
    assert run(capsys, *what, "--by", "bit")[0] == 2
    with pytest.raises(OptionError, match="not ranked by 'bit'; did you mean 'bits'"):
        lg.compare(adult, secret="marital_status", max_distortion=0.3, by="bit")


def test_one_level_is_one_number_wherever_it_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "1024 to 1.csv"
    table.write_text("status\n" + "well\n" * 1024 + "ill\n")
    what = ["compare", table, "--secret", "status", "--max-distortion", 0.5, "--by", "identifiability"]
    # The least leaking channel always says "well": its identifiability is the prior's, ln 1024 = 6.93147…
    code, out, _ = run(capsys, *what)
    assert code == 0
    assert out.count("6.94") >= 3 and "6.93" not in out


def test_weights_are_named_by_the_value_or_its_text(ages: Path) -> None:
    found = [
        lg.compare(ages, secret="age", max_distortion=0.2, weights=weights)
        for weights in ({2: 1, 3: 2.0, 5: 1, 8: 1}, {"2": 1, "3": 2, "5": 1, "8": 1})
    ]
    assert found[0].ranking == found[1].ranking
    for weights in ({2: 1}, {1: 1.0, 2: 1}, {None: 1.0}, {("a", 1): 1.0}):
        with pytest.raises(LabelError, match="The weights"):
            lg.compare(ages, secret="age", max_distortion=0.2, weights=weights)
    with pytest.raises(LabelError, match="a second time"):
        lg.compare(ages, secret="age", max_distortion=0.2, weights={2: 1, "2": 1, 3: 1, 5: 1, 8: 1})


def test_a_whole_number_is_a_target(ages: Path) -> None:
    whole, same = (lg.compare(ages, secret="age", distortion="absolute", max_distortion=most) for most in (2, 2.0))
    assert whole.ranking == same.ranking


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ([], 0, ""),
        (["--distortion", "absolute"], 2, "so far apart that no number holds their distance"),
        (["--distortion", "squared"], 2, "so far apart that no number holds their distance"),
        (["laplace:epsilon=1e-320,lower=0,upper=2"], 2, "A scale of inf grid steps"),
        (["geometric:epsilon=1e-320,lower=0,upper=2"], 2, "A scale of inf grid steps"),
    ],
)
def test_numbers_as_large_or_small_as_they_get(
    how: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "huge.csv"
    table.write_text("amount\n" + "1e308\n-1e308\n5\n" * 10)
    found, _, err = run(capsys, "compare", table, "--secret", "amount", *how, "--max-distortion", 0.2)
    assert (found, said in err) == (code, True)


def test_advice_is_true(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    given = ["randomized-response:epsilon=3", "randomized-response:epsilon=4"]
    what = ["compare", adult, "--secret", "marital_status", "--max-distortion"]
    found = fields(capsys, *what, 0.3, *given)
    rows = by_name(found)
    assert [round(rows[name]["effective_rows"]["value"], 4) for name in given] == [0.4689, 0.7336]
    lost = rows["least leaking channel"]
    assert lost["effective_rows"]["value"] == 0 and lost["confused_values"] == 7
    advised = str(sentence_of(found["advice"]))
    assert advised == (
        "Of the mechanisms that meet the target, least leaking channel has the least, 0.36 bits, but its release does "
        "not show how often each of 7 values occurs; if shares matter, take randomized-response:epsilon=4: 1.35 bits, "
        "worth 73% of the rows."
    )
    assert "none is worth half of the rows, and randomized-response:epsilon=3 is worth most: 47%" in str(
        sentence_of(fields(capsys, *what, 0.3, given[0])["advice"])
    )
    # Close to the truth the least leaking channel loses nobody.
    near = str(sentence_of(fields(capsys, *what, 0.001, *given)["advice"]))
    assert near.startswith(
        "Of the mechanisms that meet the target, take least leaking channel: none has less than its 1.81 bits"
    )


def test_a_channel_of_this_table_that_keeps_its_shares_is_read_as_it_is(
    capsys: pytest.CaptureFixture[str], ages: Path, tmp_path: Path
) -> None:
    shares, letters = np.array([3, 5, 2, 1]) / 11, [2, 3, 5, 8]
    channel = Channel(letters, letters, 0.6 * np.eye(4) + 0.4 * shares)
    worth = {}
    for origin in (PriorOrigin.THIS_TABLE, PriorOrigin.ANOTHER_TABLE):
        path = tmp_path / f"{origin.value}.json"
        path.write_text(text_of(ChannelFile.of(NamedChannel(channel, ("age",), ("age",), origin))))
        found = by_name(fields(capsys, "compare", ages, "--secret", "age", path, "--max-distortion", 0.5))[str(path)]
        worth[origin] = found["effective_rows"]["value"]
    assert worth[PriorOrigin.THIS_TABLE] >= 0.5 > worth[PriorOrigin.ANOTHER_TABLE] > 0


def test_mechanisms_beside_the_least_leaking_one_that_keeps_the_shares(
    capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path
) -> None:
    kept, secret = tmp_path / "kept.json", ["--secret", "marital_status"]
    assert run(capsys, "design", adult, *secret, "--max-distortion", 0.2, "--keep", "shares", "-o", kept)[0] == 0
    found = fields(capsys, "compare", adult, *secret, kept, "--max-distortion", 0.2, "--keep", "shares")
    assert found["keep"] == "shares"
    names = ["least leaking that keeps the shares", str(kept), "least leaking channel"]
    assert [one["mechanism"] for one in found["ranking"]][:3] == names
    best, designed, free = found["ranking"][:3]
    assert best["leakage"]["value"] == pytest.approx(0.768494, abs=1e-6)
    assert best["epsilon"]["value"] == pytest.approx(3.9819, abs=1e-4)
    assert (free["role"], free["waste"]["value"]) == ("baseline", 0)
    assert free["leakage"]["value"] == pytest.approx(0.669416, abs=1e-6)
    symmetric = by_name(found)["symmetric channel"]
    assert symmetric["waste"]["value"] == pytest.approx(1.027045 - 0.768494, abs=2e-6)
    assert [one["keeps_shares"] for one in found["ranking"]] == [True, True, False, False, False]
    # Read as they are, shares are worth what the channel leaves; where they are lost, nothing.
    worth = [one["effective_rows"]["value"] for one in (best, designed, free)]
    assert worth == pytest.approx([0.667, 0.667, 0], abs=5e-4)
    assert designed["waste"]["value"] <= 2e-9
    assert str(sentence_of(found["advice"])).startswith(
        "Of the mechanisms that meet the target and keep the shares, take least"
    )


def test_keeping_goes_with_letters_that_only_others_release(
    capsys: pytest.CaptureFixture[str], ages: Path, tmp_path: Path
) -> None:
    path = tmp_path / "channel.json"
    path.write_text(text_of(ChannelFile.of(NamedChannel(symmetric_channel([9, 8, 5, 3, 2], 0.4), ("age",), ("age",)))))
    rows = by_name(
        fields(capsys, "compare", ages, "--secret", "age", path, "--max-distortion", 0.5, "--keep", "shares")
    )
    prior = Distribution([2, 3, 5, 8], np.array([3, 5, 2, 1]) / 11)
    least = solve(RateDistortion(prior, Hamming(), MaxDistortion(0.4), keep=Keep.SHARES))
    wasted = rows[str(path)]["leakage"]["value"] - least.leakage
    assert rows[str(path)]["waste"]["value"] == pytest.approx(wasted, abs=1e-8)
    assert rows[str(path)]["keeps_shares"] is False


def test_mechanisms_for_a_column_by_what_it_tells_on_the_secret(
    capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path
) -> None:
    what = ["compare", adult, "--secret", "marital_status", "--through", "occupation", "--max-distortion", 0.2]
    found = fields(capsys, *what, "--keep", "shares")
    rows = by_name(found)
    told = {name: one["leakage"]["value"] for name, one in rows.items()}
    assert told["least leaking channel"] == pytest.approx(0.010343, abs=1e-6)
    assert told["least leaking that keeps the shares"] == pytest.approx(0.013417, abs=1e-6)
    assert told["symmetric channel"] == pytest.approx(0.047679, abs=1e-6)
    assert found["through"] == "occupation" and found["prior_skew"] is None
    assert rows["symmetric channel"]["identifiability"] is None
    # Who knows more sees more, and what he knows anyway is a floor.
    small = tmp_path / "small.csv"
    small.write_text("ill,job,sex\n" + "flu,a,f\nnone,b,f\nnone,a,m\nflu,a,m\nnone,b,m\n" * 3 + "flu,b,f\n")
    what = ["compare", small, "--secret", "ill", "--through", "job", "--background", "sex", "--max-distortion", 0.3]
    attacked = fields(capsys, *what)
    floor = attacked["background_floor"]["value"]
    assert all(one["leakage_with_background"]["value"] >= floor > 0 for one in attacked["ranking"])
    code, out, _ = run(capsys, *what)
    assert code == 0 and "Mechanisms for job by what it reveals about ill" in out and "I(S;Y,Z)" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--keep", "associations"], "compare its file with --knowledge both, and use --keep shares or nothing"),
        (["--keep", "shares", "--through", "marital_status"], "named with --through and as secret"),
        (["--by", "identifiability", "--through", "occupation"], "rank by bits or epsilon"),
    ],
)
def test_what_cannot_be_kept_or_ranked_is_refused(
    capsys: pytest.CaptureFixture[str], adult: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run(capsys, "compare", adult, "--secret", "marital_status", "--max-distortion", 0.2, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1) and words in err
    with pytest.raises(OptionError, match="'share' cannot be kept; did you mean 'shares'"):
        lg.compare(adult, secret="marital_status", max_distortion=0.2, keep="share")


@pytest.mark.parametrize("keep", [Keep.SHARES, Keep.NOTHING])
def test_a_channel_within_a_bound_stands_among_the_others_by_its_own_name(ages: Path, keep: Keep) -> None:
    question = Question(("age",), (), Hamming(), Knowledge.NOBODY, keep=keep)
    with lg.open_table(ages) as table:
        chosen = solve(replace(question, local_dp=1.2).problem(table, MaxDistortion(0.5)), 1e-6)
        target = MaxDistortion(chosen.distortion)
        rows = {one.role: one for one in comparison(table, question, (), target, bounded=chosen.channel).ranking}
    found = rows[Role.DESIGNED]
    assert found.mechanism == "least leaking within ε" + (" that keeps the shares" if keep is Keep.SHARES else "")
    assert found.leakage.value == pytest.approx(chosen.leakage) and found.epsilon.value <= 1.2
    assert found.meets_target and found.keeps_shares is (keep is Keep.SHARES)
    assert found.waste.value == pytest.approx(chosen.leakage - rows[Role.OPTIMUM].leakage.value, abs=1e-8)


def test_channels_that_read_the_background(capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path) -> None:
    who = ("--secret", "marital_status", "--background", "occupation")
    channel = tmp_path / "both.json"
    target = ("--max-distortion", 0.2)
    kept = ("--knowledge", "both", "--keep", "associations")
    designed = fields(capsys, "design", adult, *who, *kept, *target, "-o", channel)
    response = "randomized-response:epsilon=3"
    found = fields(capsys, "compare", adult, *who, "--knowledge", "both", channel, response, *target)
    assert found["knowledge"] == "both"
    rows = by_name(found)
    best, own, symmetric = rows["least leaking channel"], rows[str(channel)], rows["symmetric channel"]
    # The channel of the file as the design knows it, ε given the background included.
    assert own["leakage_with_background"]["value"] == pytest.approx(designed["leakage_with_background"]["value"])
    assert own["epsilon"]["value"] == pytest.approx(designed["epsilon"]["value"], rel=1e-12)
    assert own["waste"]["value"] == pytest.approx(designed["price_of_keeping"]["value"], abs=1e-8)
    assert own["effective_rows"]["value"] == pytest.approx(0.747, abs=1e-3)  # of cells, as shares of all rows
    # What reads only the secret is a channel for every background.
    joint = lg.open_table(adult).counts("marital_status", "occupation").joint()
    plain = symmetric_channel(joint.rows, 0.2)
    told = lg.measures.leakage_with_background(Scenario(joint, plain))
    assert symmetric["leakage_with_background"]["value"] == pytest.approx(told)
    assert symmetric["waste"]["value"] == pytest.approx(told - best["leakage_with_background"]["value"], abs=1e-6)
    alone = by_name(fields(capsys, "compare", adult, *who, response, *target))
    assert rows[response]["leakage_with_background"] == alone[response]["leakage_with_background"]
    assert best["leakage_with_background"]["value"] < alone["least leaking channel"]["leakage_with_background"]["value"]
    assert "its ε is conditional on it" in " ".join(
        run(capsys, "compare", adult, *who, "--knowledge", "both", *target)[1].split()
    )
    with pytest.raises(OptionError, match="needs a background, and none is given"):
        lg.compare(adult_rows(), secret="marital_status", max_distortion=0.2, knowledge="both")
    with pytest.raises(OptionError, match="neither attacker nor both"):
        lg.compare(
            adult_rows(), secret="marital_status", background="occupation", max_distortion=0.2, knowledge="published"
        )
