"""Estimates by a recipient of a release, and the kit that says how to make them."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity, Real
from leakgauge.errors import FileError, LabelError, did_you_mean
from leakgauge.sentences import Sentence


class Method(Enum):
    """How an estimate was made."""

    AS_PUBLISHED = "as published"
    DIRECT = "direct"
    INVERSION = "inversion"
    LIKELIHOOD = "maximum likelihood"
    MARGINS = "inversion within the released shares"
    RECONCILED = "inversion reconciled with the shares of all rows"


class ContrastKind(Enum):
    """How groups are compared."""

    DIFFERENCE = "difference"
    RATIO = "ratio"
    ODDS_RATIO = "odds ratio"
    WEIGHTED = "contrast"

    @property
    def sentence(self) -> Sentence:
        """Its name at the start of a sentence."""
        return _KINDS[self]


_KINDS = {
    ContrastKind.DIFFERENCE: Sentence("The difference"),
    ContrastKind.RATIO: Sentence("The ratio"),
    ContrastKind.ODDS_RATIO: Sentence("The odds ratio"),
    ContrastKind.WEIGHTED: Sentence("The contrast"),
}


class EstimatedCell(Part, frozen=True):
    """One number of an estimate.

    Attributes:
        value: whose share it is; None of missing values, and of means.
        group: the values of the columns that rows are grouped by.
        rows: released rows of the group; None where the groups are protected themselves.
        raw: the same corrected by itself, which may leave 0 to 1, where ``estimate`` was made to agree with the shares
            of all rows.
    """

    value: str | None
    group: tuple[str | None, ...]
    rows: int | None
    estimate: Quantity
    raw: Quantity | None = None


class Estimated(Part, frozen=True, kw_only=True):
    """Shares, a cross-table or means, each number with its interval.

    Attributes:
        kind: ``shares``, ``crosstab`` or ``mean``; ``change`` of shares since an earlier release.
        effective_rows: how many rows of the table itself would be as good; None where groups are protected themselves.
        unseen: of values counted as released, the share in each group of any one value that no released row has and
            that is not named, because the kit does not say which values there are.
    """

    kind: str
    column: str
    by: tuple[str, ...] = ()
    method: Method
    rows: int
    effective_rows: Quantity | None = None
    cells: tuple[EstimatedCell, ...]
    unseen: tuple[EstimatedCell, ...] = ()

    def of(self, *labels: str | None) -> Quantity:
        """The number of a value and its group, or of a group alone where they are means."""
        known = {cell.group if self.kind == "mean" else (cell.value, *cell.group): cell.estimate for cell in self.cells}
        if labels not in known:
            texts = (" | ".join("" if part is None else part for part in one) for one in known)
            wanted = " | ".join("" if part is None else part for part in labels)
            raise LabelError("The estimate has no {wanted!r}; {hint}", wanted=wanted, hint=did_you_mean(wanted, texts))
        return known[labels]


class Contrasted(Part, frozen=True, kw_only=True):
    """Groups compared, with an interval.

    Attributes:
        values: whose shares are compared, the first or, of odds, the first against the second; none of means.
        by: the column of the groups.
        groups: those compared, the first with the second, or each by its weight.
        rows: released rows that it rests on.
    """

    kind: ContrastKind
    column: str
    values: tuple[str, ...] = ()
    by: str
    groups: tuple[str, ...]
    weights: tuple[Real, ...]
    method: Method
    rows: int
    estimate: Quantity


class Estimates(Artefact, frozen=True, tag="leakgauge/estimates/1"):
    """All estimates from a release; ``notes`` say what could not be estimated, and repeat the notes of the kit."""

    release: str
    rows: int
    estimates: tuple[Estimated, ...]
    notes: tuple[Sentence, ...] = ()
    contrasts: tuple[Contrasted, ...] = ()


class KitNoise(Part, frozen=True):
    """Noise on a number: the release has the mean ``intercept`` + ``slope`` · number, and this variance about it."""

    variance: Real
    slope: Real = 1.0
    intercept: Real = 0.0


class KitColumn(Part, frozen=True, kw_only=True):
    """How a protected column is read.

    Attributes:
        channel: the file of its channel, beside the kit.
        keeps_shares: whether the release has each value as often as the table had it, up to chance.
        keeps_with: the other columns whose cross-tables with it the release keeps too.
        unreadable: why nothing can be estimated of it; None where something can.
        jackknife: where its channel was rebuilt from an earlier release, the matrices of the channels rebuilt without
            each part of that release's rows, by which intervals allow for the error of the channel.
        since: the SHA-256 of that release's file.
    """

    name: str
    channel: str | None = None
    noise: KitNoise | None = None
    keeps_shares: bool = False
    keeps_with: tuple[str, ...] = ()
    unreadable: Sentence | None = None
    jackknife: tuple[tuple[tuple[float, ...], ...], ...] = ()
    since: str | None = None

    def __post_init__(self) -> None:
        readable = self.channel is not None or self.noise is not None or self.keeps_shares
        if readable is (self.unreadable is not None) or (self.channel and self.noise):
            raise FileError(
                "the column {name!r} needs a channel, or noise, or shares that are kept, or a reason why it has none.",
                name=self.name,
            )
        if self.keeps_with and not self.keeps_shares:
            raise FileError("the column {name!r} keeps cross-tables but not its shares.", name=self.name)
        if self.noise is not None and not (self.noise.variance >= 0 and self.noise.slope != 0):
            raise FileError("the noise of {name!r} needs a variance of at least 0 and a slope.", name=self.name)


class Kit(Artefact, frozen=True, kw_only=True, tag="leakgauge/kit/1"):
    """What a recipient needs beside a release.

    Attributes:
        release: the file, beside the kit.
        rows_per_unit: the most rows of one person: that many count as one in intervals.
    """

    release: str
    rows: int
    protected: tuple[KitColumn, ...]
    published: tuple[str, ...] = ()
    rows_per_unit: int = 1
    notes: tuple[Sentence, ...] = ()
    sha256: str | None = None


class ReadAs(Enum):
    """How recipients read a protected column: values counted, values corrected for a channel, or a mean."""

    COUNTED = "counted"
    CORRECTED = "corrected"
    MEAN = "mean"


class Estimable(Part, frozen=True, kw_only=True):
    """What recipients can compute from the columns that one mechanism released.

    Attributes:
        read_as: None where nothing can be computed.
        keeps_with: the columns whose cross-tables with these the release keeps, whether or not the channel is known.
        corrected: whether recipients have the channel, so that every cross-table can be corrected.
        worth: the share of the rows that the release is worth, by the law of the release and the table's own shares.
        least_worth: what it is worth whatever the channel; None where that cannot be said.
        confused: how many values the channel does not distinguish.
        blank: how many cells of the release its mechanism left blank, as anybody can count there.
    """

    columns: Annotated[tuple[str, ...], Origin.DECLARED]
    read_as: Annotated[ReadAs | None, Origin.DECLARED] = None
    reason: Sentence | None = None
    keeps_with: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    corrected: Annotated[bool, Origin.DECLARED] = False
    worth: Quantity | None = None
    rows: Quantity | None = None
    least_worth: Quantity | None = None
    least_rows: Quantity | None = None
    confused: int = 0
    blank: Annotated[int, Origin.PUBLIC] = 0


class Recipients(Artefact, frozen=True, tag="leakgauge/recipients/1"):
    """What recipients can compute of every protected column of a release.

    Attributes:
        commands: commands that would let them correct cross-tables too, if channels are kept private.
    """

    columns: tuple[Estimable, ...]
    commands: tuple[str, ...] = ()
    epsilon: Quantity | None = None
