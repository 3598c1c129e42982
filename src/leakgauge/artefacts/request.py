"""The request for the main job, the same for the command line, the page and Python."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, TypedDict, get_type_hints

import msgspec

from leakgauge.arguments import check_fields
from leakgauge.artefacts.quantity import Origin, Part
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.sentences import Sentence

FRAME: Final = "frame"
"""What a table in memory is called where a file has its name."""
LONGEST_WORD: Final = 100
"""Bytes of a column's name in the name of a file."""
READING: Final = ("missing", "encoding", "thousands", "decimal", "date_format", "no_header")
"""Fields that say how the table is read."""
MAX_SUPPRESSED: Final = 0.05
_TARGETS = ("max_distortion", "max_leakage")
USES: Final = ("statistics", "rows")
_BY_NAME = {"hamming", "absolute"}
"""Distortions that go with an error to bear: the default, which gives way, and its own."""
PerSecret: TypeAlias = float | dict[str, float] | None
"""A number for every secret, or one for each by its name."""


class Names(Enum):
    """Marks a field whose text names something that a job reads besides its table."""

    PLACE = "place"
    """A file, a folder or the address of a server."""
    SPELLED = "spelled"
    """A name of ours or a file, where there may be ``column=`` before it and ``:level`` after it."""


@dataclass(frozen=True)
class Aim:
    """The target of one source, a secret or several taken together; names and meanings as in ``Request``."""

    columns: tuple[str, ...]
    max_distortion: float | None
    max_leakage: float | None
    local_dp: float | None
    mechanism: tuple[str, ...]
    distortion: str
    within: float | None = None

    @property
    def is_limited(self) -> bool:
        """Whether a number says how much noise it gets."""
        return any(limit is not None for limit in (self.max_distortion, self.max_leakage, self.local_dp, self.within))

    @property
    def is_searched(self) -> bool:
        """Whether neither a number nor a mechanism says how it is released."""
        return not self.is_limited and not self.mechanism


def public_columns(
    given: str | Sequence[str] | Mapping[str, float | None],
) -> tuple[tuple[str, ...], dict[str, float] | None]:
    """Public columns and the shares of them that may be changed, from names, ``occupation=0.1``, or a mapping.

    A name may hold ``=``; one that ends as if a number were given, such as ``dose=0.1``, is typed ``dose=0.1=``.

    Example:
        >>> public_columns(["occupation=0.1", "sex"])
        (('occupation', 'sex'), {'occupation': 0.1})
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        pairs = [_named_share(text) for text in ([given] if isinstance(given, str) else given)]
    shares = {name: share for name, share in pairs if share is not None}
    return tuple(name for name, _ in pairs), shares or None


def _named_share(text: str) -> tuple[str, float | None]:
    name, equals, end = text.rpartition("=")
    if equals and not end:
        return name, None
    try:
        share = float(end)
    except ValueError:
        return text, None
    return (name, share) if equals and not math.isnan(share) else (text, None)


def file_about(name: str, group: tuple[str, ...], groups: Sequence[tuple[str, ...]]) -> str:
    """The name of a file about one of some groups of columns: its own where there are several."""
    if len(groups) == 1:
        return name
    stem, _, ending = name.rpartition(".")
    words = ["-".join(re.findall(r"\w+", "-".join(one))) for one in groups]
    # Where names are long, or read alike once signs and case are left out, all go by their place.
    plain = all(0 < len(word.encode()) < LONGEST_WORD for word in words)
    if not plain or len({word.casefold() for word in words}) < len(words):
        words = [str(at) for at in range(1, len(words) + 1)]
    return f"{stem}-{words[groups.index(group)]}.{ending}"


class Request(Part, frozen=True):
    """A table to protect, and the requirements for its release.

    Attributes:
        table: a file, as ``open_table`` takes it; ``frame`` for a table in memory.
        secret: columns to protect, each by itself unless they are taken ``together``.
        withhold: secrets that are not released, whether or not also named as secret; other columns may reveal them.
        background: columns the attacker knows; they are not released unless they are also public.
        public: columns to release unchanged or coarser. Besides the secrets, no other column is released.
        public_distortion: for some public columns, the share of values that may be changed, such as ``{"occupation":
            0.1}``: they are released through the channel that then reveals least about the secrets.
        unit: the column that says whose row it is; never released.
        rows_per_unit: the publicly known most rows of a person: guarantees hold for that many.
        together: whether the secrets are one joint source, released through one channel.
        accept_unique: public columns that may identify people.
        max_distortion: the least leaking channel with at most this mean distortion; for several secrets one number, or
            one for each by name.
        max_leakage: the least distorting channel that reveals at most these bits to the attacker with the background.
        local_dp: an ε in nats to keep as well; alone: the most useful channel that keeps it.
        min_protection: from 0 to 100: the most useful setting with at least this protection is searched for, and a
            release with less is refused.
        min_usefulness: from 0 to 100, likewise; alone: the most protective setting that is this useful.
        use: what readers do with the release: ``statistics`` or ``rows``.
        mechanism: mechanisms to choose from instead of designing a channel; the best one that meets the target. One for
            a single secret of several starts with its name, such as ``illness=randomized-response:epsilon=1``.
        keep: ``shares``, the default, designs among channels that release every value as often as it occurs;
            ``associations`` among those that do so for each value of the public columns too, which they read;
            ``nothing`` among all. Named mechanisms are not changed by it.
        publish_shares: whether the table's shares, and whatever follows from channels designed from its counts, may be
            known: the recipient's kit then contains these channels.
        distortion: what a wrong value costs: hamming, absolute, squared, great-circle or a file; for one
            secret ``illness=absolute``.
        bins: how numbers and dates are binned, such as ``age=width:10``, in the release and in everything measured.
        levels: coarser values of columns, such as ``job=jobs.csv:2``: level 2 of an ARX-style file, whose lines have a
            value and then ever coarser ones; without a number ``min_k`` chooses.
        suppress_below: public values of rows in groups of fewer rows than this are left out of the release.
        min_k: the least rows, or persons if there is a unit, in every group that agrees in the public columns: the
            levels, and the bins if several are given from fine to coarse, that lose least are chosen.
        max_suppressed: the share of rows whose public values may be left out for that.
        within: the largest mean absolute error allowed, in the secret's own unit, for dates in days: gives the least
            leaking channel whose released numbers, or centres of released bins, are that close; ``bins`` are then auto.
        clamp: whether released numbers are clamped to the declared bounds.
        keep_order: whether rows are released in the table's order, which may reveal what their values do not; by
            default they leave in a random order.
        missing: texts that count as missing.
        encoding: of a text file, such as windows-1252; UTF-8 without.
        thousands: the sign between thousands in texts, such as ``,``, and ``decimal`` that before decimals.
        date_format: how dates are written in texts, such as ``dd/mm/yyyy``; for one column ``born=dd/mm/yyyy``.
        no_header: the first line is a row; columns are called column1, column2, ….
        repeat: the folder of an earlier job to repeat on a new table.
        lower: the publicly known least value of a numeric secret.
        accounted: an ε in nats for which a noisy histogram is bought, from which the channel is then designed.
        releases_per_period: how often such a release is made.
        purpose: what the release is for, in the user's words.
        review: when to review the release, such as 2027-11-16.
        prepared_by: who wrote the report, for the first page of its internal edition.
        report_language: en, zh or both, side by side.
        simulate: a seed, for a rehearsal that protects nobody.

    Raises:
        OptionError: no target, two, or numbers outside their range; a column with two roles.
    """

    table: str
    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    background: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    public: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    public_distortion: Annotated[dict[str, float] | None, Origin.DECLARED] = None
    withhold: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    unit: Annotated[str | None, Origin.DECLARED] = None
    rows_per_unit: Annotated[int | None, Origin.DECLARED] = None
    together: Annotated[bool, Origin.DECLARED] = False
    accept_unique: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    max_distortion: Annotated[PerSecret, Origin.DECLARED] = None
    max_leakage: Annotated[PerSecret, Origin.DECLARED] = None
    local_dp: Annotated[PerSecret, Origin.DECLARED] = None
    min_protection: Annotated[float | None, Origin.DECLARED] = None
    min_usefulness: Annotated[float | None, Origin.DECLARED] = None
    use: Annotated[str, Origin.DECLARED] = "statistics"
    mechanism: Annotated[tuple[str, ...], Names.SPELLED] = ()
    keep: Annotated[str | None, Origin.DECLARED] = None
    publish_shares: Annotated[bool, Origin.DECLARED] = False
    distortion: Annotated[tuple[str, ...], Names.SPELLED] = ("hamming",)
    bins: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    levels: Annotated[tuple[str, ...], Names.SPELLED] = ()
    suppress_below: Annotated[int | None, Origin.DECLARED] = None
    min_k: Annotated[int | None, Origin.DECLARED] = None
    max_suppressed: Annotated[float, Origin.DECLARED] = MAX_SUPPRESSED
    within: Annotated[PerSecret, Origin.DECLARED] = None
    clamp: Annotated[bool, Origin.DECLARED] = False
    keep_order: Annotated[bool, Origin.DECLARED] = False
    missing: tuple[str, ...] = ()
    encoding: str | None = None
    thousands: str | None = None
    decimal: str = "."
    date_format: tuple[str, ...] = ()
    no_header: bool = False
    repeat: Annotated[str | None, Names.PLACE] = None
    lower: float | None = None
    upper: float | None = None
    accounted: Annotated[float | None, Origin.DECLARED] = None
    ledger: Annotated[str | None, Names.PLACE] = None
    dataset: str | None = None
    policy: Annotated[str | None, Names.PLACE] = None
    diagram: Annotated[str | None, Names.PLACE] = None
    questionnaire: Annotated[str | None, Names.PLACE] = None
    releases_per_period: Annotated[float, Origin.DECLARED] = 1.0
    confidence: float = 0.95
    purpose: Annotated[str | None, Origin.DECLARED] = None
    recipient: Annotated[str | None, Origin.DECLARED] = None
    review: Annotated[str | None, Origin.DECLARED] = None
    prepared_by: str | None = None
    report_language: str = "en"
    simulate: int | None = None

    def __post_init__(self) -> None:
        for name, default in _defaults().items():
            # One text may stand for itself: it would be taken letter by letter.
            given = getattr(self, name)
            if (name == "secret" or isinstance(default, tuple)) and isinstance(given, str | list):
                msgspec.structs.force_setattr(self, name, (given,) if isinstance(given, str) else tuple(given))
        check_fields(self)
        if not self.public_distortion:
            msgspec.structs.force_setattr(self, "public_distortion", None)
        self._require_roles()
        self._require_telling_less()
        self._require_unit()
        self._require_suppression()
        self._require_hiding()
        self._require_numbers()
        self._require_one_target()
        if self.use not in USES:
            raise OptionError("There is no use {found!r}; {hint}", found=self.use, hint=did_you_mean(self.use, USES))
        if not self.is_searched and (self.lower, self.upper) != (None, None):
            raise OptionError("--lower and --upper go with --min-protection; a mechanism names its own bounds.")
        if self.clamp and not self.mechanism:
            raise OptionError(
                "--clamp clamps noisy numbers to their bounds; name a --mechanism with lower and upper, or leave it "
                "out."
            )
        if self.review is not None and not is_date(self.review):
            raise OptionError("--review {found!r} is not a date; write it as 2027-11-16.", found=self.review)
        if self.accounted is not None and self.rows_per_unit is not None:
            raise OptionError("--accounted buys a histogram that protects one row; leave --rows-per-unit out.")
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
        if "" in (*self.secret, *self.withhold, *self.background, *self.public, self.unit):
            raise OptionError("A column has an empty name, which files cannot keep; rename it.")
        if not self.secrets:
            raise OptionError("No secret is named; name the column to protect with --secret.")
        roles = {
            "secret": self.secret,
            "withheld": self.withhold,
            "background": self.background,
            "public": self.public,
            "accepted": self.accept_unique,
        }
        for role, names in roles.items():
            for name in names:
                if names.count(name) > 1:
                    raise OptionError(
                        "Column {column!r} is named twice as {role}; name it once.", column=name, role=Sentence(role)
                    )
                if role in ("background", "public") and name in self.secrets:
                    raise OptionError(
                        "Column {column!r} is named both as secret and as {role}; give it one role.",
                        column=name,
                        role=Sentence(role),
                    )
        if not self.released_secrets:
            raise OptionError(
                "Every secret is withheld, so nothing goes through a mechanism; `leakgauge survey` shows what the "
                "other columns reveal."
            )
        for name in self.accept_unique:
            if name not in self.public:
                raise OptionError(
                    "--accept-unique names {column!r}, which is not public; name public columns.", column=name
                )

    def _require_telling_less(self) -> None:
        """Refuse channels of public columns that hide nothing, or that conflict with options that count true values."""
        for name, share in (self.public_distortion or {}).items():
            if name not in self.public:
                raise OptionError(
                    "A share to change is given for {column!r}, which is not public; {hint}",
                    column=name,
                    hint=did_you_mean(name, self.public),
                )
            if not 0 < share <= 1:
                raise OptionError(
                    "--public {column!s}={share:g} is not a share of values to change; give a number above 0 and up "
                    "to 1, such as 0.1, or the name alone to release the column unchanged.",
                    column=name,
                    share=share,
                )
            if name in self.background:
                # What is known does not become unknown by changing it in a release.
                raise OptionError(
                    "Column {column!r} is known to the attacker, so changing it in the release hides nothing; leave "
                    "it out of --background, or release it unchanged with --public {column!s}.",
                    column=name,
                )
            for option, given in (("--min-k", self.min_k), ("--suppress-below", self.suppress_below)):
                if given is not None:
                    raise OptionError(
                        "{option!s} counts rows that agree in their public values, but those of {column!r} are "
                        "changed at random; leave {option!s} out, or release the column unchanged.",
                        option=option,
                        column=name,
                    )
            if self.accounted is not None:
                raise OptionError(
                    "--accounted designs from a noisy histogram alone, but a channel for {column!r} would be designed "
                    "from the table itself; leave one of them out.",
                    column=name,
                )

    def _require_unit(self) -> None:
        if self.unit is None and self.rows_per_unit is not None:
            raise OptionError(
                "--rows-per-unit says how many rows a person has, but no unit is named; name the column that "
                "identifies persons with --unit."
            )
        if self.unit is None:
            return
        if self.unit in (*self.secrets, *self.public):
            raise OptionError(
                "Column {column!r} is the unit, which is never released; it cannot be a secret or public.",
                column=self.unit,
            )
        if self.rows_per_unit is not None and self.rows_per_unit < 1:
            raise OptionError(
                "{found} rows per unit is below 1; give a whole number of at least 1.", found=self.rows_per_unit
            )

    def _require_suppression(self) -> None:
        if self.suppress_below is None:
            return
        if self.suppress_below < 2:
            raise OptionError(
                "--suppress-below {found} suppresses nothing; give a whole number of at least 2.",
                found=self.suppress_below,
            )
        if not self.public:
            raise OptionError(
                "--suppress-below suppresses public values, but no column is public; name one with --public."
            )
        for name in self.background:
            # What is known does not become unknown by leaving it out of a release.
            if name in self.public:
                raise OptionError(
                    "Column {column!r} is known to the attacker, so suppressing it hides nothing; leave it out of "
                    "--background or --public, or leave --suppress-below out.",
                    column=name,
                )

    def _require_hiding(self) -> None:
        if not 0 <= self.max_suppressed < 1:
            raise OptionError(
                "--max-suppressed {found} is not a share of the rows; give a number from 0 to below 1, such as 0.05.",
                found=self.max_suppressed,
            )
        if self.min_k is None:
            if self.max_suppressed != MAX_SUPPRESSED:
                raise OptionError("--max-suppressed goes with --min-k; give both, or leave it out.")
            return
        if self.min_k < 2:
            raise OptionError("--min-k {found} hides nobody; give a whole number of at least 2.", found=self.min_k)
        if not self.public:
            raise OptionError("--min-k coarsens public columns, but there are none; name one with --public.")
        if self.suppress_below is not None:
            raise OptionError("--min-k itself suppresses groups that are too small; leave --suppress-below out.")
        for name in self.background if self.max_suppressed else ():
            if name in self.public:
                raise OptionError(
                    "Column {column!r} is known to the attacker, so suppressing it hides nothing; leave it out of "
                    "--background or --public, or give --max-suppressed 0.",
                    column=name,
                )

    def _require_numbers(self) -> None:
        for name in ("max_distortion", "max_leakage", "local_dp", "within"):
            limits = getattr(self, name)
            for column in limits if isinstance(limits, dict) else ():
                if self.together:
                    raise OptionError(
                        "--{name!s} is given for {column!r}, but the secrets are taken together; give one number.",
                        name=name.replace("_", "-"),
                        column=column,
                    )
                if column not in self.released_secrets:
                    raise OptionError(
                        "--{name!s} is given for {column!r}, which is not a secret with a channel of its own; {hint}",
                        name=name.replace("_", "-"),
                        column=column,
                        hint=did_you_mean(column, self.released_secrets),
                    )
            least = math.ulp(0.0) if name in ("local_dp", "within") else 0.0
            for value in limits.values() if isinstance(limits, dict) else () if limits is None else (limits,):
                if not least <= value < math.inf:
                    raise OptionError(
                        "--{name!s} {value} is not a finite number {range}; give one.",
                        name=name.replace("_", "-"),
                        value=value,
                        range=Sentence("of at least 0") if least == 0 else Sentence("above 0"),
                    )
        if self.accounted is not None and not 0 < self.accounted < math.inf:
            raise OptionError(
                "An ε of {epsilon} is not a finite number above 0; give one that is.", epsilon=self.accounted
            )
        for name, points in zip(("min-protection", "min-usefulness"), self.limits, strict=True):
            if points is not None and not 0 <= points <= 100:
                raise OptionError(
                    "--{name!s} {points} is not on the dial, which runs from 0 to 100; give a number such as 60.",
                    name=name,
                    points=points,
                )
        if not 0 < self.releases_per_period < math.inf:
            raise OptionError(
                "--releases-per-period {found} is not a finite number above 0; try 1.", found=self.releases_per_period
            )
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)

    def _require_one_target(self) -> None:
        given = [name for name in _TARGETS if getattr(self, name) is not None]
        if len(given) > 1:
            raise OptionError("Two targets are given; give one of --max-distortion and --max-leakage.")
        self._require_keepable()
        if self.together and len(self.released_secrets) == 1:
            raise OptionError("--together is for several released secrets, but there is one; leave it out.")
        if self.together and (self.is_searched or self.accounted is not None):
            raise OptionError(
                "--min-protection and --accounted handle one column, but the secrets are taken together; leave "
                "--together out, or design a channel for all of them with --max-distortion or --max-leakage."
            )
        if self.within is not None:
            self._require_within()
        for aim in self.aims:
            if len(self._about(self.distortion, aim.columns)) > 1:
                raise OptionError(
                    "--distortion is given more than once for {column!s}; give it once.", column=", ".join(aim.columns)
                )
            is_looked_for = aim.is_searched and self.limits != (None, None)
            if not aim.is_limited and not is_looked_for and len(aim.mechanism) != 1:
                raise OptionError(
                    "No target is given for {column!s}; give --min-protection, --max-distortion, --within, "
                    "--max-leakage or --local-dp, or name one --mechanism.",
                    column=", ".join(aim.columns),
                )

    def _require_within(self) -> None:
        """Refuse ``within`` together with options it cannot be combined with."""
        if self.together:
            raise OptionError("--within is for one column, but the secrets are taken together; leave --together out.")
        if self.accounted is not None:
            raise OptionError(
                "--within takes bins and their error from the table itself, which --accounted protects; give "
                "--max-distortion with --distortion absolute and bins of your own."
            )
        for aim in self.aims:
            if aim.within is None:
                continue
            (column,) = aim.columns
            if aim.max_distortion is not None or aim.max_leakage is not None:
                raise OptionError(
                    "Two targets are given for {column!s}, --within and another; give one, for several secrets each "
                    "as COLUMN=NUMBER.",
                    column=column,
                )
            if aim.mechanism:
                raise OptionError(
                    "--within designs a channel for {column!s}, which has a --mechanism; leave one of them out.",
                    column=column,
                )
            if not _BY_NAME.issuperset(self._about(self.distortion, aim.columns)):
                raise OptionError(
                    "--within is a mean absolute error, but {column!s} has a --distortion; leave one of them out.",
                    column=column,
                )

    def _require_keepable(self) -> None:
        if self.keep not in (None, "nothing", "shares", "associations"):
            raise OptionError(
                "--keep {found!r} is not nothing, shares or associations; use one of them.", found=self.keep
            )
        if self.keep == "associations" and self.is_searched:
            raise OptionError(
                "--keep associations needs to know how useful the release must be, which --min-protection searches "
                "for itself; use --keep shares, or add --max-distortion."
            )
        if self.keep is not None and all(aim.mechanism for aim in self.aims) and not self.public_through:
            raise OptionError(
                "--keep {found!s} is for a designed channel, but here a mechanism is named; leave --keep or "
                "--mechanism out.",
                found=self.keep,
            )
        if self.keep != "associations":
            return
        if not self.public_as_is:
            raise OptionError(
                "--keep associations keeps cross-tables with columns that are published unchanged, but there are "
                "none; name one with --public, or use --keep shares."
            )
        if self.accounted is not None:
            raise OptionError(
                "--accounted buys a histogram of the secret alone, which does not show associations; use --keep "
                "shares, or leave --accounted out."
            )
        designed = [aim for aim in self.aims if not aim.mechanism]
        if any((aim.max_distortion, aim.max_leakage, aim.within) == (None, None, None) for aim in designed):
            raise OptionError(
                "--keep associations needs to know how useful the release must be; add --max-distortion, --within or "
                "--max-leakage to --local-dp."
            )

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The least protection and usefulness that are asked for."""
        return self.min_protection, self.min_usefulness

    @property
    def is_searched(self) -> bool:
        """Whether the setting of some secret is searched for, because only its protection or usefulness is given."""
        return self.limits != (None, None) and any(aim.is_searched for aim in self.aims)

    @property
    def kept(self) -> str:
        """What a designed channel keeps on the whole."""
        # A file that drops rare values and distorts the shares is useless to most readers.
        return "shares" if self.keep is None else self.keep

    @property
    def secrets(self) -> tuple[str, ...]:
        """All secrets: those that go through a mechanism, and those withheld."""
        return tuple(dict.fromkeys((*self.secret, *self.withhold)))

    @property
    def released_secrets(self) -> tuple[str, ...]:
        """The secrets that go through a mechanism."""
        return tuple(name for name in self.secret if name not in self.withhold)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The released secrets by the channels they go through: each alone, or all together."""
        released = self.released_secrets
        return (released,) if self.together else tuple((name,) for name in released)

    @property
    def aims(self) -> tuple[Aim, ...]:
        """What is asked of each group."""
        return tuple(map(self._aim, self.groups))

    def _aim(self, group: tuple[str, ...]) -> Aim:
        within = _limit(self.within, group)
        distortion = next(iter(self._about(self.distortion, group)), "hamming")
        return Aim(
            group,
            _limit(self.max_distortion, group),
            _limit(self.max_leakage, group),
            _limit(self.local_dp, group),
            self._about(self.mechanism, group),
            distortion if within is None else "absolute",
            within,
        )

    def _about(self, texts: tuple[str, ...], group: tuple[str, ...]) -> tuple[str, ...]:
        """The texts about a group: first those that name no secret, then its own without the name."""
        if len(group) > 1:
            return texts
        found = [(text, self._column_of(text)) for text in texts]
        return tuple(
            text if column is None else text.removeprefix(f"{column}=")
            for text, column in found
            if column in (None, *group)
        )

    def _column_of(self, text: str) -> str | None:
        named = [name for name in self.secret if text.startswith(f"{name}=")]
        return max(named, key=len, default=None)

    @property
    def sources(self) -> tuple[tuple[str, ...], ...]:
        """What is measured: the groups, and each secret that is withheld."""
        return (*self.groups, *((name,) for name in self.withhold))

    def file(self, name: str, group: tuple[str, ...]) -> str:
        """The name of a file about one group in the job's folder: its own where there are several."""
        return file_about(name, group, self.sources)

    @property
    def released(self) -> tuple[str, ...]:
        """Every column that is released."""
        return (*self.released_secrets, *self.public)

    @property
    def public_as_is(self) -> tuple[str, ...]:
        """The public columns that are released as they are, or coarser."""
        return tuple(name for name in self.public if name not in self.public_through)

    @property
    def public_through(self) -> tuple[str, ...]:
        """The public columns that are released through a channel."""
        return tuple(self.public_distortion or ())

    def public_file(self, name: str, column: str) -> str:
        """The name of a file about a public column that goes through a channel: its own where there are several."""
        return file_about(f"public-{name}", (column,), [(one,) for one in self.public_through])

    @property
    def seen(self) -> tuple[str, ...]:
        """Every column that the attacker knows, or sees in the release beside those of the secrets."""
        return tuple(dict.fromkeys((*self.background, *self.public)))

    @property
    def reading(self) -> dict[str, Any]:
        """How the table is read, as ``open_table`` takes it."""
        return {name: getattr(self, name) for name in READING}

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is named."""
        return tuple(dict.fromkeys((*self.secrets, *self.seen, *(() if self.unit is None else (self.unit,)))))

    def places(self) -> dict[str, tuple[str, ...]]:
        """By its field, every text that may be read as a file, a folder or an address besides the table.

        Of a text that could be read in several ways, all of them; names of ours are among them.
        """
        found = {}
        for name, mark in _places().items():
            value = getattr(self, name)
            texts = () if value is None else (value,) if isinstance(value, str) else value
            found[name] = (
                tuple(texts) if mark is Names.PLACE else tuple(one for text in texts for one in _readings(text))
            )
        return found

    def given(self) -> dict[str, object]:
        """What is asked beside the table, defaults left out."""
        every = {name: getattr(self, name) for name in self.__struct_fields__[1:]}
        found = {name: value for name, value in every.items() if value != _defaults()[name]}
        found.pop("public_distortion", None)
        return {**found, "public": tuple(map(self._typed, self.public))} if self.public else found

    def _typed(self, public: str) -> str:
        """A public column as it is typed."""
        share = (self.public_distortion or {}).get(public)
        if share is not None:
            return f"{public}={_written(share)}"
        return public if _named_share(public) == (public, None) else f"{public}="

    def arguments(self) -> list[str]:
        """What follows ``leakgauge protect``, the folder left out."""
        # A value in one word with its option is never taken for an option.
        words = [f"./{self.table}" if self.table.startswith("-") else self.table]
        for name, value in self.given().items():
            option = f"--{name.replace('_', '-')}"
            if value is True:
                words.append(option)
                continue
            for text in _texts(value):
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


class RequestOptions(TypedDict, total=False):
    """Keyword arguments of ``lg.protect``: the fields of a ``Request`` in the forms that Python takes.

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
    min_protection: float | None
    min_usefulness: float | None
    use: str
    mechanism: Sequence[str]
    keep: str | None
    publish_shares: bool
    distortion: Sequence[str]
    bins: Sequence[str]
    levels: Sequence[str]
    suppress_below: int | None
    min_k: int | None
    max_suppressed: float
    within: float | Mapping[str, float] | None
    clamp: bool
    keep_order: bool
    missing: Sequence[str]
    encoding: str | None
    thousands: str | None
    decimal: str
    date_format: Sequence[str]
    no_header: bool
    repeat: str | Path | None
    lower: float | None
    upper: float | None
    accounted: float | None
    ledger: str | Path | None
    dataset: str | None
    policy: str | Path | None
    diagram: str | Path | None
    questionnaire: str | Path | None
    releases_per_period: float
    confidence: float
    purpose: str | None
    recipient: str | None
    review: str | None
    prepared_by: str | None
    report_language: str
    simulate: int | None


@cache
def _defaults() -> dict[str, object]:
    return {one.name: one.default for one in msgspec.structs.fields(Request)}


@cache
def _places() -> dict[str, Names]:
    """The fields that are marked as naming something, by their names."""
    marks = {
        name: getattr(hint, "__metadata__", ()) for name, hint in get_type_hints(Request, None, None, True).items()
    }
    return {name: mark for name, found in marks.items() for mark in found if isinstance(mark, Names)}


def _readings(text: str) -> list[str]:
    """The text and what follows each of its equals signs, with and without a level at its end."""
    parts = text.split("=")
    rests = ["=".join(parts[at:]) for at in range(len(parts))]
    return list(dict.fromkeys(one for rest in rests for one in (rest, re.sub(r":\d*$", "", rest))))


def is_date(text: str) -> bool:
    """Whether a text is a date such as 2027-11-16."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def require_review_to_come(review: str | None) -> None:
    """Refuse a date before today; a stored request may have one, so that this is asked of new ones alone.

    Raises:
        OptionError: the date is past.
    """
    if review is not None and date.fromisoformat(review) < datetime.now().astimezone().date():
        raise OptionError("--review {found!r} is in the past; give today's date or a later one.", found=review)


def _limit(limits: PerSecret, group: tuple[str, ...]) -> float | None:
    return limits.get(group[0]) if isinstance(limits, dict) else limits


def _texts(value: object) -> list[str]:
    """A value as it is typed, once for each time its option is."""
    if isinstance(value, dict):
        return [f"{name}={_written(limit)}" for name, limit in value.items()]
    return [_written(each) for each in (value if isinstance(value, tuple) else (value,))]


def _written(value: object) -> str:
    """A value as it is typed; numbers in as few digits as read back the same."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
