"""Values that cannot be changed once they are made."""

from __future__ import annotations


class Frozen:
    """Attributes may be set until the constructor seals the value."""

    def _seal(self) -> None:
        self.__dict__["_sealed"] = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError(f"an object of type {type(self).__name__} cannot be changed; make a new one")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an object of type {type(self).__name__} cannot be changed; make a new one")
