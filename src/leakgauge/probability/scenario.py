"""The communication model: a secret source, a release channel, an attacker's background, subjective weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.errors import LabelError, ModelError
from leakgauge.probability.cells import (
    LARGEST,
    Cells,
    Codes,
    DenseCells,
    Floats,
    as_floats,
    follow,
    gather,
    scaled_rows,
    sums_by,
)
from leakgauge.probability.channel import Channel
from leakgauge.probability.counts import Counts
from leakgauge.probability.distribution import Distribution, Frozen
from leakgauge.probability.joint import Joint
from leakgauge.probability.labels import Label, same_alphabet

Weights: TypeAlias = Mapping[Label, float] | Sequence[float] | Sequence[Sequence[float]] | Floats


@lru_cache(maxsize=8)
def _are_pairs(inputs: tuple[Label, ...], first: tuple[Label, ...], second: tuple[Label, ...]) -> bool:
    """Remembered: a bootstrap asks it of the same labels hundreds of times."""
    return inputs == tuple(product(first, second))


class Seen(Enum):
    """What the attacker sees."""

    RELEASE = "Y"
    BACKGROUND = "Z"
    BOTH = "YZ"


@dataclass(frozen=True)
class View:
    """The secret against what is seen: p(x, seen), and the weight of each cell (None: all 1)."""

    cells: Cells
    weights: Floats | None


class Scenario(Frozen):
    """A secret X released as Y through a channel and watched by someone who may know Z.

    Args:
        source: p(x), or p(x, z) as a joint whose columns are the background.
        channel: q(y|x); or, where the release depends on the background too, q(y|(x, z)) with the pairs that
            occur as inputs. None: nothing is released.
        background: p(z|x) as a channel from the secret; only with a source that is a distribution.
        weights: how sensitive each secret is, by label or in the source's order, or a matrix w(x, y) for
            an attacker's interest in each pair. None: every secret counts alike.

    Several sources are one source whose labels are tuples.

    Raises:
        LabelError: alphabets do not match.
        ModelError: a weight is negative, NaN or infinite.

    Example:
        >>> joint = Joint(["ill", "well"], ["old", "young"], [[0.2, 0.1], [0.3, 0.4]])
        >>> scenario = Scenario(joint, Channel.identity(["ill", "well"]))
        >>> scenario.posterior(background="old")["ill"]
        0.4
    """

    @checked
    def __init__(
        self,
        source: Distribution | Joint,
        channel: Channel | None = None,
        background: Channel | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.background: Joint | None
        if isinstance(source, Joint):
            if background is not None:
                raise ModelError("The background is given twice, in the joint and as a channel; give one of them.")
            self.source, self.background = source.row_marginal(), source
        else:
            self.source, self.background = source, None if background is None else Joint.of(source, background)
        self.channel = channel
        if channel is not None and not self.by_pairs:
            same_alphabet(self.source.outcomes, channel.inputs, "secrets of the source", "inputs of the channel")
        self.weights = None if weights is None else self._checked(weights)
        self._seal()

    @classmethod
    @checked
    def from_counts(
        cls,
        counts: Counts,
        secret: Sequence[str],
        release: Sequence[str] = (),
        background: Sequence[str] = (),
        weights: Weights | None = None,
    ) -> Scenario:
        """The scenario of observed frequencies, each role played by one axis or several."""
        if not release:
            source = counts.joint(secret, background) if background else counts.distribution(*secret)
            return cls(source, weights=weights)
        if not background:
            joint = counts.joint(secret, release)
            return cls(joint.row_marginal(), joint.channel(), weights=weights)
        seen = counts.merge({"pair": (*secret, *background), "release": release})
        known = counts.merge({"secret": secret, "background": background})
        pairs = [
            (known.labels("secret")[x], known.labels("background")[z])
            for x, z in zip(*known.codes.tolist(), strict=True)
        ]
        # Both list the combinations of (secret, background) that occur, sorted by the same codes.
        shares = seen.counts / known.counts[seen.codes[0]]
        channel = Channel.from_cells(pairs, seen.labels("release"), seen.codes[0], seen.codes[1], shares)
        return cls(known.joint(), channel, weights=weights)

    @cached_property
    def by_pairs(self) -> bool:
        """Whether the release depends on the background as well as on the secret."""
        if self.background is None or self.channel is None or self.channel.inputs == self.source.outcomes:
            return False
        return self._reads_all_pairs or (
            all(isinstance(pair, tuple) and len(pair) == 2 for pair in self.channel.inputs)
            and set(self.channel.inputs) >= set(self._pairs)
        )

    @property
    def _reads_all_pairs(self) -> bool:
        """Whether the inputs of the channel are every pair of a secret and a background, in this order."""
        known, channel = self._known(), self._released()
        return _are_pairs(channel.inputs, known.rows, known.columns)

    @property
    def _pairs(self) -> list[tuple[Label, Label]]:
        """The combinations of secret and background that occur."""
        if self.background is None:
            return []
        rows, columns, _ = self.background.cells.nonzero()
        x, z = self.background.rows, self.background.columns
        return [(x[i], z[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]

    @checked
    def view(self, seen: Seen) -> View:
        """The secret against what is seen; ``BOTH`` is whichever of release and background there is."""
        if seen is Seen.BOTH and (self.channel is None or self.background is None):
            seen = Seen.RELEASE if self.background is None else Seen.BACKGROUND
        if seen not in self._views:
            self._views[seen] = self._seeing(seen)
        return self._views[seen]

    @cached_property
    def _views(self) -> dict[Seen, View]:
        """Those asked for before: several measures of one scenario look at the same."""
        return {}

    def _seeing(self, seen: Seen) -> View:
        if seen is Seen.BACKGROUND:
            return View(self._known().cells, self._background_weights())
        outputs = len(self._released().outputs)
        cells = self._release_cells() if seen is Seen.RELEASE else self._both_cells()
        return View(cells, self._release_weights(cells, outputs))

    def posterior(self, release: Label = ..., background: Label = ...) -> Distribution:
        """What the attacker believes about the secret after seeing a release, a background, or both (Bayes).

        An argument left out is not seen; ``None`` is the letter of missing values.
        """
        if release is ... and background is ...:
            return self.source
        if release is ...:
            return self._known().row_given_column(background)
        return self._release_given(background).row_given_column(release)

    def without_weights(self) -> Scenario:
        """The same scenario with equal weights of all secrets."""
        return self if self.weights is None else Scenario(self.background or self.source, self.channel)

    def _known(self) -> Joint:
        if self.background is None:
            raise ModelError("This scenario has no background knowledge; give p(x, z) as its source.")
        return self.background

    def _released(self) -> Channel:
        if self.channel is None:
            raise ModelError("This scenario has no channel, so nothing is released; give it one.")
        return self.channel

    def _release_given(self, background: Label) -> Joint:
        channel = self._released()
        if background is ...:
            return Joint._trusted(self.source.outcomes, channel.outputs, self._release_cells())
        believed = self._known().row_given_column(background)
        if not self.by_pairs:
            return Joint.of(believed, channel)
        never = np.zeros(len(channel.outputs))
        rows = [
            channel.row((x, background)).probabilities * p if p > 0 else never
            for x, p in zip(believed.outcomes, believed.probabilities.tolist(), strict=True)
        ]
        return Joint(believed.outcomes, channel.outputs, rows)

    def _release_cells(self) -> Cells:
        channel = self._released()
        if not self.by_pairs:
            return scaled_rows(channel.cells, self.source.probabilities)
        x, _, p, at, y, q = self._ways()
        return gather((len(self.source), len(channel.outputs)), x[at], y, p[at] * q)

    def _both_cells(self) -> Cells:
        known, released = self._known().cells, self._released().cells
        outputs = released.shape[1]
        shape = (len(self.source), known.shape[1] * outputs)
        dense = isinstance(known, DenseCells) and isinstance(released, DenseCells)
        if dense and not self.by_pairs and shape[0] * shape[1] <= LARGEST:
            return DenseCells((known.values[:, :, None] * released.values[:, None, :]).reshape(shape))
        x, z, p, at, y, q = self._ways()
        return gather(shape, x[at], z[at] * outputs + y, p[at] * q)

    def _ways(self) -> tuple[Codes, Codes, Floats, Codes, Codes, Floats]:
        """Secret, background and p(x,z) of each pair; then for every way on: which pair, the release, q(y|x,z)."""
        channel, (x, z, p) = self._released(), self._known().cells.nonzero()
        if self.by_pairs and self._reads_all_pairs:
            inputs = x * len(self._known().columns) + z
        elif self.by_pairs:
            index = {pair: at for at, pair in enumerate(channel.inputs)}
            inputs = np.array([index[pair] for pair in self._pairs], dtype=np.int64)
        else:
            inputs = x
        at, _, y, q = follow(inputs, channel.cells)
        return x, z, p, at, y, q

    def _release_weights(self, cells: Cells, outputs: int) -> Floats | None:
        """The weight of each cell; a weight matrix repeats over the background."""
        if self.weights is None or self.weights.ndim == 1:
            return None if self.weights is None else cells.across_rows(self.weights)
        if isinstance(cells, DenseCells):
            return np.tile(self.weights, (1, cells.shape[1] // outputs))
        x, column, _ = cells.nonzero()
        return np.asarray(self.weights[x, column % outputs])

    def _background_weights(self) -> Floats | None:
        """The weight of each pair (x, z); a weight matrix over (x, y) counts by its mean over the releases."""
        cells = self._known().cells
        if self.weights is None or self.weights.ndim == 1:
            return None if self.weights is None else cells.across_rows(self.weights)
        x, z, _, at, y, q = self._ways()
        means = sums_by(at, self.weights[x[at], y] * q, len(x))
        if not isinstance(cells, DenseCells):
            return means
        spread = np.zeros(cells.shape)
        spread[x, z] = means
        return spread

    def _checked(self, weights: Weights) -> Floats:
        if isinstance(weights, Mapping):
            unknown = [label for label in weights if label not in set(self.source.outcomes)]
            missing = [label for label in self.source.outcomes if label not in weights]
            if unknown or missing:
                raise LabelError(
                    "The weights lack {missing} of the {count} secrets and name {unknown} unknown ones; give one "
                    "weight for each secret.",
                    missing=len(missing),
                    count=len(self.source),
                    unknown=len(unknown),
                )
            weights = [weights[label] for label in self.source.outcomes]
        array = as_floats(weights, "weights")
        shapes: list[tuple[int, ...]] = [(len(self.source),)]
        if self.channel is not None:
            shapes.append((len(self.source), len(self.channel.outputs)))
        if array.shape not in shapes:
            raise ModelError(
                "The weights have shape {found}; give one per secret ({secrets}) or a matrix secret × release.",
                found=str(array.shape),
                secrets=len(self.source),
            )
        array.setflags(write=False)
        return array

    _repr_html_ = notebook.shown

    def __repr__(self) -> str:
        parts = [f"{len(self.source)} secrets"]
        if self.channel is not None:
            parts.append(f"{len(self.channel.outputs)} releases")
        if self.background is not None:
            parts.append(f"{len(self.background.columns)} backgrounds")
        return f"Scenario({', '.join(parts)}{', weighted' if self.weights is not None else ''})"
