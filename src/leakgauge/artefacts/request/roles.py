"""What each column of the table is: secret, known, public, whose row it is."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final

import msgspec

from leakgauge.artefacts.request.part import Asked, Option, Options, RequestPart
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.sentences import Sentence

_LONGEST_WORD: Final = 100
"""Bytes of a column's name in the name of a file."""


class Roles(RequestPart, frozen=True):
    """What each column of the table is; besides the secrets and the public columns, none is released.

    Attributes:
        public_distortion: for some public columns, the share of values that may be changed, such as ``{"occupation":
            0.1}``: they are released through the channel that then reveals least about the secrets.
    """

    secret: Annotated[
        Asked[tuple[str, ...]], Option("A column to protect; repeated: several, each on its own.", "COLUMN")
    ]
    background: Annotated[
        Asked[tuple[str, ...]], Option("What the attacker knows; not released unless also public.", "COLUMN")
    ] = ()
    public: Annotated[
        Asked[tuple[str, ...]],
        Option(
            "Released unchanged or coarser; with C=0.1, a tenth of its values are changed to reveal less about the "
            "secrets.",
            "COLUMN[=SHARE]",
        ),
    ] = ()
    public_distortion: Asked[dict[str, float] | None] = None
    withhold: Annotated[
        Asked[tuple[str, ...]], Option("A secret that is not released, though other columns may reveal it.", "COLUMN")
    ] = ()
    unit: Annotated[Asked[str | None], Option("The column that says whose row it is; never released.", "COLUMN")] = None
    rows_per_unit: Annotated[
        Asked[int | None], Option("The most rows of one person; guarantees hold for that many.", "N")
    ] = None
    together: Annotated[Asked[bool], Option("The secrets are one joint source, released through one channel.")] = False
    accept_unique: Annotated[
        Asked[tuple[str, ...]], Option("Publish this column although it identifies people.", "COLUMN")
    ] = ()

    def require_possible(self) -> None:
        """Refuse columns with two roles, and roles that are nobody's."""
        if not self.public_distortion:
            msgspec.structs.force_setattr(self, "public_distortion", None)
        if "" in (*self.secret, *self.withhold, *self.background, *self.public, self.unit):
            raise OptionError("A column has an empty name, which files cannot keep; rename it.")
        if not self.secrets:
            raise OptionError("No secret is named; name the column to protect with --secret.")
        self._require_one_role()
        self._require_changed_shares()
        self._require_unit()
        if self.together and len(self.released_secrets) == 1:
            raise OptionError("--together is for several released secrets, but there is one; leave it out.")

    def _require_one_role(self) -> None:
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

    def _require_changed_shares(self) -> None:
        """Refuse channels of public columns that hide nothing."""
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
    def sources(self) -> tuple[tuple[str, ...], ...]:
        """What is measured: the groups, and each secret that is withheld."""
        return (*self.groups, *((name,) for name in self.withhold))

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

    @property
    def seen(self) -> tuple[str, ...]:
        """Every column that the attacker knows, or sees in the release beside those of the secrets."""
        return tuple(dict.fromkeys((*self.background, *self.public)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is named."""
        return tuple(dict.fromkeys((*self.secrets, *self.seen, *(() if self.unit is None else (self.unit,)))))

    def given(self) -> Options:
        """As of every part; a share to change stands with the name of its column."""
        found = super().given()
        found.pop("public_distortion", None)
        return {**found, "public": tuple(map(self._typed, self.public))} if self.public else found

    def _typed(self, public: str) -> str:
        """A public column as it is typed."""
        share = (self.public_distortion or {}).get(public)
        if share is not None:
            return f"{public}={written(share)}"
        return public if _named_share(public) == (public, None) else f"{public}="


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


def are_columns(given: object) -> bool:
    """Whether names of public columns are given, as a text, several, or with their shares."""
    return isinstance(given, Collection) and all(isinstance(name, str) for name in given)


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
    plain = all(0 < len(word.encode()) < _LONGEST_WORD for word in words)
    if not plain or len({word.casefold() for word in words}) < len(words):
        words = [str(at) for at in range(1, len(words) + 1)]
    return f"{stem}-{words[groups.index(group)]}.{ending}"


def written(value: object) -> str:
    """A value as it is typed; numbers in as few digits as read back the same."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
