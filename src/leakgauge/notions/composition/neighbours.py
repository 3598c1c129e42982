"""Which data sets a composed guarantee compares, and how parts of a data set are formed."""

from __future__ import annotations

from enum import Enum


class Neighbours(Enum):
    """How two neighbouring data sets differ; every claim of a sequence must hold for the same kind."""

    REPLACE_ONE = "one record has another value"
    ADD_OR_REMOVE_ONE = "one record is there or not"


class Parts(Enum):
    """What decides which part a record belongs to."""

    FIXED = "something that stays when the record's value is replaced, such as a key"
    BY_VALUE = "the record's own value, as in a histogram"
