"""Compare, asked in names, texts and files: for Python and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leakgauge.arguments import checked
from leakgauge.artefacts import Comparison
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage
from leakgauge.distances import Distortion, distortion_named
from leakgauge.errors import OptionError
from leakgauge.jobs.compare import compare as compare_channels
from leakgauge.jobs.design import Question
from leakgauge.probability.files import read_label_values
from leakgauge.tables import open_table, parse_binnings


@checked
def compare(
    table: object,
    mechanisms: str | Sequence[str] = (),
    *,
    secret: str | Sequence[str],
    background: str | Sequence[str] = (),
    max_distortion: float | None = None,
    max_leakage: float | None = None,
    distortion: Distortion | str = "hamming",
    weights: Mapping[str, float] | Path | str | None = None,
    bins: str | Sequence[str] = (),
    missing: str | Sequence[str] = (),
    gap: float | None = None,
) -> Comparison:
    """Mechanisms for one secret on one scale, the best first, each beside the channel that leaks least.

    Args:
        table: a path or a frame, as ``open_table`` takes it.
        mechanisms: such as ``randomized-response:epsilon=1``, or channel files.
        secret: the column, or several that are one joint source.
        background: columns that the attacker knows.
        max_distortion: a mean distortion of at most this is asked for.
        max_leakage: or a leakage of at most these bits.
        distortion: what a wrong value costs: hamming, absolute, squared, a file, or a distortion itself.
        weights: how sensitive each value is, by its text; a file, or the numbers themselves.
        bins: how numbers and dates are gathered, such as ``age=width:10``.
        missing: texts that count as missing.
        gap: how close to the best in nats; by default 1e-9, with weights 1e-6.

    Raises:
        OptionError: no target or two, or a mechanism that cannot be compared.
        RefusalError: no channel meets the target.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"illness": ["flu"] * 30 + ["none"] * 70})
        >>> found = compare(people, "randomized-response:epsilon=1", secret="illness", max_distortion=0.3)
        >>> found.ranking[0].mechanism, found.ranking[0].leakage.value
        ('least leaking channel', 0.0)
    """
    columns, known = _several(secret), _several(background)
    question = Question(
        columns,
        known,
        distortion_named(distortion) if isinstance(distortion, str) else distortion,
        Knowledge.ATTACKER if known else Knowledge.NOBODY,
        parse_binnings(_several(bins), columns + known),
        weights=read_label_values(weights) if isinstance(weights, str | Path) else weights,
    )
    if gap is None:
        # With weights the last digits take far longer than the first.
        gap = 1e-9 if weights is None else 1e-6
    with open_table(table, missing=_several(missing)) as source:
        return compare_channels(source, question, _several(mechanisms), _target(max_distortion, max_leakage), gap)


def _target(max_distortion: float | None, max_leakage: float | None) -> MaxDistortion | MaxLeakage:
    if max_distortion is not None and max_leakage is None:
        return MaxDistortion(max_distortion)
    if max_leakage is not None and max_distortion is None:
        return MaxLeakage(max_leakage)
    raise OptionError(
        "{count} targets are given; say one of {first!s} and {last!s}.",
        count=0 if max_leakage is None else 2,
        first="--max-distortion",
        last="--max-leakage",
    )


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    """Texts, of which one may stand alone."""
    return (given,) if isinstance(given, str) else tuple(given)
