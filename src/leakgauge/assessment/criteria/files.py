"""Diagrams of criteria in TOML: ``[criteria]``, ``[leaves]`` and, of judged weights, ``[pairwise.CRITERION]``."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from leakgauge.assessment.criteria.diagram import BESIDE, Best, CriteriaDiagram, CriterionNode, LeafNode
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import DIAGRAM_SCHEMA, as_weight, default_diagram, read_diagram, require_keys
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.assessment.indicators.questionnaire import ASKED
from leakgauge.assessment.pairwise import read_comparisons
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError, did_you_mean
from leakgauge.probability.files import parsed_toml, require_schema
from leakgauge.sentences import Sentence

SCHEMA = "leakgauge/diagram/2"
PAPER = "paper"
_CRITERIA, _ARCS = "criteria_diagram.toml", "default_diagram.toml"
_TOP = ("schema", "criteria", "leaves", "pairwise")
_CRITERION = ("name", "chinese", "score")
_LEAF = ("name", "chinese", "feeds", "better", "weight")


@cache
def _text_of(diagram: str) -> str:
    return files("leakgauge.assessment").joinpath("tables", diagram).read_text(encoding="utf-8")


@cache
def default_criteria() -> CriteriaDiagram:
    """Five criteria, the protection that is needed and the strength of the audit, fed by the 28 indicators."""
    return _diagram(tomllib.loads(_text_of(_CRITERIA)), Path(_CRITERIA))


def write_diagram(path: Path | str, *, paper: bool = False) -> None:
    """Write the default diagram to a new file, with comments, to be changed and read back.

    Args:
        paper: write the paper's diagram, with its arcs, instead.

    Raises:
        FileError: the file exists, for it may hold somebody's own weights, or cannot be written.
    """
    place = Path(path)
    require_writable(place)
    if place.exists():
        raise FileError("{path} exists; name another file for the diagram.", path=place)
    write_whole(place, _text_of(_ARCS if paper else _CRITERIA), shareable=True)


def open_diagram(given: Path | str | None = None) -> CriteriaDiagram | Diagram:
    """A diagram by name: the default one, ``"paper"`` for the paper's, or a file.

    A ``Diagram``, the paper's or one like it, is shown with the first algebra (``over_arcs``) and does not decide.

    Raises:
        FileError: it cannot be read; a leaf feeds nothing or two criteria; weights are no numbers, or judgements
            contradict each other.
        ModelError: the same of what was read, such as weights that are all 0.
    """
    if given is None:
        return default_criteria()
    if str(given) == PAPER:
        return default_diagram()
    place = Path(given)
    fields = parsed_toml(place)
    return read_diagram(place) if fields.get("schema") == DIAGRAM_SCHEMA else _diagram(fields, place)


def is_asked(leaf: str) -> bool:
    """Whether people are asked about a leaf, because nothing measures it."""
    return leaf in ASKED or leaf not in {one.leaf for one in INDICATORS.values()}


def asked_by(diagram: CriteriaDiagram) -> tuple[str, ...]:
    """The leaves of a diagram that people are asked about; a questionnaire of it holds no others."""
    return tuple(filter(is_asked, diagram.leaves))


def _diagram(fields: Mapping[str, object], place: Path) -> CriteriaDiagram:
    require_schema(fields, SCHEMA, place)
    require_keys(fields, _TOP, place, Sentence("it"))
    criteria, leaves, pairwise = (_tables(fields, name, place) for name in _TOP[1:])
    if not criteria or not leaves:
        raise FileError("{path} has no [criteria] or no [leaves]; a diagram needs both.", path=place)
    made = CriteriaDiagram(
        MappingProxyType({key: _criterion(key, one, place) for key, one in criteria.items()}),
        MappingProxyType({key: _leaf(key, one, tuple(criteria), place) for key, one in leaves.items()}),
        str(place),
    )
    for key, compared in pairwise.items():
        made = _judged(made, key, compared, leaves, place)
    return made


def _tables(fields: Mapping[str, object], name: str, place: Path) -> Mapping[str, Mapping[str, object]]:
    found = fields.get(name, {})
    if not isinstance(found, dict):
        raise FileError("{path}: {name!s} is not a table; write [{name!s}].", path=place, name=name)
    for key, one in found.items():
        if not isinstance(one, dict):
            raise FileError(
                "{path}: {key!r} under [{name!s}] is not a table; write [{name!s}.{key!s}].",
                path=place,
                key=key,
                name=name,
            )
    return found


def _criterion(key: str, fields: Mapping[str, object], place: Path) -> CriterionNode:
    what = Sentence("the criterion {key!r}", key=key)
    # What a score was called.
    fields = {"score" if name == "dial" else name: value for name, value in fields.items()}
    require_keys(fields, _CRITERION, place, what)
    name, chinese, score = (
        _text(fields, field, place, what, absent) for field, absent in zip(_CRITERION, (None, "", ""), strict=True)
    )
    return CriterionNode(key, name, chinese, score or None)


def _leaf(key: str, fields: Mapping[str, object], criteria: tuple[str, ...], place: Path) -> LeafNode:
    what = Sentence("the leaf {key!r}", key=key)
    require_keys(fields, _LEAF, place, what)
    feeds = fields.get("feeds")
    if not feeds:
        raise FileError(
            "{path}: the leaf {leaf!r} feeds nothing; let it feed one of {known!s}.",
            path=place,
            leaf=key,
            known=(*criteria, *BESIDE),
        )
    if isinstance(feeds, list) and len(feeds) > 1:
        raise FileError(
            "{path}: the leaf {leaf!r} feeds {count} criteria, {found!s}; each leaf feeds one: choose it.",
            path=place,
            leaf=key,
            count=len(feeds),
            found=tuple(map(str, feeds)),
        )
    fed = feeds[0] if isinstance(feeds, list) else feeds
    if not isinstance(fed, str):
        raise FileError(
            "{path}: the leaf {leaf!r} has feeds = {found!r}; write a name.", path=place, leaf=key, found=fed
        )
    better, ways = fields.get("better"), {one.value: one for one in Best}
    if not isinstance(better, str) or better not in ways:
        raise FileError(
            "{path}: the leaf {leaf!r} has better = {found!r}; write higher, lower, raw or null.",
            path=place,
            leaf=key,
            found="" if better is None else str(better),
        )
    if is_asked(key) and ways[better] in (Best.RAW, Best.NULL):
        raise FileError(
            "{path}: people are asked about the leaf {leaf!r}, so it has no value for the raw data or for a release "
            "that reveals nothing; write better = higher or lower.",
            path=place,
            leaf=key,
        )
    return LeafNode(
        key,
        _text(fields, "name", place, what),
        fed,
        ways[better],
        as_weight(fields.get("weight", 1.0), place, what),
        _text(fields, "chinese", place, what, ""),
    )


def _judged(
    diagram: CriteriaDiagram,
    key: str,
    compared: Mapping[str, object],
    leaves: Mapping[str, Mapping[str, object]],
    place: Path,
) -> CriteriaDiagram:
    """The diagram with the weights that judgements of two leaves at a time give the leaves of one criterion."""
    known = (*diagram.criteria, *BESIDE)
    if key not in known:
        raise FileError(
            "{path}: [pairwise.{key!s}] does not name a criterion; {near}",
            path=place,
            key=key,
            near=did_you_mean(key, known),
        )
    feeding = [leaf.key for leaf in diagram.feeding(key)]
    for leaf in feeding:
        if leaves[leaf].get("weight", 0):
            raise FileError(
                "{path}: the leaf {leaf!r} has a weight, and [pairwise.{key!s}] judges it as well; keep one.",
                path=place,
                leaf=leaf,
                key=key,
            )
    weights = read_comparisons(compared, [leaf for leaf in feeding if diagram.leaves[leaf].weight], key, place)
    judged = {leaf: dataclasses.replace(diagram.leaves[leaf], weight=weight) for leaf, weight in weights.items()}
    return dataclasses.replace(diagram, leaves=MappingProxyType({**diagram.leaves, **judged}))


def _text(fields: Mapping[str, object], name: str, place: Path, what: Sentence, absent: str | None = None) -> str:
    """A text of a table; one that must be there where nothing stands for its absence."""
    found = fields.get(name, absent)
    if not isinstance(found, str) or (absent is None and not found):
        raise FileError(
            "{path}: {what} has no {name!s}, or it is not text; give it one.", path=place, what=what, name=name
        )
    return found
