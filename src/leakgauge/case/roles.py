"""The roles of columns in an attack, and the choices that are refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.release.bound import BoundPlan
from leakgauge.tables import Table


@dataclass(frozen=True)
class Asked:
    """The columns of the original that an attack uses.

    Attributes:
        secrets: the protected columns to guess; None for all of them.
        withheld: columns to guess that are not released.
        background: columns that the attacker knows.
        unit: the column that identifies people.
    """

    secrets: tuple[str, ...] | None
    withheld: tuple[str, ...]
    background: tuple[str, ...]
    unit: str | None

    @classmethod
    def of(
        cls,
        secret: str | Iterable[str] | None,
        withheld: Iterable[str],
        background: Iterable[str],
        unit: str | None,
    ) -> Asked:
        """One name or several."""
        secrets = None if secret is None else (secret,) if isinstance(secret, str) else tuple(secret)
        # No name at all is the default, as at the command line.
        return cls(secrets or None, tuple(withheld), tuple(background), unit)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is read beside those of the plan."""
        return (*self.withheld, *self.background, *(() if self.unit is None else (self.unit,)))

    def require_columns(self, plan: BoundPlan, original: Table) -> None:
        """Refuse columns that are not there, or cannot have the role they are given."""
        known = [column.name for column in original.columns()]
        for name in (*self.names, *(self.secrets or ())):
            if name not in known:
                raise ColumnError(
                    "The original has no column {name!r}; {hint}", name=name, hint=did_you_mean(str(name), known)
                )
        self._require_background(plan)
        self._require_secrets(plan)
        self._require_withheld(plan)

    def _require_background(self, plan: BoundPlan) -> None:
        protected = {name for one in plan.columns for name in (one.name, *one.writes)}
        for name in self.background:
            if name in (*(self.secrets or ()), *self.withheld):
                raise OptionError("Column {name!r} is named as secret and as background; choose one.", name=name)
            if self.background.count(name) > 1:
                raise OptionError("Column {name!r} is named twice as background; name it once.", name=name)
            if name in protected:
                raise OptionError(
                    "Column {name!r} is named as background, but the release protects it; "
                    "name columns that it does not.",
                    name=name,
                )

    def _require_secrets(self, plan: BoundPlan) -> None:
        readable = [name for one in plan.columns for name in one.reads if name not in plan.public]
        for name in self.secrets or ():
            if name in plan.public:
                raise OptionError("Column {name!r} is released unchanged; there is nothing to guess.", name=name)
            if name not in readable:
                raise ColumnError(
                    "Column {name!r} is not released through a mechanism; {hint}",
                    name=name,
                    hint=did_you_mean(name, readable),
                )

    def _require_withheld(self, plan: BoundPlan) -> None:
        for name in self.withheld:
            if name in plan.public:
                raise OptionError("Column {name!r} is released unchanged; there is nothing to guess.", name=name)
            if name in plan.reads:
                raise OptionError(
                    "Column {name!r} is named as withheld, but the release contains it; name it as a secret.", name=name
                )
            if self.withheld.count(name) > 1 or name == self.unit:
                raise OptionError("Column {name!r} is named twice; give it one role.", name=name)
