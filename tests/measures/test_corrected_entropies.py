"""Entropies from few observations: values computed elsewhere, and the bias of each estimator beside the plug-in's."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.errors import OptionError
from leakgauge.measures import Estimator, entropy, estimate, guessing, mutual_information
from leakgauge.measures.corrected_entropies import chao_shen, grassberger, nemenman_shafee_bialek
from leakgauge.measures.estimation import estimates
from leakgauge.measures.information import Unit
from leakgauge.measures.terms import AxisRoles
from leakgauge.probability import Channel, Counts
from tests.grids import diagonal

SEEN = np.array([4, 12, 4, 5, 3, 1, 5, 1, 2, 2, 2, 2, 11, 3, 4, 12, 12, 1, 2])
EULER = 0.57721566490153286


def test_values_are_those_of_others() -> None:
    """Chao and Shen's by infomeasure 1.x; Nemenman, Shafee and Bialek's by adaptive quadrature of 15 digits in β."""
    assert chao_shen(SEEN, 100) == pytest.approx(2.761664047585218, abs=1e-12)
    assert nemenman_shafee_bialek(SEEN, 100) == pytest.approx(2.80609691605433, abs=1e-9)
    assert nemenman_shafee_bialek(np.array([10**7, 10**7]), 2) == pytest.approx(math.log(2), abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "size", "nats", "digits"),
    [
        # The README of ndd 1.10, whose integral is good to about 5e-6.
        (SEEN, 100, 2.8060922529931225, 1e-5),
        # The README of ndd 1.4.1.
        ([7, 3, 5, 8, 9, 1, 3, 3, 1, 0, 2, 5, 2, 11, 4, 23, 5, 0, 8, 0], 20, 2.623634344888532, 1e-5),
        # The README of ndd 1.7.
        ([12, 4, 12, 4, 5, 3, 1, 5, 1, 2, 2, 2, 2, 11, 3, 4, 12, 12, 1, 2], 100, 2.8400090835681375, 1e-5),
        # nsb_entropy.py by Hong after Mendl's Mathematica functions, with 40 digits.
        ([4, 2, 3, 0, 2, 4, 0, 0, 2], 9, 1.940646728502697166844598206814653716492, 1e-9),
    ],
)
def test_nsb_is_as_published(counts: list[int], size: int, nats: float, digits: float) -> None:
    assert nemenman_shafee_bialek(np.array(counts), size) == pytest.approx(nats, abs=digits)


def test_chao_and_shen_s_is_that_of_hausser_and_strimmer_s_package() -> None:
    """Their formula as the source of R's ``entropy`` 1.3.2 has it, on the counts of its manual."""
    counts = np.array([4, 2, 3, 0, 2, 4, 0, 0, 2, 1, 1])
    seen, n = counts[counts > 0], 19
    adjusted = (1 - 2 / n) * seen / n
    expected = -(adjusted * np.log(adjusted) / (1 - (1 - adjusted) ** n)).sum()
    assert chao_shen(counts, len(counts)) == pytest.approx(expected, abs=1e-12)


def test_grassberger_s_numbers_follow_his_recursion() -> None:
    """G(1) = −γ − ln 2, G(2) = 2 − γ − ln 2, G(2k + 1) = G(2k), G(2k + 2) = G(2k) + 2 / (2k + 1)."""
    g = [math.nan, -EULER - math.log(2), 2 - EULER - math.log(2)]
    while len(g) < 20:
        g += [g[-1], g[-1] + 2 / (len(g))]
    expected = math.log(SEEN.sum()) - sum(n * g[n] for n in SEEN) / SEEN.sum()
    assert grassberger(SEEN, 100) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("law", ["uniform", "zipf"])
@pytest.mark.parametrize("n", [50, 100])
def test_each_errs_less_than_the_plug_in_where_values_are_many(law: str, n: int) -> None:
    p = np.full(100, 0.01) if law == "uniform" else 1 / np.arange(1.0, 101.0)
    p /= p.sum()
    truth = float(-(p * np.log(p)).sum())
    drawn = randomness.simulation(31).multinomial(n, p, size=200)
    plain = np.mean([-(k[k > 0] / n * np.log(k[k > 0] / n)).sum() for k in drawn]) - truth
    for estimator in (chao_shen, grassberger, nemenman_shafee_bialek):
        bias = np.mean([estimator(k, 100) for k in drawn]) - truth
        assert abs(bias) < abs(plain) / 2, (estimator.__name__, bias, plain)


LAWS = {
    "equally likely": np.ones(100),
    "Zipf's law": 1 / np.arange(1.0, 101.0),
    "half of them never": np.concatenate([np.ones(50), np.zeros(50)]),
}


@pytest.mark.parametrize(("law", "n"), diagonal(list(LAWS), [50, 500]))
def test_bias_and_error_of_each_are_as_the_page_has_them(law: str, n: int) -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "estimation.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {law}, {n} \| (.*) \|$", page, re.MULTILINE)
    p = LAWS[law] / LAWS[law].sum()
    drawn = randomness.simulation(35).multinomial(n, p, size=200)
    kinds, roles = list(Estimator), AxisRoles(("x",))
    found = [estimates([entropy], Counts({"x": range(100)}, one), roles, estimators=kinds)[0] for one in drawn]
    truth = -(p[p > 0] * np.log2(p[p > 0])).sum()
    errors = np.array([[one[kind].value for kind in kinds] for one in found]) - truth
    for cell, off in zip(row.split(" | "), errors.T, strict=True):
        bias, typical = (float(number.replace("−", "-")) for number in cell.split(" / "))
        assert bias == pytest.approx(off.mean(), abs=0.0051)
        assert typical == pytest.approx(math.sqrt((off**2).mean()), abs=0.0051)


def test_a_law_drawn_from_the_prior_is_estimated_without_bias() -> None:
    """The mean over laws is unbiased over the laws of its own prior: concentrations flat in the entropy expected."""
    from scipy.special import digamma

    generator, size, errors = randomness.simulation(32), 20, []
    for _ in range(400):
        wanted = generator.uniform(0, math.log(size))
        low, high = -20.0, 20.0
        for _ in range(60):
            middle = (low + high) / 2
            expected = digamma(size * math.exp(middle) + 1) - digamma(math.exp(middle) + 1)
            low, high = (middle, high) if expected < wanted else (low, middle)
        p = generator.dirichlet(np.full(size, max(math.exp(low), 1e-3)))
        truth = float(-(p[p > 0] * np.log(p[p > 0])).sum())
        errors.append(nemenman_shafee_bialek(generator.multinomial(10, p), size) - truth)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / math.sqrt(len(errors))


def test_measures_are_sums_of_entropies_within_their_range() -> None:
    counts = Counts({"x": range(3), "y": range(4)}, randomness.simulation(33).integers(0, 9, size=(3, 4)))
    table = np.zeros((3, 4), dtype=np.int64)
    table[tuple(counts.codes)] = counts.counts
    for estimator, own in ((Estimator.GRASSBERGER, grassberger), (Estimator.NSB, nemenman_shafee_bialek)):
        expected = own(table.sum(axis=1), 3) + own(table.sum(axis=0), 4) - own(table.ravel(), 12)
        found = estimate(mutual_information, counts, ["x"], ["y"], estimator=estimator, unit=Unit.NATS)
        assert found.value == pytest.approx(max(expected, 0.0), abs=1e-12)
        assert found.low <= found.value <= found.high
    one = Counts({"x": range(3), "y": ["a"]}, [[2], [3], [4]])
    assert estimate(mutual_information, one, ["x"], ["y"], estimator=Estimator.NSB).value == 0


def test_they_are_refused_where_they_are_not_defined() -> None:
    counts = Counts({"x": range(3)}, [5, 3, 2])
    with pytest.raises(OptionError, match="for Shannon's measures"):
        estimate(guessing.prior, counts, ["x"], estimator=Estimator.CHAO_SHEN)
    with pytest.raises(OptionError, match="for counts alone"):
        estimate(entropy, counts, ["x"], weights=[1.0, 2.0, 3.0], estimator=Estimator.NSB)
    noisy = Channel(range(3), "ab", [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
    with pytest.raises(OptionError, match="for counts alone"):
        estimate(mutual_information, counts, ["x"], channel=noisy, estimator=Estimator.GRASSBERGER)
