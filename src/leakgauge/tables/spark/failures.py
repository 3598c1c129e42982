"""What went wrong in Spark, told without its own words: those quote values of the table and whole plans."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from leakgauge.errors import ColumnError, EngineError, LeakgaugeError, TableError
from leakgauge.tables.failures import Result, without_values


def guarded(place: str, action: Callable[[], Result]) -> Result:
    """What the action gives; what Spark raises in it becomes one sentence about ``place``, free of any value."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return without_values(action, (PySparkException, Py4JError, OSError, EOFError), partial(_sentence, place))


def _sentence(place: str, error: Exception) -> LeakgaugeError:
    from py4j.protocol import Py4JNetworkError

    condition = _condition(error)
    said = f"{condition} {error}"
    if "PATH_NOT_FOUND" in said:
        return TableError("There is no file or folder at {place}; check the path, as the workers see it.", place=place)
    if any(word in condition for word in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")):
        return TableError("There is no table at {place}; check its name and its schema.", place=place)
    if "PARSE_SYNTAX_ERROR" in condition or "INVALID_IDENTIFIER" in condition:
        return TableError("{place} does not name a table; write SCHEMA.TABLE, or a path with its slash.", place=place)
    if "UNABLE_TO_INFER_SCHEMA" in condition:
        return TableError("{place} holds no Parquet or ORC files; name another folder.", place=place)
    if "FILE_NOT_EXIST" in said or "FileNotFoundException" in said:
        return EngineError("Files of {place} have gone since it was opened; open the table again.", place=place)
    if "CANNOT_READ_FILE_FOOTER" in said or "FAILED_READ_FILE" in said or "not a Parquet file" in said:
        return TableError(
            "{place} has a file that is not whole, or was changed since it was opened; make it again.", place=place
        )
    if any(word in said for word in ("NOT_ORDERABLE", "HASH_MAP_TYPE", "HASH_VARIANT_TYPE")):
        return ColumnError("A column of {place} has a type that Spark cannot group; leave it out.", place=place)
    if "OutOfMemoryError" in said or "maxResultSize" in said:
        return EngineError(
            "Reading {place} needs more memory than Spark has; bin a column, choose coarser ones, or raise "
            "spark.driver.memory and spark.executor.memory.",
            place=place,
        )
    if isinstance(error, OSError | EOFError | Py4JNetworkError) or "stopped SparkContext" in said:
        return EngineError(
            "Spark went away while it read {place}; start it again and open the table anew.", place=place
        )
    return EngineError(
        "Spark could not read {place} ({kind}); check that the source is whole and unchanged since it was opened.",
        place=place,
        kind=condition or type(error).__name__,
    )


def _condition(error: Exception) -> str:
    """Spark's name of what went wrong, which holds no value."""
    from pyspark.errors import PySparkException

    if not isinstance(error, PySparkException):
        return ""
    return str(error.getCondition() or "")
