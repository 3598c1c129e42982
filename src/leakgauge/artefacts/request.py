"""What the main job is asked to do: one question for the command line, the page and Python."""

from __future__ import annotations

import math
import shlex
from datetime import date
from pathlib import Path
from typing import Annotated, Final

import msgspec

from leakgauge.artefacts.assessment import parse_target
from leakgauge.artefacts.quantity import Origin, Part
from leakgauge.errors import OptionError
from leakgauge.sentences import Sentence

FRAME: Final = "frame"
"""What a table in memory is called where a file has its name."""
_TARGETS = ("max_distortion", "max_leakage", "target")


class Request(Part, frozen=True):
    """A table to protect and what the protected one must be.

    Attributes:
        table: a file, as ``open_table`` takes it; ``frame`` for a table in memory.
        background: columns the attacker knows; they are not released unless they are public too.
        public: columns to release as they are, or in their bins. No other column but the secret is released.
        max_distortion: the least leaking channel with at most this mean distortion.
        max_leakage: the least distorting one with at most these bits, told to the attacker with the background.
        local_dp: an ε in nats to keep as well; alone: the most useful channel that keeps it.
        target: a grade, or a score, to be reached by the cheapest setting.
        mechanism: mechanisms to choose from instead of designing a channel; the best one that meets the target.
        distortion: what a wrong value costs: hamming, absolute, squared or a file.
        bins: how numbers and dates are gathered, such as ``age=width:10``: in every number and in the release alike.
        lower: the least value of a numeric secret, as everybody knows it.
        accounted: an ε in nats for which a noisy histogram is bought, from which the channel is then designed.
        releases_per_period: how often such a release is made.
        purpose: what the release is for, in the user's words.
        review: when to look again, such as 2027-11-16.
        report_language: en, zh or both, side by side.
        simulate: a seed, for a rehearsal that protects nobody.

    Raises:
        OptionError: no target, two, or numbers outside their range; a column with two parts to play.
    """

    table: str
    secret: Annotated[str, Origin.DECLARED]
    background: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    public: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    max_distortion: Annotated[float | None, Origin.DECLARED] = None
    max_leakage: Annotated[float | None, Origin.DECLARED] = None
    local_dp: Annotated[float | None, Origin.DECLARED] = None
    target: Annotated[str | None, Origin.DECLARED] = None
    mechanism: tuple[str, ...] = ()
    distortion: tuple[str, ...] = ("hamming",)
    bins: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    missing: tuple[str, ...] = ()
    lower: float | None = None
    upper: float | None = None
    accounted: Annotated[float | None, Origin.DECLARED] = None
    ledger: str | None = None
    dataset: str | None = None
    policy: str | None = None
    diagram: str | None = None
    questionnaire: str | None = None
    releases_per_period: Annotated[float, Origin.DECLARED] = 1.0
    confidence: float = 0.95
    purpose: Annotated[str | None, Origin.DECLARED] = None
    recipient: Annotated[str | None, Origin.DECLARED] = None
    review: Annotated[str | None, Origin.DECLARED] = None
    report_language: str = "en"
    simulate: int | None = None

    def __post_init__(self) -> None:
        self._require_roles()
        self._require_one_target()
        for name in ("max_distortion", "max_leakage"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise OptionError(
                    "--{name!s} {value} is not a finite number of at least 0; give one.",
                    name=name.replace("_", "-"),
                    value=value,
                )
        for epsilon in (self.local_dp, self.accounted):
            if epsilon is not None and not 0 < epsilon < math.inf:
                raise OptionError("An ε of {epsilon} is not a finite number above 0.", epsilon=epsilon)
        if self.target is not None:
            parse_target(self.target)
        if self.target is None and (self.lower, self.upper) != (None, None):
            raise OptionError("--lower and --upper go with --target; a mechanism names its own bounds.")
        if not 0 < self.releases_per_period < math.inf:
            raise OptionError(
                "{found} releases in a period are not a finite number above 0; try 1.", found=self.releases_per_period
            )
        if self.review is not None and not _is_date(self.review):
            raise OptionError("--review {found!r} is not a date; write it as 2027-11-16.", found=self.review)
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)
        if self.accounted is not None and (self.mechanism or self.ledger is None or self.simulate is not None):
            raise OptionError(
                "--accounted buys a noisy histogram to design from; give a --ledger, and no --mechanism or --simulate."
            )
        if self.dataset is not None and self.ledger is None:
            raise OptionError(
                "--dataset {found!r} names an account, but no ledger is given; name it with --ledger.",
                found=self.dataset,
            )
        if self.simulate is not None and self.ledger is not None:
            raise OptionError("A simulation spends nothing and is not a release; leave the ledger out.")

    def _require_roles(self) -> None:
        if "" in (self.secret, *self.background, *self.public):
            raise OptionError("A column has an empty name, which files cannot keep; rename it.")
        for role, names in ((Sentence("background"), self.background), (Sentence("public"), self.public)):
            for name in names:
                if name == self.secret:
                    raise OptionError(
                        "Column {column!r} is named both as secret and as {role}; give it one role.",
                        column=name,
                        role=role,
                    )
                if names.count(name) > 1:
                    raise OptionError(
                        "Column {column!r} is named twice as {role}; name it once.", column=name, role=role
                    )

    def _require_one_target(self) -> None:
        given = [name for name in _TARGETS if getattr(self, name) is not None]
        if len(given) > 1 or (self.target is not None and (self.local_dp is not None or self.mechanism)):
            raise OptionError(
                "Two targets are given; say one of --max-distortion, --max-leakage and --target. --local-dp and "
                "--mechanism go with the first two."
            )
        if not given and self.local_dp is None and len(self.mechanism) != 1:
            raise OptionError(
                "No target is given; say --max-distortion, --max-leakage, --local-dp or --target, or name one "
                "--mechanism."
            )

    @property
    def released(self) -> tuple[str, ...]:
        """Every column that is released."""
        return (self.secret, *self.public)

    @property
    def seen(self) -> tuple[str, ...]:
        """Every column that the attacker knows, or sees as it is in the release."""
        return tuple(dict.fromkeys((*self.background, *self.public)))

    def given(self) -> dict[str, object]:
        """What is asked beside the table, defaults left out."""
        every = {one.name: getattr(self, one.name) for one in msgspec.structs.fields(self)[1:]}
        defaults = {one.name: one.default for one in msgspec.structs.fields(self)}
        return {name: value for name, value in every.items() if value != defaults[name]}

    def arguments(self) -> list[str]:
        """What follows ``leakgauge protect``, the folder left out."""
        # A value in one word with its option is never taken for an option.
        words = [f"./{self.table}" if self.table.startswith("-") else self.table]
        for name, value in self.given().items():
            option = f"--{name.replace('_', '-')}"
            for each in value if isinstance(value, tuple) else (value,):
                text = _written(each)
                words += [f"{option}={text}"] if text.startswith("-") else [option, text]
        return words

    def command(self, folder: Path | str) -> str:
        """The command that asks for the same."""
        return shlex.join(["leakgauge", "protect", *self.arguments(), "-o", str(folder)])

    def script(self, folder: Path | str) -> str:
        """A Python script that asks for the same; it runs as it is, but for a table in memory."""
        table = FRAME if self.table == FRAME else repr(self.table)
        lines = [
            "import leakgauge as lg",
            "",
            "done = lg.protect(",
            *(f"    {value}," for value in (table, repr(str(folder)))),
            *(f"    {name}={value!r}," for name, value in self.given().items()),
            ")",
            "print(done.folder / 'report.html')",
            "done.require()",
            "",
        ]
        return "\n".join(lines)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _written(value: object) -> str:
    """A value as it is typed; numbers in as few digits as read back the same."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
