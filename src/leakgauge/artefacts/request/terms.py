"""What a request says besides its roles and aims: how the table is read and coarsened, limits, budget, declarations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final, TypeAlias, TypedDict, cast

import msgspec

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import (
    IN_WORDS,
    ON_PAGE,
    Asked,
    Names,
    Option,
    Options,
    RequestPart,
    fields,
    fields_marked,
)
from leakgauge.artefacts.request.shared_options import (
    ASSESSMENT,
    KEPT,
    NOISES,
    SENSITIVITIES,
    USES,
    WHICH_CLAUSES,
    Bins,
    Contact,
    Dataset,
    KeepOrder,
    Levels,
    MinUsefulness,
    Noise,
    OrderBy,
    Purpose,
    Recipient,
    Review,
    Sensitivity,
    StrongestAttacker,
    TermsOfUse,
    UseOfRelease,
)
from leakgauge.errors import OptionError, did_you_mean

MAX_SUPPRESSED: Final = 0.05


class Reading(RequestPart, frozen=True):
    """How the table is read, as ``open_table`` takes it."""

    missing: Annotated[tuple[str, ...], ON_PAGE, Option("Text that counts as missing, such as '?'.", "TEXT")] = ()
    encoding: Annotated[
        str | None, Option("Encoding of a text file, such as windows-1252; default: UTF-8.", "NAME")
    ] = None
    thousands: Annotated[str | None, Option("Thousands separator in texts, such as ','.", "SIGN")] = None
    decimal: Annotated[str, Option("Decimal mark in texts; default: a point.", "SIGN", default="")] = "."
    date_format: Annotated[
        tuple[str, ...], Option("How dates are written in texts, such as dd/mm/yyyy.", "[COLUMN=]FORMAT")
    ] = ()
    no_header: Annotated[bool, Option("The first line is a row, not the names of columns.")] = False

    def keywords(self) -> Options:
        """The same as keyword arguments of ``open_table``."""
        return msgspec.structs.asdict(self)


class ReadingOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    missing: str | Sequence[str]
    encoding: str | None
    thousands: str | None
    decimal: str
    date_format: str | Sequence[str]
    no_header: bool


def reading_of(options: Mapping[str, Any]) -> ReadingOptions:
    """Those of some options that say how the table is read."""
    return cast("ReadingOptions", {name: options[name] for name in Reading.__struct_fields__ if name in options})


class Coarsening(RequestPart, frozen=True):
    """How columns are made coarser, in the release and in everything measured.

    Attributes:
        levels: coarser values of columns, such as ``job=jobs.csv:2``: level 2 of an ARX-style file, whose lines have a
            value and then ever coarser ones; without a number ``min_k`` chooses.
        min_k: the least rows, or persons if there is a unit, in every group that agrees in the public columns: the
            levels, and the bins if several are given from fine to coarse, that lose least are chosen.
    """

    bins: Bins = ()
    levels: Levels = ()
    suppress_below: Annotated[
        int | None, Origin.DECLARED, Option("Suppress public values of groups smaller than this.", "K")
    ] = None
    min_k: Annotated[
        int | None, Origin.DECLARED, Option("Coarsen public columns just enough that every group has K rows.", "K")
    ] = None
    max_suppressed: Annotated[
        float, Origin.DECLARED, Option("The largest share of rows suppressed, for --min-k.", "SHARE")
    ] = MAX_SUPPRESSED

    def require_possible(self) -> None:
        """Refuse numbers that hide nobody, and options that exclude each other."""
        if self.suppress_below is not None and self.suppress_below < 2:
            raise OptionError(
                "--suppress-below {found} suppresses nothing; give a whole number of at least 2.",
                found=self.suppress_below,
            )
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
        if self.suppress_below is not None:
            raise OptionError("--min-k itself suppresses groups that are too small; leave --suppress-below out.")


class Limits(RequestPart, frozen=True):
    """What the release as a whole must satisfy.

    Attributes:
        keep: ``shares``, the default, designs among channels that release every value as often as it occurs;
            ``associations`` among those that do so for each value of the public columns too, which they read;
            ``nothing`` among all. Named mechanisms are not changed by it.
    """

    min_protection: Annotated[
        Asked[float | None],
        Option(
            "The most useful setting with at least this protection, from 0 to 100; with another target: a limit.", "P"
        ),
    ] = None
    min_usefulness: MinUsefulness = None
    use: UseOfRelease = "statistics"
    keep: Annotated[
        Asked[str | None],
        Option(
            "shares: every value as often as it occurs; associations: also with each public value; nothing: least "
            "leaking.",
            choices=KEPT,
            default="shares",
        ),
    ] = None
    clamp: Annotated[bool, Origin.DECLARED, Option("Clamp released numbers to the declared bounds.")] = False
    keep_order: KeepOrder = False
    order_by: OrderBy = None
    policy: Annotated[
        str | None, Names.PLACE, ON_PAGE, Option("Limits to keep, in TOML; exit 1 if one is broken.", "FILE")
    ] = None

    def require_possible(self) -> None:
        """Refuse points off the score and words that are none of ours."""
        for name, points in (("min-protection", self.min_protection), ("min-usefulness", self.min_usefulness)):
            if points is not None and not 0 <= points <= 100:
                raise OptionError(
                    "--{name!s} {points} is not a score, which runs from 0 to 100; give a number such as 60.",
                    name=name,
                    points=points,
                )
        if self.use not in USES:
            raise OptionError("There is no use {found!r}; {hint}", found=self.use, hint=did_you_mean(self.use, USES))
        if self.keep not in (None, *KEPT):
            raise OptionError(
                "--keep {found!r} is not nothing, shares or associations; use one of them.", found=self.keep
            )

    @property
    def are_given(self) -> bool:
        """Whether the least protection or usefulness is asked for."""
        return (self.min_protection, self.min_usefulness) != (None, None)

    @property
    def kept(self) -> str:
        """What a designed channel keeps on the whole."""
        # A file that drops rare values and distorts the shares is useless to most readers.
        return "shares" if self.keep is None else self.keep


class Budget(RequestPart, frozen=True):
    """What the release draws on."""

    accounted: Annotated[
        float | None, Origin.DECLARED, Option("Design from a noisy histogram paid from the ledger.", "EPS")
    ] = None
    ledger: Annotated[
        str | None, Names.PLACE, ON_PAGE, Option("The ledger that counts the cost against a limit.", "PATH|ADDRESS")
    ] = None
    dataset: Dataset = None
    noise: Noise = None
    simulate: Annotated[int | None, Option("A rehearsal that protects nobody.", "SEED", least=0)] = None

    def require_possible(self) -> None:
        """Refuse a budget that nothing counts, and a simulation that spends."""
        if self.noise not in (None, *NOISES):
            raise OptionError("A noise of {found!r} is neither 'kept' nor 'fresh'; name one of them.", found=self.noise)
        if self.noise == "kept" and self.ledger is None:
            raise OptionError(
                "--noise kept needs a ledger, which keeps the key of the noise; name it with --ledger, or leave "
                "--noise kept out."
            )
        if self.accounted is not None and not 0 < self.accounted < math.inf:
            raise OptionError(
                "An ε of {epsilon} is not a finite number above 0; give one that is.", epsilon=self.accounted
            )
        if self.accounted is not None and (self.ledger is None or self.simulate is not None):
            raise OptionError(
                "--accounted buys a noisy histogram to design from; give a --ledger, and no --mechanism or --simulate."
            )
        if self.dataset is not None and self.ledger is None:
            raise OptionError(
                "--dataset {found!r} names an account, but no ledger is given; name it with --ledger.",
                found=self.dataset,
            )
        if self.simulate is not None and self.ledger is not None:
            raise OptionError("A simulation uses no budget and is not a release; leave the ledger out.")


OF_THE_REPORT: Final = Option(
    "Language of the report; by default that of the messages; both: side by side.",
    choices=("en", "zh", "both"),
    default="",
)


LONGEST: Final = {"contact": 200, "terms": 1000}
"""Letters of what recipients are told in the steward's own words."""
Reason: TypeAlias = str
KNOWS_THE_ROW: Final = "knows-the-row"
KNOWS_COLUMNS: Final = "knows-columns"


def reason_of(attacker: str) -> Reason | None:
    """Why the strongest attacker only knows columns; None of one who knows the row, who is the default.

    Example:
        >>> reason_of("knows-columns=rows are shuffled and have no key")
        'rows are shuffled and have no key'
    """
    name, _, reason = attacker.partition("=")
    if name.strip() == KNOWS_THE_ROW and not reason:
        return None
    if name.strip() != KNOWS_COLUMNS:
        raise OptionError(
            "--attacker {found!r} does not name an attacker; write knows-columns=REASON, or leave it out.",
            found=attacker,
        )
    if not reason.strip():
        raise OptionError(
            "--attacker {found!s} rules out that anybody knows which row is whose, but says not why; write "
            "{found!s}='the reason', which the report repeats.",
            found=name.strip(),
        )
    return reason.strip()


class Declared(RequestPart, frozen=True):
    """What people declare about the release.

    Attributes:
        publish_shares: whether the table's shares, and whatever follows from channels designed from its counts, may be
            known: the recipient's kit then contains these channels.
    """

    publish_shares: Annotated[
        bool, Origin.DECLARED, Option("Say that the table's shares may be known: puts its channels into the kit.")
    ] = False
    releases_per_period: Annotated[Asked[float], Option("How often.", "N")] = 1.0
    confidence: Annotated[float, Option("Of intervals.", "C")] = 0.95
    diagram: Annotated[
        str | None, Names.PLACE, Option("Which indicator feeds which criterion, in TOML; or 'paper'.", "paper|FILE")
    ] = None
    questionnaire: Annotated[
        str | None, Names.PLACE, Option("CSV respondent,leaf,answer with answers 1 to 5.", "FILE")
    ] = None
    purpose: Purpose = None
    recipient: Recipient = None
    review: Review = None
    blank_is_secret: Annotated[
        bool, Origin.DECLARED, Option("Judge as a secret too which numbers of a secret are missing.")
    ] = False
    sensitivity: Sensitivity = None
    attacker: StrongestAttacker = None
    prepared_by: Annotated[str | None, ON_PAGE, IN_WORDS, Option("Declared: who prepared the report.", "NAME")] = None
    contact: Contact = None
    terms: TermsOfUse = None
    assessment: Annotated[str | None, Names.PLACE, IN_WORDS, ASSESSMENT] = None
    clauses: Annotated[tuple[str, ...], Names.SPELLED, IN_WORDS, WHICH_CLAUSES] = ()
    report_language: Annotated[str, OF_THE_REPORT] = "en"

    def require_possible(self) -> None:
        """Refuse what is no date and no frequency, and words that no page has room for."""
        try:
            date.fromisoformat(self.review or "2027-11-16")
        except ValueError:
            raise OptionError("--review {found!r} is not a date; write it as 2027-11-16.", found=self.review) from None
        for name, words in (("contact", self.contact), ("terms", self.terms)):
            if words is not None and len(words) > LONGEST[name]:
                raise OptionError(
                    "--{name!s} has {count:,} letters, but the page for recipients has room for {most:,}; shorten it, "
                    "or name a page that says more.",
                    name=name,
                    count=len(words),
                    most=LONGEST[name],
                )
        if self.attacker is not None:
            reason_of(self.attacker)
        if self.sensitivity not in (None, *SENSITIVITIES):
            raise OptionError(
                "--sensitivity {found!r} is not ordinary or high; use one of them.", found=self.sensitivity
            )
        if not 0 < self.releases_per_period < math.inf:
            raise OptionError(
                "--releases-per-period {found} is not a finite number above 0; try 1.", found=self.releases_per_period
            )

    @property
    def ruled_out(self) -> Reason | None:
        """Why nobody can tell which released row is a person's; None where somebody may."""
        return None if self.attacker is None else reason_of(self.attacker)

    def require_review_to_come(self) -> None:
        """Refuse a date before today; a stored request may have one, so that this is asked of new ones alone."""
        if self.review is not None and date.fromisoformat(self.review) < datetime.now().astimezone().date():
            raise OptionError("--review {found!r} is in the past; give today's date or a later one.", found=self.review)

    def unworded(self) -> Declared:
        """The same without the words of people, which may be filled in after the release."""
        words = fields_marked(Declared, IN_WORDS)
        return msgspec.structs.replace(self, **{one.name: one.default for one in fields(Declared) if one.name in words})
