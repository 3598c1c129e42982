"""What the roles of columns define about a secret: its uncertainty, what is revealed of it, and how it is guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Final

from leakgauge.artefacts.measurement import Measurement
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.tables import Binning
from leakgauge.tables.binnings import asked_binning, spelled_binning
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.voice import AS_DECLARED, ROWS, Cell, Voice, own

MEASURES: Final = {
    "entropy": message("uncertainty of the secret, H(X)"),
    "conditional_entropy": message("still hidden after the release, H(X|Y)"),
    "mutual_information": message("revealed by the release alone, I(X;Y)"),
    "background_floor": message("known from the background alone, I(X;Z): cannot be reduced"),
    "conditional_mutual_information": message("added by the release to the background, I(X;Y|Z)"),
    "leakage_with_background": message("revealed by release and background together, I(X;Y,Z)"),
    "conditional_entropy_with_background": message("still hidden from someone with the background, H(X|Y,Z)"),
}
"""What Shannon's measures are called."""
_WITHOUT_RELEASE: Final = {
    "entropy": MEASURES["entropy"],
    "background_floor": MEASURES["background_floor"],
    "conditional_entropy_with_background": message("still hidden from someone with the background, H(X|Z)"),
}
"""Where the background alone is seen, all that is revealed is the floor."""
COMPANIONS: Final = {
    "best_guess": message("chance that the best guess is correct"),
    "guesses": message("guesses needed on average"),
    "effective_set": message("effective number of equally likely values"),
}
"""What measures that are easier to picture are called."""
_ROLES: Final = {
    "secret": message("X, the secret: {columns} (different values: {values})"),
    "release": message("Y, the release: {columns} (different values: {values})"),
    "background": message("Z, the background: {columns} (different values: {values})"),
}
_REJECTED: Final = 0.05
"""A hypothesis with a smaller p-value is rejected."""
_SMALLEST: Final = 1e-4
"""P-values below are not told apart."""


def measurement(voice: Voice, measured: Measurement, channels: int = 1) -> Iterator[Content]:
    """The measures of one secret with their intervals, and how far to trust them.

    Args:
        channels: the number of channels that the secret is released through, where it is by channels.
    """
    yield voice.say(
        "{rows} of {table}.",
        rows=voice.number(measured, "rows", unit=ROWS, count=True),
        table=own(Path(measured.table).name),
    )
    yield from _roles(voice, measured, channels)
    secret = voice.listed(measured.secret)
    yield from voice.grid(
        "Information about {secret}", "Quantity|Value|Bias-corrected", _bits(voice, measured), secret=secret
    )
    guesses = [
        (voice.say(called), *(voice.cell(measured, part, percent=name == "best_guess") for part in parts))
        for name, called in COMPANIONS.items()
        for parts in [(name, f"{name}_after")]
        if getattr(measured, name) is not None
    ]
    if not any(getattr(measured, f"{name}_after") for name in COMPANIONS):
        guesses = [row[:2] for row in guesses]
    yield from voice.grid(
        "What that means for someone who guesses {secret}",
        "Quantity|Before anything is seen|After everything is seen",
        guesses,
        secret=secret,
    )
    if measured.entropy.confidence is not None:
        yield intervals(voice, measured.entropy)
    yield from zero_leakage(voice, measured)
    if not guesses:
        yield voice.note(
            "Guesses and effective numbers of values are left out: there are too many combinations of values; bin or "
            "merge values to see them."
        )
    if not measured.reliable:
        yield too_small(voice)


def intervals(voice: Voice, part: object) -> Paragraph[Number]:
    """What the intervals of a part that has a confidence are."""
    share = voice.number(part, "confidence", percent=True, digits=AS_DECLARED)
    return voice.note("Intervals hold the true value with {confidence} confidence.", confidence=share)


def too_small(voice: Voice) -> Paragraph[Number]:
    """The warning beside numbers from too few rows."""
    return voice.alarm(
        "Too small to tell: there are fewer than 5 rows per combination of values, so the intervals may miss the "
        "truth more often than stated; bin or merge values, or use more rows."
    )


def measurements(voice: Voice, measured: Sequence[Measurement], channels: int = 1) -> Iterator[Content]:
    """The same of several secrets, one after the other."""
    for one in measured:
        yield from measurement(voice, one, channels)


def learnt_bins(voice: Voice, bins: Mapping[str, Binning]) -> Iterator[Content]:
    """The bins that were learnt from the table, as they would be typed for ``--bins``."""
    for name, how in bins.items():
        if asked_binning(how) is not how:
            chosen = spelled_binning(how)
            yield voice.say("The bins of {column!s} were learnt from this table: {bins!s}.", column=name, bins=chosen)


def zero_leakage(voice: Voice, measured: Measurement | None) -> Iterator[Content]:
    """The test of the hypothesis that nothing is revealed, where there was one."""
    test = None if measured is None else measured.zero_leakage
    if measured is None or test is None:
        return
    released, rejected = bool(measured.release), test.p_value < _REJECTED
    template = {
        (True, True): message("A test rejects the hypothesis that the release reveals nothing about the secret ({p})."),
        (True, False): message(
            "A test does not reject the hypothesis that the release reveals nothing about the secret ({p})."
        ),
        (False, True): message(
            "A test rejects the hypothesis that the background reveals nothing about the secret ({p})."
        ),
        (False, False): message(
            "A test does not reject the hypothesis that the background reveals nothing about the secret ({p})."
        ),
    }[released, rejected]
    # The smallest p that redrawn tables can show is one in their number.
    bounded = test.degrees_of_freedom is None and test.p_value < 0.01
    value = voice.number(test, "p_value", digits=2, rounding=ROUND_CEILING if bounded else "")
    p: Inline = ("p ≤ " if bounded else "p = ", value)
    yield voice.say(template, p=("p < 0.0001",) if test.p_value < _SMALLEST else p)


def _roles(voice: Voice, measured: Measurement, channels: int) -> Iterator[Content]:
    for role, template in _ROLES.items():
        columns = getattr(measured, role)
        if columns:
            values = voice.number(measured.letters, role)
            yield voice.say(template, columns=voice.listed(columns), values=values)
        elif role == "release" and measured.through_channel:
            several = message("Y, the release: through the {count} channels given, taken together")
            template = several if channels > 1 else message("Y, the release: through the channel given")
            yield voice.say(template, count=channels)


def _bits(voice: Voice, measured: Measurement) -> Iterator[tuple[Cell, ...]]:
    for name, called in (MEASURES if measured.is_released else _WITHOUT_RELEASE).items():
        if name in measured.bias_corrected and getattr(measured, name) is not None:
            corrected = voice.number(measured.bias_corrected[name], "value", unit="bits")
            yield voice.say(called), voice.number(measured, name), corrected
            weighted = voice.maybe(measured.weighted, name)
            if weighted is not None:
                yield voice.say("{measure}, weighted", measure=called), weighted, ""
