"""What somebody learns who knows some columns of a person and finds rows of a shuffled release by the published ones.

She cannot tell the rows of a group, which agree in the published columns that she knows. So the number J of the
person's row among the n of the group is independent of everything she sees, and evenly distributed.

1. A secret that leaves as it is: P(x|seen) = (1/n) Σ_j 1{x_j = x}, the composition of the group. It is read off the
   release and not estimated, so that groups may be as small as they like.
2. A secret that leaves through a mechanism with fresh noise: whoever knew all x_j as well, and not J, would have
   P(x_J = x | x_1 … x_n, y_1 … y_n) = (1/n) Σ_j 1{x_j = x} again, because J is independent of both. She sees less, and
   processing adds nothing to guesses, bits or the surest tenth (``surest``), all of them means of convex functions of
   the posterior. So the composition is the most that she gains, and what whoever knows the frequencies gains.
3. What she knows and the rows do not show: rows weigh by P(known|x, group). If it were on the rows, she would see the
   composition of the smaller groups that agree in it too: the most that she gains, and exact where frequencies are.

Other protected columns are on the rows too. Their noise says nothing about J to somebody who does not know their true
values; if she does, these are declared as background, and case 3 counts them as if they were on the rows. They do not
help to find rows otherwise.

Before the release she has P(x|known) of the background alone, whatever is published: of a group whose members all share
a secret, everything is learnt from the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import Attacker, AttackerName, share
from leakgauge.case.case import Case, CountedLaw
from leakgauge.case.certainty import surest
from leakgauge.case.columns import numbered
from leakgauge.case.counted import channel_of
from leakgauge.case.law import Sight, subsets
from leakgauge.case.secret_values import SecretValues, values_of_law, values_of_secret
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.measures.countability import is_countable
from leakgauge.probability import Channel, Counts
from leakgauge.probability.cells import Codes, Floats, gather
from leakgauge.probability.labels import text_of
from leakgauge.release.bound import BoundColumn, RecordedPlan

MOST_CELLS = 1 << 23
"""Combinations of a secret, links and background up to which groups are counted."""
_CERTAIN = 1 - 1e-12


def linked_attacker(
    sight: Sight, values: SecretValues, knows: tuple[str, ...], links: tuple[str, ...], *, at_most: bool = False
) -> Attacker:
    """What somebody gains who knows some columns, by what she sees; with ``at_most`` it is a bound from above."""
    most, worst = surest(sight, values.classes)

    def told(value: float) -> Quantity:
        return share(value, 0.0, value, 1.0) if at_most else share(value)

    return Attacker(
        knows=knows,
        gained=told(values.gained(sight)),
        told=told(values.told(sight)),
        left=1 - sight.before.guessed() if values.numbers is None else None,
        name=AttackerName.KNOWS_COLUMNS,
        links=links,
        surest=told(most),
        worst=values.names[worst],
    )


def gaining_least(linked: Attacker, by_row: Attacker) -> Attacker:
    """The smaller of two bounds on what somebody gains who knows columns: by the groups, or as if she knew the row.

    Whoever can tell the row sees more, so that both hold. Of ``by_row`` what is unknown bounds nothing.
    """

    def smaller(one: Quantity | None, other: Quantity | None) -> Quantity | None:
        found = [bound for bound in (one, other) if bound is not None]
        return min(found, key=lambda bound: (bound.ends[1], bound.value), default=None)

    first = smaller(linked.surest, by_row.surest)
    return structs.replace(
        linked,
        gained=smaller(linked.gained, by_row.gained),
        told=smaller(linked.told, by_row.told),
        surest=first,
        worst=by_row.worst if first is by_row.surest and by_row.worst is not None else linked.worst,
    )


@dataclass(frozen=True, eq=False)
class LinkedLaw:
    """How often each value of a secret occurs in the groups of rows that agree in the published columns.

    Attributes:
        values: of the secret.
        x: of each cell the number of the secret's value.
        p: of each cell its share of the rows.
        linked: of each cell the number of its group.
        background: of each cell the numbers of the columns that may be known.
        links: the published columns that groups agree in.
        published: the background that is on the rows.
        people: who differ independently.
        as_it_is: whether the secret leaves unchanged.
    """

    values: SecretValues
    x: Codes
    p: Floats
    linked: Codes
    background: Mapping[str, Codes]
    links: tuple[str, ...]
    published: tuple[str, ...]
    people: int
    as_it_is: bool

    def sight(self, knows: Sequence[str] = ()) -> Sight:
        """What is seen by somebody who knows some of the background: the composition of the smallest groups."""
        seen = numbered(self.linked, *(self.background[name] for name in knows), rows=len(self.x))
        before = numbered(*(self.background[name] for name in self._counted(knows)), rows=len(self.x))
        groups, letters = int(seen.max()) + 1, len(self.values.labels)
        x, at, p = gather((letters, groups), self.x, seen, self.p).nonzero()
        known = np.empty(groups, dtype=np.int64)
        known[seen] = before
        return Sight(letters, x, at, p, known, np.zeros(groups, dtype=np.int64))

    def is_seen(self, knows: Sequence[str]) -> bool:
        """Whether that composition is read off the release, as it is."""
        return self.as_it_is and {*knows} <= {*self.published}

    def is_countable(self, knows: Sequence[str]) -> bool:
        """Whether frequencies may stand for what whoever knows them would know."""
        codes = (self.background[name] for name in knows)
        return self._has_enough(numbered(self.linked, *codes, rows=len(self.x)))

    def attacker(self, knows: tuple[str, ...]) -> Attacker:
        """What somebody gains who knows some of the background; at most, where there are too few people to count."""
        exact = self.is_seen(knows) or self.is_countable(knows)
        return linked_attacker(self.sight(knows), self.values, knows, self.links, at_most=not exact)

    def _has_enough(self, groups: Codes) -> bool:
        return is_countable(self.values.kinds * (int(groups.max()) + 1), self.people)

    def _counted(self, knows: Sequence[str]) -> tuple[str, ...]:
        """Of what is known the part, coarse columns first, that can be counted beside the secret.

        Somebody alone with what is known is not guessed by it. Less known before means more gained: the private side.
        """
        found: tuple[str, ...] = ()
        for name in sorted(knows, key=lambda one: int(self.background[one].max())):
            codes = (self.background[one] for one in (*found, name))
            if self._has_enough(numbered(*codes, rows=len(self.x))):
                found += (name,)
        return found


def linked_attackers(
    case: Case, plan: RecordedPlan, secret: tuple[str, ...], columns: Sequence[str] | None = None
) -> tuple[Attacker, ...]:
    """What somebody gains who finds rows by published columns, for each subset of the declared background.

    If groups are too small to count, and the secret leaves through a mechanism, the attacker who knows the row bounds
    what is gained as well; only the subsets are tried then that were tried of her.

    Args:
        columns: that are known of a person, published or of the background; by default all of them. The attacker finds
            rows by those that are published.

    Raises:
        OptionError: a column that is neither published nor of the background.
    """
    law = linked_law(case, plan, secret, columns)
    if law is None:
        links = tuple(name for name in plan.public if name not in secret and (columns is None or name in columns))
        by_row = _by_row(case, plan, secret).values()
        return tuple(structs.replace(one, name=AttackerName.KNOWS_COLUMNS, links=links) for one in by_row)
    known = tuple(subsets(tuple(law.background)))
    if law.as_it_is or all(map(law.is_countable, known)):
        return tuple(map(law.attacker, known))
    rows, linked = _by_row(case, plan, secret), {knows: law.attacker(knows) for knows in known}
    return tuple(
        one if law.is_countable(knows) or not rows else gaining_least(one, rows[knows])
        for knows, one in linked.items()
        if knows in rows or not rows or law.is_countable(knows)
    )


def linked_law(
    case: Case, plan: RecordedPlan, secret: tuple[str, ...], columns: Sequence[str] | None = None
) -> LinkedLaw | None:
    """How often each value of a secret occurs in groups of rows; None where there are too many to count.

    Args:
        columns: that are known of a person; by default all that are published or of the background.

    Raises:
        OptionError: a column that is neither published nor of the background.
    """
    own = plan.hiding(secret)
    published = {name: shown for name, shown in _published(plan, own) if name not in secret}
    background = tuple(name for name in case.background if name not in secret)
    if columns is not None:
        require_linkable(columns, (*published, *background))
        background = tuple(name for name in background if name in columns)
    links = tuple(name for name in published if columns is None or name in columns)
    wanted = tuple(dict.fromkeys((*links, *background)))
    if case.table.group_sizes([(*secret, *wanted)])[0].groups > MOST_CELLS:
        return None
    counts = case.table.counts(*secret, *wanted, limit=max(case.table.rows, 1))
    codes = dict(zip(counts.names, counts.codes, strict=True))
    groups = numbered(*(_shown(counts, name, published[name]) for name in links), rows=len(counts.counts))
    x, values = values_of_secret(case, secret, counts)
    # A blank cell is no number, and stands nowhere among them.
    kept = np.flatnonzero(x >= 0)
    p = counts.counts[kept].astype(np.float64)
    return LinkedLaw(
        *(values, x[kept], p / p.sum(), numbered(groups[kept], rows=len(kept))),
        background={name: codes[name][kept] for name in background},
        links=links,
        published=tuple(name for name in background if name in published and published[name] is None),
        people=case.people,
        as_it_is=_leaves_as_it_is(plan, secret, own),
    )


def _published(plan: RecordedPlan, own: BoundColumn | None) -> Iterator[tuple[str, Channel | None]]:
    """The columns that rows show, and what they show of those that go through a channel without chance."""
    for name in plan.public:
        yield name, None
    for one in plan.columns:
        channel = channel_of(one) if one is not own and len(one.reads) == 1 else None
        if channel is not None and one.reads[0] not in plan.public and _is_certain(channel):
            yield one.reads[0], channel


def _shown(counts: Counts, name: str, channel: Channel | None) -> Codes:
    """Of each cell the number of what rows show of a column."""
    codes = counts.codes[counts.names.index(name)]
    if channel is None:
        return np.asarray(codes)
    outputs = np.asarray(channel.matrix).argmax(axis=1).tolist()
    shown = {text_of(label): output for label, output in zip(channel.inputs, outputs, strict=True)}
    # A value that the channel does not read is told apart from all others: the private side.
    apart = len(channel.outputs)
    places = [shown.get(text_of(label), apart + at) for at, label in enumerate(counts.labels(name))]
    return np.asarray(np.array(places, dtype=np.int64)[codes])


def _leaves_as_it_is(plan: RecordedPlan, secret: tuple[str, ...], own: BoundColumn | None) -> bool:
    """Whether every value of the secret can be read off the rows."""
    if own is None:
        return {*secret} <= {*plan.public}
    channel = channel_of(own) if {*own.reads} == {*secret} else None
    if channel is None or not _is_certain(channel):
        return False
    return len(np.unique(np.asarray(channel.matrix).argmax(axis=1))) == len(channel.inputs)


def _is_certain(channel: Channel) -> bool:
    return bool((np.asarray(channel.matrix).max(axis=1) >= _CERTAIN).all())


def _by_row(case: Case, plan: RecordedPlan, secret: tuple[str, ...]) -> dict[tuple[str, ...], Attacker]:
    """What somebody gains who can tell the row, by what she knows; empty where it is not known."""
    law = case.law(secret, plan)
    if law is None:
        return {}
    if not isinstance(law, CountedLaw):
        return {one.knows: one for one in law.attackers}
    values = values_of_law(law)
    return {knows: linked_attacker(law.law.sight(knows), values, knows, ()) for knows in subsets(case.background)}


def require_linkable(columns: Sequence[str], names: Sequence[str]) -> None:
    """Refuse columns by which nobody finds a row.

    Raises:
        OptionError: a column that is not among those that are published or declared as background.
    """
    for name in columns:
        if name not in names:
            raise OptionError(
                "Column {name!r} is neither published nor declared as background, so nobody finds rows by it; {hint}",
                name=name,
                hint=did_you_mean(name, names),
            )
