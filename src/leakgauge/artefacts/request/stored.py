"""A request as files keep it: the table, and all options side by side as they are typed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec

from leakgauge.artefacts.quantity import Part
from leakgauge.artefacts.request.aim import Aiming
from leakgauge.artefacts.request.part import Names, fields, hints
from leakgauge.artefacts.request.request import PARTS, Request

if TYPE_CHECKING:
    from leakgauge.artefacts.request.roles import Roles
    from leakgauge.artefacts.request.terms import Budget, Coarsening, Declared, Limits, Reading

    class StoredRequest(Declared, Budget, Reading, Coarsening, Limits, Aiming, Roles, frozen=True):
        """A request as files keep it; its fields are those of the parts."""

        table: str = ""
        repeat: str | None = None

        @classmethod
        def of(cls, request: Request) -> Self:  # type: ignore[override]
            """How a request is stored."""

        def request(self) -> Request:
            """The request that was stored.

            Raises:
                OptionError: no job would take these options together any more.
            """
else:

    def _stored(request: Request) -> StoredRequest:
        parts = {**{name: getattr(request, name) for name in PARTS}, "aims": Aiming.of(request.aims)}
        options = {name: value for part in parts.values() for name, value in msgspec.structs.asdict(part).items()}
        return StoredRequest(request.table, **options, repeat=request.repeat)

    def _request(self: StoredRequest) -> Request:
        # Its fields have the types of the parts: nothing is read again.
        parts: dict[str, Any] = {
            name: kind(**{one.name: getattr(self, one.name) for one in fields(kind)}) for name, kind in PARTS.items()
        }
        aims = parts.pop("aims").aims(parts["roles"])
        return Request(self.table, aims=aims, repeat=self.repeat, **parts)

    def _fields() -> Iterator[tuple[Any, ...]]:
        yield "table", str
        for part in PARTS.values():
            for field in fields(part):
                default = () if field.required else (field.default,)
                yield field.name, hints(part)[field.name], *default
        yield "repeat", Annotated[str | None, Names.PLACE], None

    StoredRequest = msgspec.defstruct(
        "StoredRequest",
        _fields(),
        bases=(Part,),
        namespace={"of": staticmethod(_stored), "request": _request, "__doc__": "A request as files keep it."},
        module=__name__,
        frozen=True,
        forbid_unknown_fields=True,
    )
