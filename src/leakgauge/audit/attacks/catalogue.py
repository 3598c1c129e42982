"""The catalogue of attacks: what each finds in a release, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from leakgauge.arguments import checked
from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Attack
from leakgauge.audit.attacks.attribute_inference import ATTRIBUTE_INFERENCE
from leakgauge.audit.attacks.averaging import AVERAGING
from leakgauge.audit.attacks.learned_inference import LEARNED_INFERENCE
from leakgauge.audit.attacks.membership_inference import MEMBERSHIP_INFERENCE
from leakgauge.audit.attacks.record_linkage import RECORD_LINKAGE
from leakgauge.audit.attacks.repeated_rows import REPEATED_ROWS
from leakgauge.audit.attacks.singling_out import SINGLING_OUT
from leakgauge.audit.experiment import Counting
from leakgauge.case.drawn import Drawn
from leakgauge.case.reading import read_drawn
from leakgauge.release import Release
from leakgauge.tables import Table
from leakgauge.tables.binnings import Bins

ATTACKS: dict[str, Attack] = {
    "attribute-inference": ATTRIBUTE_INFERENCE,
    "learned-inference": LEARNED_INFERENCE,
    "repeated-rows": REPEATED_ROWS,
    "membership-inference": MEMBERSHIP_INFERENCE,
    "record-linkage": RECORD_LINKAGE,
    "singling-out": SINGLING_OUT,
    "averaging": AVERAGING,
}


def attack_of(name: Sentence) -> Attack | None:
    """The attack that calls a finding so; None where the catalogue has none."""
    beginnings = {one.title.template.partition("{")[0]: one for one in ATTACKS.values()}
    return next((one for beginning, one in beginnings.items() if str(name).startswith(beginning)), None)


@checked
def attack(
    release: Release | Path | str,
    original: Table,
    *,
    secret: str | Iterable[str] | None = None,
    withheld: Iterable[str] = (),
    background: Iterable[str] = (),
    unit: str | None = None,
    bins: Bins | None = None,
    released: Path | str | None = None,
    confidence: float = 0.95,
    targets: int = 2000,
    simulation_seed: int = 0,
    progress: Counting | None = None,
) -> tuple[Finding, ...]:
    """The findings of every attack on a release, in a fixed order.

    Args:
        release: the release, or the file of its record.
        original: the table it was made from, its rows in the same order.
        secret: the column to guess, or several; by default each protected column in turn.
        withheld: columns of the original to guess as well, although they are not released.
        background: columns of the original that the attacker knows. Numbers and dates with many values are guessed, and
            known to attacks that count over all rows, by deciles.
        unit: the column that identifies people: rows are split, and intervals made, by person.
        bins: how some background columns are known, where the record does not bin them.
        released: the released table, where it is not where the record says.
        confidence: of every interval.
        targets: how many rows the attacks that compare rows with rows are tried on, at most.
        simulation_seed: for splits, permutations and simulated releases.

    Raises:
        FileError: a record that cannot be read or is not whole.
        VerificationError: a record that was changed, or a release that is not the record's.
        TableError: tables with different numbers of rows, or too few.
        ColumnError: a column that does not exist, or is not protected.
        OptionError: a confidence, seed, number of targets or background that cannot be used.

    Example:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> from leakgauge.randomness import Simulated
        >>> from leakgauge.release import ReleasePlan
        >>> from leakgauge.tables import open_table
        >>> people = open_table(pa.table({"illness": ["flu", "none", "none", "cold"] * 500}))
        >>> plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|none|cold"})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = plan.apply(people, folder + "/out.csv", randomness=Simulated(1))
        ...     found = attack(made, people)
        >>> str(found[0].attack), found[0].beats_claim
        ('attribute inference, best guess', False)
    """
    drawn = read_drawn(
        release,
        original,
        secret=secret,
        withheld=withheld,
        background=background,
        unit=unit,
        bins=bins,
        released=released,
        confidence=confidence,
        targets=targets,
        simulation_seed=simulation_seed,
    )
    return attack_drawn(drawn, progress)


def attack_drawn(drawn: Drawn, progress: Counting | None = None) -> tuple[Finding, ...]:
    """What every attack finds in a case that was read, in a fixed order."""
    findings: list[Finding] = []
    for done, one in enumerate(ATTACKS.values(), 1):
        findings += one.find(drawn)
        if progress is not None:
            progress(done, len(ATTACKS))
    return tuple(findings)
