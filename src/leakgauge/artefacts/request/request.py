"""The request for the main job, the same for the command line, the page and Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, Final, Self, Unpack

import msgspec

from leakgauge.artefacts.quantity import Part
from leakgauge.artefacts.request.aim import Aim, Aiming, numbers_asked, per_secret
from leakgauge.artefacts.request.part import Names, Options, RequestPart, fields, takes_several
from leakgauge.artefacts.request.roles import Roles, are_columns, public_columns, written
from leakgauge.artefacts.request.terms import (
    Budget,
    Coarsening,
    Declared,
    Limits,
    Reading,
    ReadingOptions,
)
from leakgauge.errors import OptionError, did_you_mean

FRAME: Final = "frame"
"""What a table in memory is called where a file has its name."""
PARTS: Final[Mapping[str, type[RequestPart]]] = {
    "roles": Roles,
    "aims": Aiming,
    "limits": Limits,
    "coarsening": Coarsening,
    "reading": Reading,
    "budget": Budget,
    "declared": Declared,
}
"""The parts in which options are asked for, in the order of a help."""


class RequestOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.protect``: the fields of a request's parts in the forms that Python takes.

    A text stands for itself where several are taken.
    """

    secret: Sequence[str]
    background: Sequence[str]
    public: Sequence[str] | Mapping[str, float | None]
    public_distortion: Mapping[str, float] | None
    withhold: Sequence[str]
    unit: str | None
    rows_per_unit: int | None
    together: bool
    accept_unique: Sequence[str]
    max_distortion: float | Mapping[str, float] | None
    max_leakage: float | Mapping[str, float] | None
    local_dp: float | Mapping[str, float] | None
    within: float | Mapping[str, float] | None
    mechanism: Sequence[str]
    distortion: Sequence[str]
    lower: float | None
    upper: float | None
    min_protection: float | None
    min_usefulness: float | None
    use: str
    keep: str | None
    clamp: bool
    keep_order: bool
    order_by: str | None
    policy: str | Path | None
    bins: Sequence[str]
    levels: Sequence[str]
    suppress_below: int | None
    min_k: int | None
    max_suppressed: float
    accounted: float | None
    ledger: str | Path | None
    dataset: str | None
    simulate: int | None
    publish_shares: bool
    releases_per_period: float
    confidence: float
    diagram: str | Path | None
    questionnaire: str | Path | None
    purpose: str | None
    recipient: str | None
    review: str | None
    blank_is_secret: bool
    sensitivity: str | None
    attacker: str | None
    prepared_by: str | None
    contact: str | None
    terms: str | None
    report_language: str
    repeat: str | Path | None


class Request(Part, frozen=True):
    """A table to protect, and the requirements for its release.

    Attributes:
        table: a file, as ``open_table`` takes it; ``frame`` for a table in memory.
        aims: what is asked of each source, in the order of the secrets.
        repeat: the folder of an earlier job to repeat on a new table.

    Raises:
        OptionError: no target, two, or numbers outside their range; a column with two roles.

    Example:
        >>> asked = Request.of("people.csv", secret="illness", public=["city"], max_distortion=0.2)
        >>> asked.roles.public, asked.aims[0].target
        (('city',), MaxDistortion(distortion=0.2))
        >>> asked.command("out")
        'leakgauge protect people.csv --secret illness --public city --max-distortion 0.2 -o out'
    """

    table: str
    roles: Roles
    aims: tuple[Aim, ...]
    limits: Limits = Limits()
    coarsening: Coarsening = Coarsening()
    reading: Reading = Reading()
    budget: Budget = Budget()
    declared: Declared = Declared()
    repeat: Annotated[str | None, Names.PLACE] = None

    @classmethod
    def of(cls, table: str, **asked: Unpack[RequestOptions]) -> Self:
        """The request with these options; a text stands for itself where several are taken."""
        options: Options = {**asked}
        for name in options:
            if name not in option_names():
                hint = did_you_mean(name, (*option_names(), "folder", "overwrite", "progress"))
                raise OptionError("There is no option {name!r}; {hint}", name=name, hint=hint)
        if are_columns(options.get("public")) and options.get("public_distortion") is None:
            # Where shares are given apart, names are as they are; a column named again without one has none.
            options["public"], options["public_distortion"] = public_columns(options["public"])
        repeat = options.pop("repeat", None)
        if not isinstance(repeat, str | Path | None):
            raise _of_another_type("repeat")
        options.setdefault("secret", ())
        parts = {name: _part(kind, options) for name, kind in PARTS.items()}
        aiming, roles = parts.pop("aims"), parts["roles"]
        assert isinstance(aiming, Aiming) and isinstance(roles, Roles)
        return cls(table, aims=aiming.aims(roles), repeat=None if repeat is None else str(repeat), **parts)  # type: ignore[arg-type]

    def having(self, **changed: Unpack[RequestOptions]) -> Self:
        """The same request with other options."""
        return self.of(self.table, **{**self.options(), **changed})  # type: ignore[arg-type]

    def options(self) -> RequestOptions:
        """The options of the request apart from the table; defaults are left out."""
        parts = [Aiming.of(self.aims) if name == "aims" else getattr(self, name) for name in PARTS]
        found = {name: value for part in parts for name, value in part.given().items()}
        return {**found, **({} if self.repeat is None else {"repeat": self.repeat})}  # type: ignore[typeddict-item]

    def __post_init__(self) -> None:
        if tuple(aim.columns for aim in self.aims) != self.roles.groups:
            raise OptionError("The aims of a request are not those of its secrets; give one for each.")
        self._require_public()
        self._require_kept()
        self._require_order()
        self._require_one_column()
        self._require_targets()
        if not self.is_searched and any((aim.lower, aim.upper) != (None, None) for aim in self.aims):
            raise OptionError("--lower and --upper go with --min-protection; a mechanism names its own bounds.")
        if self.limits.clamp and not any(aim.mechanism for aim in self.aims):
            raise OptionError(
                "--clamp clamps noisy numbers to their bounds; name a --mechanism with lower and upper, or leave it "
                "out."
            )
        if self.budget.accounted is not None and self.roles.rows_per_unit is not None:
            raise OptionError("--accounted buys a histogram that protects one row; leave --rows-per-unit out.")
        if self.budget.accounted is not None and any(aim.mechanism for aim in self.aims):
            raise OptionError(
                "--accounted buys a noisy histogram to design from; give a --ledger, and no --mechanism or --simulate."
            )

    def _require_public(self) -> None:
        """Refuse coarsening that hides nothing, and channels of public columns beside what counts true values."""
        roles, coarse = self.roles, self.coarsening
        for name in roles.public_through:
            for option, given in (("--min-k", coarse.min_k), ("--suppress-below", coarse.suppress_below)):
                if given is not None:
                    raise OptionError(
                        "{option!s} counts rows that agree in their public values, but those of {column!r} are "
                        "changed at random; leave {option!s} out, or release the column unchanged.",
                        option=option,
                        column=name,
                    )
            if self.budget.accounted is not None:
                raise OptionError(
                    "--accounted designs from a noisy histogram alone, but a channel for {column!r} would be designed "
                    "from the table itself; leave one of them out.",
                    column=name,
                )
        if coarse.suppress_below is not None and not roles.public:
            raise OptionError(
                "--suppress-below suppresses public values, but no column is public; name one with --public."
            )
        if coarse.min_k is not None and not roles.public:
            raise OptionError("--min-k coarsens public columns, but there are none; name one with --public.")
        # What is known does not become unknown by leaving it out of a release.
        known = [name for name in roles.background if name in roles.public]
        if known and coarse.suppress_below is not None:
            raise OptionError(
                "Column {column!r} is known to the attacker, so suppressing it hides nothing; leave it out of "
                "--background or --public, or leave --suppress-below out.",
                column=known[0],
            )
        if known and coarse.min_k is not None and coarse.max_suppressed:
            raise OptionError(
                "Column {column!r} is known to the attacker, so suppressing it hides nothing; leave it out of "
                "--background or --public, or give --max-suppressed 0.",
                column=known[0],
            )

    def _require_kept(self) -> None:
        keep = self.limits.keep
        if keep == "associations" and self.is_searched:
            raise OptionError(
                "--keep associations needs to know how useful the release must be, which --min-protection searches "
                "for itself; use --keep shares, or add --max-distortion."
            )
        if keep is not None and all(aim.mechanism for aim in self.aims) and not self.roles.public_through:
            raise OptionError(
                "--keep {found!s} is for a designed channel, but here a mechanism is named; leave --keep or "
                "--mechanism out.",
                found=keep,
            )
        if keep != "associations":
            return
        if not self.roles.public_as_is:
            raise OptionError(
                "--keep associations keeps cross-tables with columns that are published unchanged, but there are "
                "none; name one with --public, or use --keep shares."
            )
        if self.budget.accounted is not None:
            raise OptionError(
                "--accounted buys a histogram of the secret alone, which does not show associations; use --keep "
                "shares, or leave --accounted out."
            )
        if any(aim.target is None for aim in self.aims if not aim.mechanism):
            raise OptionError(
                "--keep associations needs to know how useful the release must be; add --max-distortion, --within or "
                "--max-leakage to --local-dp."
            )

    def _require_order(self) -> None:
        """Refuse an order that nobody sees: its column is not published, and rows leave in a random order."""
        column = self.limits.order_by
        if column is not None and not self.limits.keep_order and column not in self.roles.public_as_is:
            raise OptionError(
                "--order-by {column!r} is an order that nobody sees, since rows leave in a random order; add "
                "--keep-order, publish the column with --public {column!s}, or leave --order-by out.",
                column=column,
            )

    def _require_one_column(self) -> None:
        """Refuse secrets taken together, and errors to bear, where the histogram or the search is of one column."""
        if self.roles.together and (self.is_searched or self.budget.accounted is not None):
            raise OptionError(
                "--min-protection and --accounted handle one column, but the secrets are taken together; leave "
                "--together out, or design a channel for all of them with --max-distortion or --max-leakage."
            )
        if self.budget.accounted is not None and any(aim.within is not None for aim in self.aims):
            raise OptionError(
                "--within takes bins and their error from the table itself, which --accounted protects; give "
                "--max-distortion with --distortion absolute and bins of your own."
            )

    def _require_targets(self) -> None:
        for aim in self.aims:
            is_looked_for = aim.is_searched and self.limits.are_given
            if not aim.is_limited and not is_looked_for and len(aim.mechanism) != 1:
                raise OptionError(
                    "No target is given for {column!s}; give --min-protection, --max-distortion, --within, "
                    "--max-leakage or --local-dp, or name one --mechanism.",
                    column=", ".join(aim.columns),
                )

    @property
    def is_searched(self) -> bool:
        """Whether the setting of a secret is searched for, because only its protection or usefulness is given."""
        return self.limits.are_given and any(aim.is_searched for aim in self.aims)

    def places(self) -> dict[str, tuple[str, ...]]:
        """By its option, every text that may be read as a file, a folder or an address besides the table.

        Of a text that could be read in several ways, all of them; names of ours are among them.
        """
        parts = [Aiming.of(self.aims), self.limits, self.coarsening, self.budget, self.declared]
        found = {name: texts for part in parts for name, texts in part.places().items()}
        return {**found, "repeat": () if self.repeat is None else (self.repeat,)}

    def arguments(self) -> list[str]:
        """The arguments after ``leakgauge protect``, without the folder."""
        return arguments_of(self.table, self.options())

    def command(self, folder: Path | str) -> str:
        """The command line of the same request."""
        return shlex.join(["leakgauge", "protect", *self.arguments(), "-o", str(folder)])

    def script(self, folder: Path | str) -> str:
        """A Python script of the same request; it runs as it is, except for a table in memory."""
        table = FRAME if self.table == FRAME else repr(self.table)
        lines = [
            "import leakgauge as lg",
            "",
            "done = lg.protect(",
            *(f"    {value}," for value in (table, repr(str(folder)))),
            *(f"    {name}={value!r}," for name, value in self.options().items()),
            ")",
            "print(done.folder / 'report.html')",
            "done.require()",
            "",
        ]
        return "\n".join(lines)


def arguments_of(table: str, options: Mapping[str, Any]) -> list[str]:
    """A table and options as they are typed after a command."""
    # A value in one word with its option is never taken for an option.
    words = [f"./{table}" if table.startswith("-") else table]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
            continue
        for text in _texts(value):
            words += [f"{option}={text}"] if text.startswith("-") else [option, text]
    return words


@cache
def option_names() -> tuple[str, ...]:
    """The names of all options."""
    return (*(one.name for part in PARTS.values() for one in fields(part)), "repeat")


def _part(kind: type[RequestPart], options: Mapping[str, Any]) -> RequestPart:
    """A part from those of the options that are its own."""
    own = {one.name: options[one.name] for one in fields(kind) if one.name in options}
    plain = {name: _plain(kind, name, value) for name, value in own.items()}
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionError):
            raise error.__cause__ from None
        wrong = next((name for name in own if f"`$.{name}" in str(error)), next(iter(own), ""))
        raise _of_another_type(wrong) from None


def _of_another_type(name: str) -> OptionError:
    return OptionError("{name!r} is missing or of another type; lg.Request says which it takes.", name=name)


def _plain(kind: type[RequestPart], name: str, value: Any) -> Any:
    """An option as the field of its part: a path is a text, a single text one of several, ``C=0.2`` a number."""
    if isinstance(value, Path):
        return str(value)
    if name in numbers_asked():
        value = per_secret(name, value)
    elif takes_several(kind, name) and isinstance(value, str):
        return [value]
    try:
        return msgspec.to_builtins(value, enc_hook=_number)
    except TypeError:
        raise _of_another_type(name) from None


def _number(value: Any) -> float:
    """A number of numpy and the like."""
    return int(value) if isinstance(value, Integral) else float(value)


def _texts(value: object) -> list[str]:
    """A value as it is typed, once for each time its option is."""
    if isinstance(value, dict):
        return [f"{name}={written(limit)}" for name, limit in value.items()]
    return [written(each) for each in (value if isinstance(value, tuple) else (value,))]
