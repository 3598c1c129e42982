"""The 28 indicators: what each is, its unit, and the monotone map that puts it between 0 and 1.

A scale always rises with the raw value; which way is good is the diagram's business. ``docs/reference/indicators.md``
shows this table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.errors import InternalError
from leakgauge.sentences import Sentence


class Form(Enum):
    """What is released."""

    LETTERS = "letters"
    NUMBERS = "numbers"
    ANSWERS = "answers"


@dataclass(frozen=True)
class UpTo:
    """A straight scale from 0 to something that is known of the data.

    Attributes:
        top: what stands for 1.
        reason: why.
    """

    top: str
    reason: Sentence


@dataclass(frozen=True)
class Indicator:
    """A leaf of the diagram.

    Attributes:
        leaf: its key.
        name: in English.
        unit: of the raw value.
        scales: for each form of release the map to [0, 1]; empty where people are asked.
    """

    leaf: str
    name: str
    unit: str
    scales: Mapping[Form, Scale | UpTo]

    def scale(self, form: Form, top: float | None = None) -> Scale:
        """The scale of a form of release, ``top`` standing for 1 where it comes from the data."""
        found = self.scales[form]
        if isinstance(found, Scale):
            return found
        if top is None:
            raise InternalError("The scale of leaf {leaf} needs to know {top}.", leaf=self.leaf, top=found.top)
        return Scale(0.0, top, reason=found.reason)

    def evidence(
        self,
        form: Form,
        value: float,
        source: Sentence,
        *,
        standing: Standing = Standing.MEASURED,
        between: tuple[float, float] | None = None,
        top: float | None = None,
        null: float | None = None,
        raw: float | None = None,
        details: Mapping[str, float] | None = None,
    ) -> Evidence:
        """Evidence with this indicator's unit and scale; an interval is widened where it misses the value."""
        low, high = (value, value) if between is None else (min(between[0], value), max(between[1], value))
        scale = self.scale(form, top)
        return Evidence(
            self.leaf,
            standing,
            source,
            value,
            self.unit,
            scale,
            low,
            high,
            null=null,
            raw=raw,
            details=dict(details or {}),
        )


def _all(scale: Scale) -> Mapping[Form, Scale | UpTo]:
    return dict.fromkeys(Form, scale)


def _numbers(scale: Scale, letters: UpTo | None = None) -> Mapping[Form, Scale | UpTo]:
    same: dict[Form, Scale | UpTo] = {Form.NUMBERS: scale, Form.ANSWERS: scale}
    return same if letters is None else {Form.LETTERS: letters, **same}


_SHARE = Scale(0.0, 1.0, reason=Sentence("none of it, and all of it"))
_SPREAD = Scale(1e-6, 1e4, True, Sentence("a thousandth, and a hundred, standard deviations of the data"))

INDICATORS: Mapping[str, Indicator] = {
    one.leaf: one
    for one in (
        Indicator(
            "1",
            "sensitivity Δ",
            "Δ relative to what is released",
            _all(
                Scale(
                    1e-4, 1e2, True, Sentence("one row in ten thousand, and bounds a hundred standard deviations apart")
                )
            ),
        ),
        Indicator(
            "2",
            "relaxation δ",
            "probability",
            _all(Scale(1e-10, 1e-2, True, Sentence("as good as none, and one row in 100"))),
        ),
        Indicator(
            "3",
            "privacy budget ε",
            "nats",
            _all(Scale(0.01, 10.0, True, Sentence("odds move by a hundredth, and by a factor of 22,000"))),
        ),
        Indicator("4", "tightness of ε's lower bound", "share of the claim", _all(_SHARE)),
        Indicator("5", "success of inference attacks", "share of the raw advantage", _all(_SHARE)),
        Indicator(
            "6",
            "mutual information I(O;N)",
            "bits",
            dict.fromkeys(Form, UpTo("H(O)", Sentence("nothing, and all of it"))),
        ),
        Indicator("7", "relative mutual information I(O;N)/I(O;O)", "share", _all(_SHARE)),
        Indicator(
            "8",
            "entropy of the release",
            "bits",
            {
                Form.LETTERS: UpTo("log₂ of the outputs", Sentence("one output, and all outputs alike")),
                Form.NUMBERS: Scale(
                    0.0, 14.0, reason=Sentence("one value, and noise of about a thousand standard deviations")
                ),
                Form.ANSWERS: Scale(0.0, 20.0, reason=Sentence("one count, and a million counts alike")),
            },
        ),
        Indicator(
            "9",
            "differential entropy of the release",
            "bits, the data's standard deviation being 1",
            {
                Form.NUMBERS: Scale(
                    0.0, 12.0, reason=Sentence("spread over one standard deviation, and over about 4,000")
                ),
                Form.ANSWERS: Scale(
                    -12.0, 6.0, reason=Sentence("spread over a 4,000th standard deviation, and over 64")
                ),
            },
        ),
        Indicator(
            "10",
            "mean squared error",
            "variances of the data",
            _numbers(
                _SPREAD, UpTo("its value for letters drawn evenly", Sentence("no error, and letters that say nothing"))
            ),
        ),
        Indicator(
            "11",
            "Mahalanobis distance",
            "pooled standard deviations",
            _numbers(
                Scale(0.0, math.sqrt(2), reason=Sentence("no distance, and that of an independent copy of the data")),
                UpTo("its value for letters drawn evenly", Sentence("no distance, and letters that say nothing")),
            ),
        ),
        Indicator("12", "Pearson correlation", "correlation", _all(_SHARE)),
        Indicator("13", "cosine similarity", "cosine", _all(_SHARE)),
        Indicator("14", "ease of use", "answers 1 to 5", {}),
        Indicator("15", "acceptance", "answers 1 to 5", {}),
        Indicator("16", "correlation of the data's columns", "association", _all(_SHARE)),
        Indicator("18", "covariance of the data's columns", "share of the variance", _all(_SHARE)),
        Indicator("19", "sensitivity of the data", "answers 1 to 5", {}),
        Indicator("20", "fit to scenarios", "share of three ways of use", _all(_SHARE)),
        Indicator("21", "distributions supported", "share of the rows", _all(_SHARE)),
        Indicator("22", "sizes supported", "share of the table's columns", _all(_SHARE)),
        Indicator("23", "types supported", "share of the table's columns", _all(_SHARE)),
        Indicator(
            "24",
            "space",
            "bytes per row",
            _all(Scale(0.1, 1e4, True, Sentence("a bit, and pages of text, for each row"))),
        ),
        Indicator(
            "25",
            "time",
            "nanoseconds of CPU per row",
            _all(Scale(1.0, 1e5, True, Sentence("a billion, and ten thousand, rows a second"))),
        ),
        Indicator(
            "26",
            "frequency of transmission",
            "releases per period",
            _all(Scale(1.0, 365.0, True, Sentence("once, and daily"))),
        ),
        Indicator(
            "27",
            "volume of transmission",
            "bytes per record",
            _all(
                Scale(1e-3, 1e3, True, Sentence("a few answers for a whole table, and a page of text for each record"))
            ),
        ),
        Indicator(
            "28",
            "variance of the noise",
            "variances of the data",
            _numbers(_SPREAD, UpTo("its value for outputs drawn evenly", Sentence("no noise, and nothing but noise"))),
        ),
        Indicator(
            "29",
            "kurtosis of the noise",
            "excess kurtosis",
            _numbers(Scale(-1.2, 6.0, reason=Sentence("uniform noise, and tails as heavy as the exponential law's"))),
        ),
    )
}
"""Every leaf of the default diagram, in its order."""
ASKED = tuple(leaf for leaf, one in INDICATORS.items() if not one.scales)
"""The leaves that people are asked about."""
