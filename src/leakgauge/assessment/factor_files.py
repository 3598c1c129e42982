"""Factors of a comprehensive evaluation in TOML: ``value`` and a table for each factor with its parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from leakgauge.assessment.comprehensive_evaluation import INDEX_SYSTEM_A, INDEX_SYSTEM_B, FactorTree, paper_tree
from leakgauge.assessment.diagram_files import as_weight, require_keys
from leakgauge.assessment.indicators import INDICATORS
from leakgauge.assessment.pairwise import read_comparisons
from leakgauge.errors import FileError
from leakgauge.probability.files import parsed_toml, require_schema
from leakgauge.sentences import Sentence

SCHEMA = "leakgauge/factors/1"
PAPER_TREES = {"paper-a": INDEX_SYSTEM_A, "paper-b": INDEX_SYSTEM_B}
"""The paper's two index systems, by name."""
_TOP = ("schema", "value", "lower_is_better", "factors")
_FACTOR = ("name", "parts", "judgements")


def open_factors(given: Path | str) -> FactorTree:
    """The factors in a TOML file, or the paper's as ``"paper-a"`` or ``"paper-b"``.

    Raises:
        FileError: a file that cannot be read, or parts without weights that are numbers.
        ModelError: a part of two factors or of none.
    """
    if str(given) in PAPER_TREES:
        return paper_tree(PAPER_TREES[str(given)])
    place = Path(given)
    fields = parsed_toml(place)
    require_schema(fields, SCHEMA, place)
    require_keys(fields, _TOP, place, Sentence("it"))
    value, factors, lower = fields.get("value"), fields.get("factors"), fields.get("lower_is_better", [])
    if not isinstance(value, str) or not isinstance(factors, dict) or value not in factors:
        raise FileError(
            '{path} has no factor to evaluate; write value = "…" and a table [factors.…] of that name.', path=place
        )
    if not isinstance(lower, list) or not all(isinstance(leaf, str) for leaf in lower):
        raise FileError('{path}: lower_is_better is not a list of leaves; write ["5", "7"].', path=place)
    names = {one.leaf: one.name for one in INDICATORS.values()}
    parts = dict[str, dict[str, float]]()
    for key, factor in factors.items():
        parts[key] = _parts(key, factor, place)
        names[key] = str(factor.get("name", key))
    return FactorTree(value, parts, names, frozenset(lower), str(place))


def _parts(key: str, factor: object, place: Path) -> dict[str, float]:
    """What a factor is made of: a table of weights, or a list, which weighs the same or is judged two at a time."""
    what = Sentence("the factor {key!r}", key=key)
    if not isinstance(factor, Mapping):
        raise FileError("{path}: {what} is not a table; write [factors.{key!s}].", path=place, what=what, key=key)
    require_keys(factor, _FACTOR, place, what)
    given = factor.get("parts")
    if isinstance(given, list) and given and len(set(map(str, given))) == len(given):
        parts = [str(part) for part in given]
        if "judgements" in factor:
            return read_comparisons({"of": parts, "judgements": factor["judgements"]}, parts, key, place)
        return dict.fromkeys(parts, 1.0)
    if not isinstance(given, dict) or not given or "judgements" in factor:
        raise FileError(
            '{path}: {what} has no parts; write parts = ["…"], with or without judgements, or parts = {{ … = 1 }} '
            "with weights.",
            path=place,
            what=what,
        )
    weights = {part: as_weight(weight, place, Sentence("{part!r}", part=part)) for part, weight in given.items()}
    for part, weight in weights.items():
        if not weight >= 0:
            raise FileError(
                "{path}: {part!r} has a weight of {weight:g}; give a number of at least 0.",
                path=place,
                part=part,
                weight=weight,
            )
    if not any(weights.values()):
        raise FileError("{path}: the weights of all parts of {what} are 0; raise one of them.", path=place, what=what)
    return weights
