"""``leakgauge design --least guess``: what it is not combined with, and its screen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from leakgauge.cli.language import listed, say
from leakgauge.cli.output import Parts, kept_private, number, told_level
from leakgauge.errors import OptionError
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts.design import GuessedDesign
    from leakgauge.jobs.design import Question

_ALONE = (
    "slope",
    "max_leakage",
    "curve",
    "through",
    "after",
    "keep_at_least",
    "never_changed",
    "local_dp",
    "identifiability",
    "weights",
    "gap",
)
"""Parameters of options that ask for more than a largest distortion, or for another proof."""


def require_distortion_alone(given: Mapping[str, Any]) -> None:
    """Refuse options, by their names where they are not their defaults, that the least chance of a right guess is not
    found for."""
    others = [f"--{name.replace('_', '-')}" for name in _ALONE if name in given]
    others += [f"--keep {given['keep']}"] if "keep" in given else []
    others += [f"--knowledge {given['knowledge']}"] if given.get("knowledge") in ("both", "published") else []
    if others:
        raise OptionError(
            "--least guess is found for a largest distortion alone and cannot be combined with {other!s}; leave one "
            "of the two out.",
            other=others[0],
        )
    if "max_distortion" not in given and "within" not in given:
        raise OptionError("--least guess needs a largest distortion; give it with --max-distortion, or --within.")


def render(found: GuessedDesign, question: Question, output: Path | None) -> Parts:
    """The numbers of the channel, and what its gap proves."""
    from leakgauge.distances import Hamming

    columns = [
        say("mean distortion"),
        say("right guesses"),
        say("before the release"),
        say("{what!s} bits", what="I(X;Y)"),
        "ε",
        say("letters"),
        say("gap"),
    ]
    cells = [
        number(found.distortion.value),
        percent(found.best_guess_after.value),
        percent(found.best_guess.value),
        number(found.leakage.value),
        told_level(found.epsilon.value),
        str(found.letters),
        f"{found.gap.value:.1e}",
    ]
    if found.leakage_with_background is not None:
        columns.insert(4, say("{what!s} bits", what="I(X;Y,Z)"))
        cells.insert(4, number(found.leakage_with_background.value))
    title = say("Least guessed channel for {secret!s}", secret=listed(question.secret))
    table = Table(*columns, title=title, title_justify="left")
    table.add_row(*cells)
    known = found.knowledge == "attacker"
    parts: Parts = [table]
    if known:
        parts.append(say("Guesses are made with the background, before the release as well."))
    elif isinstance(question.distortion, Hamming):
        # 1 − D is both the least chance of a right guess and that of the least leaking channel.
        parts.append(
            say(
                "With Hamming distortion the release itself is the best guess: the channel of --least bits is guessed "
                "right just as often and reveals no more."
            )
        )
    reads = say("No equally useful channel that reads the secret alone") if known else say("No equally useful channel")
    parts.append(
        say(
            "{others!s} is guessed right less often, except within the gap. Designed from this table's counts.",
            others=reads,
        )
    )
    if output is not None:
        parts.append(kept_private(output))
    return parts
