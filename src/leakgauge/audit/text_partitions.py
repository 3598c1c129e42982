"""Cells of texts: the frequent ones, how they begin and end, and numbers that describe them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.audit.outputs import Outputs
from leakgauge.audit.partitions import LETTERS, Partition, letters, listed, ranges
from leakgauge.audit.texts import BEGINNING, END, ENDING, START, TEXT, TRAIT_NAMES, TRAITS, characters_in, code_points
from leakgauge.probability.cells import Codes
from leakgauge.sentences import Field

_FEWEST = 4
"""Texts with the same beginning that make it a cell."""
_CHARACTERS = 0x110000
_TEXTS = 1 / 6
"""What is staked on each kind of cells of texts, so that they do not make bets on numbers much poorer."""


def frequent_texts(outputs: Outputs) -> Partition:
    """Each of the most frequent texts that come again a cell, everything else the last."""
    texts, counts = np.unique(outputs[TEXT], return_counts=True)
    again = outputs[TEXT][np.isin(outputs[TEXT], texts[counts > 1])]
    return letters(again, "texts").reading(lambda drawn: drawn[TEXT])


def trait(outputs: Outputs, at: int) -> Partition:
    """One of the numbers that describe a text."""
    return ranges(outputs, lambda drawn: np.asarray(drawn[TRAITS][:, at]), TRAIT_NAMES[at], stake=_TEXTS)


def character(first: Outputs, second: Outputs) -> Partition:
    """The character at the place, counted from the beginning or the end, where texts differ most."""
    rows = characters_in(first), characters_in(second)
    at = int(np.argmax([_apart(rows[0][:, at], rows[1][:, at]) for at in range(rows[0].shape[1])]))

    def spelled(code: int) -> Field:
        return repr(chr(code)) if code else Sentence("none")

    def said(one: Field) -> Sentence:
        if at < BEGINNING:
            return Sentence("character {at:d} {one}", at=at + 1, one=one)
        return Sentence("character {at:d} from the end {one}", at=at - BEGINNING + 1, one=one)

    found = letters(np.concatenate(rows)[:, at], "character", spelled, said)
    return replace(found.reading(lambda drawn: characters_in(drawn)[:, at]), stake=_TEXTS)


def _apart(first: Codes, second: Codes) -> float:
    """How far the shares of characters are apart, summed over characters."""
    _, code_of = np.unique(np.concatenate([first, second]), return_inverse=True)
    ours, theirs = (np.bincount(one, minlength=int(code_of.max()) + 1) for one in np.split(code_of, [len(first)]))
    return float(np.abs(ours / len(first) - theirs / len(second)).sum())


def beginnings(first: Outputs, second: Outputs, from_end: bool = False) -> Partition:
    """The longest of the frequent beginnings, or ends, that a text has: the nodes of a tree of characters."""
    field, longest = (END, ENDING) if from_end else (START, BEGINNING)
    texts, parents, levels = _tree(code_points(first[field], longest), code_points(second[field], longest))
    quoted = [repr(text[::-1] if from_end else text) for text in texts]

    def places(outputs: Outputs) -> Codes:
        characters = code_points(outputs[field], longest)
        found = np.zeros(len(outputs), dtype=np.int64)
        rows = np.arange(len(outputs))
        for depth, (steps, nodes) in enumerate(levels):
            wanted = found[rows] * _CHARACTERS + characters[rows, depth]
            place = np.minimum(np.searchsorted(steps, wanted), len(steps) - 1)
            goes_on = steps[place] == wanted
            rows = rows[goes_on]
            found[rows] = nodes + place[goes_on]
        return found

    def describe(cells: Codes) -> Sentence:
        """The shortest beginnings whose texts are all in the union, and others with what they go on with."""
        members = set(cells.tolist())
        whole = [node in members for node in range(len(texts))]
        # Children have larger numbers than their parents.
        for node in range(len(texts) - 1, 0, -1):
            whole[parents[node]] &= whole[node]
        named: list[Field] = []
        for node in sorted(members):
            if not whole[node]:
                rare = Sentence("{beginning!s} and a rare character", beginning=quoted[node])
                named.append(rare if node else Sentence("a rare character"))
            elif not node or not whole[parents[node]]:
                named.append(quoted[node] if node else Sentence("anything"))
        return Sentence("text that ends with {one}" if from_end else "text that begins with {one}", one=listed(named))

    name = "end of the text" if from_end else "beginning of the text"
    return Partition(name, len(texts), places, describe, stake=_TEXTS)


def _tree(first: Codes, second: Codes) -> tuple[list[str], list[int], list[tuple[Codes, int]]]:
    """Texts of the nodes, their parents, and for each depth the steps that lead to it and the number of its first node.

    A step is a node and a character as one number.
    """
    characters = np.concatenate([first, second])
    fewest = max(_FEWEST, len(characters) // LETTERS)
    texts, parents = [""], [0]
    levels: list[tuple[Codes, int]] = []
    at = np.zeros(len(characters), dtype=np.int64)
    for column in characters.T:
        # A beginning that texts of one input have alone says all there is to say.
        shared = np.intersect1d(at[: len(first)], at[len(first) :])
        rows = np.flatnonzero((at >= 0) & np.isin(at, shared) & (column > 0))
        steps, step_of, counts = np.unique(
            at[rows] * _CHARACTERS + column[rows], return_inverse=True, return_counts=True
        )
        frequent = counts >= fewest
        if not frequent.any():
            break
        levels.append((steps[frequent], len(texts)))
        at[:] = -1
        at[rows] = np.where(frequent, len(texts) + np.cumsum(frequent) - 1, -1)[step_of.reshape(-1)]
        for step in steps[frequent].tolist():
            parent, character = divmod(step, _CHARACTERS)
            texts.append(texts[parent] + chr(character))
            parents.append(parent)
    return texts, parents, levels
