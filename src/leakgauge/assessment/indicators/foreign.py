"""The indicators of a release that was made elsewhere: what its rows show, and nothing of how it was made.

What only a record could say takes the unfavourable end where privacy hangs on it, and is missing otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from leakgauge.artefacts import Audit
from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.artefacts.exposure import Exposure
from leakgauge.assessment.indicators.accuracy import (
    DRAWS,
    FEW_DRAWS,
    evidence_of,
    intervals,
    letter_measures,
    of_numbers,
)
from leakgauge.assessment.indicators.attacks import advantage, audited_by
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.assessment.indicators.claims import BUDGET
from leakgauge.assessment.indicators.costs import frequency, volume_of_file
from leakgauge.assessment.indicators.indicator import Context, Form
from leakgauge.assessment.indicators.information import ENTROPY, INFORMATION, SHARE_TOLD
from leakgauge.assessment.indicators.properties import of_columns
from leakgauge.assessment.indicators.questionnaire import ASKED, answered
from leakgauge.assessment.indicators.source import NUMERIC, Source
from leakgauge.audit.foreign.columns import Changed
from leakgauge.case.columns import LETTERS
from leakgauge.measures import Estimator, entropy, estimate
from leakgauge.probability import Counts
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

_FEW_CELLS, _MOST_CELLS = 1 << 16, 1 << 20
"""Original × released values up to which intervals rest on many draws, and up to which there are any."""
_NOT_KNOWN = Sentence("Made elsewhere, without a record: its mechanism is unknown.")
_NOTHING_PROMISED = Sentence("Made elsewhere, without a record: an unknown guarantee counts as none.")


def collect_foreign(
    audit: Audit,
    secret: str,
    source: Source,
    changed: Changed | None,
    released: Floats | None,
    context: Context,
    bytes_per_record: float | None = None,
) -> tuple[Evidence, ...]:
    """One piece of evidence for each indicator; missing ones say why.

    Args:
        source: that column in the matched rows of the original.
        changed: the same beside what was released of it; None where it was withheld.
        released: what was released of it, where that is numbers.
        bytes_per_record: of the released file; None where it is not one file.
    """
    are_numbers = released is not None and source.kind in NUMERIC and len(np.unique(source.known)) > LETTERS
    form = Form.NUMBERS if are_numbers else Form.LETTERS
    found = [
        BUDGET.evidence(form, math.inf, _NOTHING_PROMISED, standing=Standing.DECLARED, null=0.0, raw=math.inf),
        advantage(form, audited_by(None, [one for one in audit.attacks if one.target == (secret,)], (secret,))),
        *of_columns(form, source),
        *(answered(leaf, context.answers.get(leaf)) for leaf in ASKED),
        frequency(form, context),
        *_told(form, audit, secret),
        *([] if bytes_per_record is None else [volume_of_file(form, bytes_per_record)]),
    ]
    if released is not None and are_numbers:
        found += _of_numbers(source, released, context)
    elif changed is not None:
        found += _of_letters(changed, context)
    known = {one.leaf: one for one in found}
    return tuple(known.get(one.leaf) or one.missing(_NOT_KNOWN) for one in INDICATORS.values())


def _told(form: Form, audit: Audit, secret: str) -> Iterator[Evidence]:
    """The bits that everything released and known is shown to tell; what may be told besides is in the interval."""
    exposed = next((one for one in audit.exposures if one.secret == (secret,)), None)
    if exposed is None or exposed.entropy.value <= 0:
        return
    whole, (value, high) = exposed.entropy.value, _most(exposed)
    how = Sentence("by the matched rows, of everything that is released or known")
    ends = (min(exposed.everything.information.ends[0], value), max(high, value))
    shares = [min(one / whole, 1.0) for one in (value, *ends)]
    bits, part = Sentence("I(O;N), {how}.", how=how), Sentence("I(O;N)/H(O), {how}.", how=how)
    yield INFORMATION.evidence(form, value, bits, between=ends, top=whole, null=0.0, raw=whole)
    yield SHARE_TOLD.evidence(form, shares[0], part, between=(shares[1], shares[2]), null=0.0, raw=1.0)


def _most(exposed: Exposure) -> tuple[float, float]:
    """The most bits that were shown, and those that may be told at most."""
    everything = exposed.everything.information
    if exposed.everything.exact:
        return everything.value, everything.ends[1]
    # What all columns tell is no less than what one or two of them do.
    counted = [one.information.value for one in (*exposed.columns, *exposed.pairs) if one.exact]
    return max([everything.ends[0], *counted]), everything.ends[1]


def _of_numbers(source: Source, released: Floats, context: Context) -> tuple[Evidence, ...]:
    known = np.isfinite(source.numbers) & np.isfinite(released)
    x, y = source.numbers[known], released[known]
    if len(x) < 2 or x.var() == 0:
        return ()
    return of_numbers(x, y, context.confidence, Sentence("from the matched rows"))


def _of_letters(changed: Changed, context: Context) -> Iterator[Evidence]:
    """Accuracy and entropy; a coarser value is as right as a guess among the values it stands for."""
    inputs, outputs = int(changed.original.max()) + 1, len(changed.meaning.equal)
    members = changed.meaning.members
    if members is None or inputs * outputs > _MOST_CELLS:
        return
    rows = len(changed.original)
    cells = np.bincount(changed.original * outputs + changed.released, minlength=inputs * outputs)
    shares = cells / rows
    same = members / np.maximum(members.sum(axis=0), 1)

    def measures(joint: Floats) -> tuple[float | None, ...]:
        return letter_measures(joint.reshape(inputs, outputs), same, rows)

    times = DRAWS if len(cells) <= _FEW_CELLS else FEW_DRAWS
    draws = simulation(context.simulation_seed).multinomial(rows, shares, size=times) / rows
    between = intervals([measures(drawn) for drawn in draws], context.confidence)
    true = shares.reshape(inputs, outputs).sum(axis=1)
    yield from evidence_of(Form.LETTERS, true, measures(shares), between, Sentence("from the matched rows"))
    counts = Counts({"released": range(outputs)}, np.bincount(changed.released, minlength=outputs))
    own = estimate(entropy, counts, ["released"], estimator=Estimator.MILLER_MADOW, confidence=context.confidence)
    even = math.log2(max(outputs, 2))
    said = Sentence("H(N), {how}.", how=Sentence("from the matched rows"))
    yield ENTROPY.evidence(Form.LETTERS, own.value, said, between=(own.low, own.high), top=even, null=even)
