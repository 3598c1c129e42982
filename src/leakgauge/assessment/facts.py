"""Facts of a release that a policy limits besides the scores of its secrets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Level, Origin
from leakgauge.artefacts.risks import Certain
from leakgauge.artefacts.scores import AttackerName, ScoreEvidence
from leakgauge.artefacts.verdict import ReleaseFacts
from leakgauge.assessment.outgoing import Outgoing, Secret
from leakgauge.assessment.terms import Terms
from leakgauge.audit.identifiers import identifies, is_free_text
from leakgauge.case.certainty import newly_certain
from leakgauge.case.linked_people import LinkedPeople, linked_people
from leakgauge.release.guarantees import together_of
from leakgauge.sentences import Sentence
from leakgauge.tables.sampling import sampled

_UNCOUNTED = (AttackerName.KNOWS_THE_ORDER, AttackerName.HAS_EARLIER_RELEASES)


def facts_of(
    going: Outgoing, terms: Terms, evidence: Mapping[Secret, ScoreEvidence], *, budgets: bool = True
) -> ReleaseFacts:
    """The facts that a policy limits besides the scores, as far as the plan and the table show them.

    Without ``budgets``, ε and δ of all columns together are left out, which take longer than everything else.
    """
    together = dict(together_of(going.plan.steps, Origin.TABLE)) if budgets else {}
    # The largest finite ε claimed for all columns together in a period; infinite where there is none.
    stated = [one.value for one in together.values()]
    told = [None if law is None else law.bits for law in map(going.law, evidence)]
    lost = [share for secret in evidence if (share := going.lost(secret)) is not None]
    certain = [
        # What becomes certain by the order of rows or by earlier releases is not counted.
        None if any(one.name in _UNCOUNTED for one in found.attackers) else _certain(going, secret)
        for secret, found in evidence.items()
    ]
    public = tuple(name for name in going.plan.public if name not in terms.accepted)
    sizes = going.case.table.group_sizes([public], unit=going.case.unit)[0] if public else None
    found = _linked(going, public) if public else None
    return ReleaseFacts(
        vetoes=tuple(published_identifiers(going, terms.accepted)),
        declared=terms.declared,
        sensitivity=terms.sensitivity,
        counts_may_be_known=terms.counts_may_be_known,
        lost=max(lost, default=None),
        alone=None if sizes is None else sizes.alone / going.case.people,
        linked=None if found is None else found.alone / found.people,
        # What is not counted may be anything, so that nothing is said of how many they are.
        certain=None if None in certain else max((one for one in certain if one), key=newly_certain, default=None),
        smallest=None if sizes is None else sizes.smallest,
        epsilon=max(filter(math.isfinite, stated), default=math.inf) * terms.releases_per_period if stated else None,
        delta=_delta(together),
        leakage_bits=None if None in told else max((bits for bits in told if bits is not None), default=None),
    )


def _linked(going: Outgoing, public: tuple[str, ...]) -> LinkedPeople:
    """Whom somebody finds by columns as they leave; those of settings that leave them alike are counted once."""
    key = ("linked", public, repr([going.case.table.bins.get(name) for name in public]), repr(going.plan.suppression))
    if key not in going.case.memory:
        going.case.memory[key] = linked_people(going.case.table, public, going.case.unit)
    found: LinkedPeople = going.case.memory[key]
    return found


def _certain(going: Outgoing, secret: Secret) -> Certain | None:
    found = going.certain(secret)
    return None if found is None else structs.replace(found, secret=secret)


def _delta(together: Mapping[str, Level]) -> float | None:
    """δ of all columns together; 0 where they keep a finite ε without one."""
    if "dp" in together and math.isfinite(together["dp"].value):
        return 0.0
    return max((one.delta or 0.0 for one in together.values()), default=None)


def published_identifiers(going: Outgoing, accepted: Collection[str]) -> Iterator[Sentence]:
    """Why published columns identify people, except those accepted to do so."""
    columns = [one for one in going.case.table.columns() if one.name in going.plan.public and one.name not in accepted]
    names = [one.name for one in columns]
    if not names:
        return
    sample, sizes = _sample(going, names), going.case.table.group_sizes([(name,) for name in names])
    for column, one in zip(columns, sizes, strict=True):
        values = sample[column.name]
        reason = identifies(column, values, distinct=one.groups, alone=one.alone, rows=going.case.table.rows)
        if reason is None and is_free_text(column, values):
            reason = Sentence("free text, which may contain anything")
        if reason is not None:
            yield names_people(column.name, reason)


def _sample(going: Outgoing, names: Sequence[str]) -> Mapping[str, Any]:
    """Some values of columns as they leave; those that leave alike by several settings are drawn once."""
    bins, hidden = going.case.table.bins, repr(going.plan.suppression)
    keys = {name: ("sample", name, repr(bins.get(name)), hidden) for name in names}
    if new := [name for name in names if keys[name] not in going.case.memory]:
        drawn = sampled(going.case.table, new, simulation_seed=0)
        going.case.memory.update((keys[name], drawn.columns[name]) for name in new)
    return {name: going.case.memory[keys[name]] for name in names}


def names_people(column: str, reason: Any) -> Sentence:
    """The veto on a published column that identifies people."""
    return Sentence("{column!r} is published and identifies people ({reason})", column=column, reason=reason)
