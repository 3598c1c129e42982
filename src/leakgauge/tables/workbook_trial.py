"""A workbook read once in a process of its own, ``python -P workbook_trial.py PATH SHEET BYTES``, under a memory limit.

A few bytes of a workbook can ask for any amount of memory: a value in its last cell, a row repeated a million times, a
part that unpacks to a thousand times its size. Whatever the form and whatever it says of itself, the reader is the one
that finds out, and a reader without memory ends its process. So this one ends, and not that of the page or of a job.
It imports nothing of ours, so that it starts at once.
"""

from __future__ import annotations

import sys

FITS, TOO_LARGE, DAMAGED = 0, 10, 11
"""How the process ends, unless it is ended."""


def _read(path: str, sheet: str) -> int:
    from python_calamine import load_workbook

    try:
        with load_workbook(path) as workbook:
            for name in [sheet] if sheet else workbook.sheet_names:
                workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except MemoryError:
        return TOO_LARGE
    except Exception as error:
        # Of some forms the reader counts the cells; whatever else it finds is told by who reads next.
        return TOO_LARGE if "limit exceeded" in str(error) else FITS
    except BaseException:
        # The reader's own bug, which is no exception of Python.
        return DAMAGED
    return FITS


if __name__ == "__main__":
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # One that is already lower stays.
    most = min({int(sys.argv[3]), *resource.getrlimit(resource.RLIMIT_AS)} - {resource.RLIM_INFINITY})
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    sys.exit(_read(sys.argv[1], sys.argv[2]))
