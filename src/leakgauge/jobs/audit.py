"""An audit: what a mechanism, a program or a release claims, and what it is shown to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from leakgauge.artefacts import Audit, AuditedRecord, Finding, MechanismAudit, Sentence, Shown
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.exposure import Exposure
from leakgauge.audit import Program, anonymity, lower_bound
from leakgauge.audit.attacks.case import Case, read_case
from leakgauge.audit.attacks.catalogue import ATTACKS, attack_case
from leakgauge.audit.experiment import Counting
from leakgauge.audit.exposure import exposure
from leakgauge.audit.released_rows import shown_by_rows
from leakgauge.audit.total import total_told
from leakgauge.claims import parse_statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms import Mechanism, parse_mechanism
from leakgauge.randomness import Simulated
from leakgauge.release import Release, verify
from leakgauge.tables import Binning, Table, open_table


def audit_release(
    record: Release | Path,
    original: Table,
    *,
    released: Path | None = None,
    secrets: str | Iterable[str] | None = None,
    withheld: Iterable[str] = (),
    background: Iterable[str] = (),
    unit: str | None = None,
    bins: Mapping[str, Binning] | None = None,
    confidence: float = 0.95,
    targets: int = 2000,
    simulation_seed: int = 0,
    progress: Counting | None = None,
) -> Audit:
    """A release held to its record: digests and claims, what its rows show, what attacks find, what is told of secrets.

    ``secrets`` are protected columns to guess, by default all; ``withheld`` ones are not released, but what is may tell
    on them. Rows with the same ``unit`` are one person's. Columns that the record has in bins are guessed, known and
    compared in these bins; ``bins`` adds those of background columns that were not released.

    Raises:
        VerificationError: the record was changed, or the release is not the record's.
    """
    release = Release.read(record)
    case = read_case(
        release,
        original,
        secret=secrets,
        withheld=withheld,
        background=background,
        unit=unit,
        bins=bins,
        released=released,
        confidence=confidence,
        targets=targets,
        simulation_seed=simulation_seed,
    )
    verification, held = verify(release, released=released), release.record
    # One half of the miss for the levels that the rows show, shared by the columns; the attacks share the other.
    each = 1 - (1 - confidence) / 2 / len(case.columns)
    columns = {", ".join(one.reads): shown_by_rows(one, each) for one in case.columns}
    hidden = None
    if case.public:
        with open_table(released or release.output) as table:
            hidden = anonymity(table, case.public)
    exposures, attacks = _attacked(case, progress)
    wrong = (
        *(one.failure for one in verification.checks if one.holds is False),
        *(_not_kept(name, one) for name, one in columns.items() if one is not None and one.violated),
        *(one.broken_claim for one in attacks if one.beats_claim),
    )
    bounds = [one.epsilon_lower_bound for one in columns.values() if one is not None and one.epsilon_lower_bound]
    return sealed(
        Audit(
            AuditedRecord(held.reference, held.digest),
            held.private,
            held.rows,
            confidence,
            bool(wrong),
            wrong,
            max(bounds, key=lambda one: one.value, default=None),
            columns,
            attacks,
            hidden,
            verification.checks,
            exposures=exposures,
            total=total_told(case, exposures),
        )
    )


def _attacked(case: Case, progress: Counting | None) -> tuple[tuple[Exposure, ...], tuple[Finding, ...]]:
    """What is told of each secret, and what attacks find; progress is told of every secret and every attack."""
    stages = len(case.secrets) + len(ATTACKS)
    exposures = []
    for done, secret in enumerate(case.secrets, 1):
        exposures.append(exposure(case, secret))
        if progress is not None:
            progress(done, stages)

    def tell(done: int, of: int) -> None:
        if progress is not None:
            progress(len(exposures) + done, stages)

    return tuple(exposures), attack_case(case, tell)


def _not_kept(column: str, shown: Shown) -> Sentence:
    return Sentence(
        "the rows of {column!s} show {level} where {claim!s} is claimed",
        column=column,
        level=shown.said,
        claim=str(shown.statement),
    )


def names_a_file(subject: str) -> bool:
    """Whether a file is meant rather than a mechanism: one that is there, or that is called like one."""
    return subject.endswith(".json") or Path(subject).is_file()


def audit_mechanism(
    spelled: str,
    *,
    program: bool = False,
    claim: str | None = None,
    inputs: Iterable[tuple[str, str]] = (),
    samples: int = 200_000,
    confidence: float = 0.95,
    stop_early: bool = True,
    seconds: float = 600.0,
    simulation_seed: int | None = None,
    progress: Counting | None = None,
) -> MechanismAudit:
    """The level that a mechanism, a channel file or a program is shown to have, in the words of the command line.

    ``spelled`` is ``name:key=value,…``, the path of a channel file, or the command of a program. By default the claim
    is what the mechanism claims, and the pairs of neighbouring inputs are those of the catalogue; drawing stops as soon
    as the claim is disproved, or after so many outputs of each input or seconds.

    Raises:
        OptionError: a claim, mechanism or input that cannot be used, a program without inputs, a channel with them.
    """
    statement = None if claim is None else parse_statement(claim)
    pairs = list(inputs)
    subject: Any
    if program:
        subject = Program(spelled)
        if not pairs:
            raise OptionError("A program's inputs are not known; give two neighbouring ones with --inputs A B.")
    elif names_a_file(spelled):
        # A channel is computed, not run; what runs it is audited as a mechanism.
        subject = read_channel(spelled).channel
    else:
        subject = parse_mechanism(spelled)
    found = lower_bound(
        subject,
        statement,
        [_read_pair(pair, subject) for pair in pairs] or None,
        samples=samples,
        confidence=confidence,
        stop_early=stop_early,
        seconds=seconds,
        randomness=None if simulation_seed is None else Simulated(simulation_seed),
        progress=progress,
    )
    return MechanismAudit(**msgspec.structs.asdict(found), subject=spelled)


def _read_pair(pair: tuple[str, str], subject: Any) -> tuple[Any, Any]:
    if not isinstance(subject, Mechanism):
        return pair
    return subject.read_input(pair[0]), subject.read_input(pair[1])
