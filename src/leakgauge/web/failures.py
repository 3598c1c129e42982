"""What a request can be refused for, and the status it is refused with.

::

    InputError                            400
    ├── FileError
    │   ├── OutsideError                  403   a path outside the folder that is served
    │   └── TooLargeError                 413   a body above the limit
    └── OptionError
        └── UnknownError                  404   an id or a name that nothing has
    RefusalError                          409   the answer is no: a job runs, a table changed
    any other                             500
"""

from __future__ import annotations

from leakgauge.errors import FileError, InputError, LeakgaugeError, OptionError, RefusalError


class OutsideError(FileError):
    """A path outside the folder that is served."""


class TooLargeError(FileError):
    """A body above the limit."""


class UnknownError(OptionError):
    """An id or a name that nothing has."""


_STATUS: tuple[tuple[type[LeakgaugeError], int], ...] = (
    (OutsideError, 403),
    (TooLargeError, 413),
    (UnknownError, 404),
    (InputError, 400),
    (RefusalError, 409),
    (LeakgaugeError, 500),
)


def status_of(error: LeakgaugeError) -> int:
    """The status of an answer that this error is told in."""
    return next(status for kind, status in _STATUS if isinstance(error, kind))
