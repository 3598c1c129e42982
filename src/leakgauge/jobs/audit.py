"""An audit: what a mechanism, a program or a release claims, and what it demonstrably does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from leakgauge.artefacts import Audit, AuditedRecord, Finding, Foreign, MechanismAudit, Quantity, Sentence, Shown
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.exposure import Exposure
from leakgauge.audit import Program, anonymity, lower_bound
from leakgauge.audit.anonymity import among_people, diversity
from leakgauge.audit.attacks.catalogue import ATTACKS, attack_drawn
from leakgauge.audit.experiment import Counting
from leakgauge.audit.foreign.attacks import attack_foreign, left_out, shown_by_matched_rows
from leakgauge.audit.foreign.release import ForeignRelease, ForeignRoles, open_foreign, read_foreign
from leakgauge.audit.released_rows import shown_by_rows
from leakgauge.audit.row_order import order_check
from leakgauge.case.drawn import Drawn, ReleasedColumn, with_own_noise
from leakgauge.case.exposure import exposure
from leakgauge.case.reading import read_drawn
from leakgauge.case.total import total_told
from leakgauge.claims import parse_statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms import parse_mechanism
from leakgauge.randomness import Simulated
from leakgauge.release import Release, verify
from leakgauge.release.record import file_digest
from leakgauge.tables import Table, open_table
from leakgauge.tables.opening import source_files


def audit_release(
    record: Release | Path,
    original: Table,
    *,
    released: Path | str | None = None,
    progress: Counting | None = None,
    **settings: Any,
) -> Audit:
    """The audit of a release against its record: digests, claims, levels its rows show, attacks, and exposure of
    secrets.

    Settings are those of ``attack``: ``secret`` names protected columns to guess, by default all; ``withheld`` ones are
    not released, but released columns may reveal them. Rows with the same ``unit`` are one person's. Columns that the
    record has in bins are guessed, known and compared in these bins; ``bins`` adds those of background columns that
    were not released.

    Raises:
        VerificationError: the record was changed, or the release is not the record's.
    """
    release = Release.read(record)
    if released is not None:
        release = release.found_at(released)
    drawn = read_drawn(release, original, **settings)
    held, ordered = release.record, order_check(release, original, None if released is None else str(released))
    checks = (*verify(release, released=released).checks, *(() if ordered is None else (ordered,)))
    # Half of the allowed error goes to the levels that the rows show, shared by the columns; attacks share the other
    # half.
    each = 1 - (1 - drawn.confidence) / 2 / len(drawn.columns)
    columns = {drawn.called(one): _shown(drawn, one, each) for one in drawn.columns}
    hidden = None
    if drawn.public:
        with open_table(release.source) as table:
            hidden = anonymity(table, drawn.public)
        hidden = hidden if drawn.units is None else among_people(hidden, drawn.classes, drawn.units)
    exposures, attacks = _attacked(drawn, lambda tell: attack_drawn(drawn, tell), progress)
    wrong = (
        *(one.failure for one in checks if one.holds is False),
        *(
            Sentence("the public column {column!s} of the release contains more than that of the table", column=name)
            for name in drawn.altered
        ),
        *(
            Sentence(
                "the rows of {column!s} show {level} where {claim!s} is claimed",
                column=name,
                level=one.said,
                claim=str(one.statement),
            )
            for name, one in columns.items()
            if one is not None and one.violated
        ),
        *(one.broken_claim for one in attacks if one.beats_claim),
    )
    return sealed(
        Audit(
            AuditedRecord(held.reference, held.digest),
            held.private,
            held.rows,
            drawn.confidence,
            bool(wrong),
            wrong,
            _largest(columns),
            columns,
            attacks,
            hidden,
            checks,
            exposures=exposures,
            total=total_told(drawn, exposures),
            # Diversity is that of the secret itself: noisy values look more diverse than the true ones.
            diversity=tuple(diversity(", ".join(one.names), drawn.classes, one.each) for one in drawn.secrets)
            if drawn.public and not drawn.is_sample
            else (),
            attacked=drawn.rows if drawn.is_sample else None,
        )
    )


def _shown(drawn: Drawn, column: ReleasedColumn, confidence: float) -> Shown | None:
    """The level that the rows of a column show, tested against its claim.

    Values that never change are evidence against a column that hides a secret, but not against a public column that is
    only to reveal less about one.
    """
    # Another secret is looked for in the digits of numbers, whose noise is never kept.
    secrets = () if drawn.keeps_noise(column) else drawn.secrets
    shown = shown_by_rows(with_own_noise(drawn, column), confidence, secrets)
    if shown is None or shown.violated or not shown.deterministic or drawn.hides_a_secret(column):
        return shown
    return None


def audit_foreign(
    released: Path | str, original: Table, roles: ForeignRoles, *, progress: Counting | None = None, **settings: Any
) -> Audit:
    """The audit of a release made elsewhere against its original: levels its rows show, attacks, and exposure.

    There is no record, so nothing can be disproved. Rows are matched by the key of the roles, a column of both
    tables, or else by their order. Columns are found by their names; coarser values, such as intervals, count as true
    where they contain the truth. A secret that the release does not contain is guessed from other columns. Settings are
    those of ``read_foreign``.

    Raises:
        TableError, ColumnError, OptionError: as of ``read_foreign``.
    """
    release = read_foreign(released, original, roles, **settings)
    drawn = release.seen
    held = [name for name in roles.names if name in release.changed]
    # Half of the allowed error for the levels, as for a release with a record; attacks disprove nothing here.
    each = 1 - (1 - drawn.confidence) / 2 / max(len(held), 1)
    columns = {name: shown_by_matched_rows(release.changed[name], each, drawn.simulation_seed) for name in held}
    hidden = None
    if release.linkable:
        with open_foreign(released, settings.get("reading")) as table:
            hidden = anonymity(table, release.linkable)
    exposures, attacks = _attacked(drawn, lambda tell: attack_foreign(release, tell), progress)
    return sealed(
        Audit(
            None,
            # Nothing is known about how the noise was drawn.
            False,
            release.rows,
            drawn.confidence,
            False,
            (),
            _largest(columns),
            columns,
            attacks,
            hidden,
            exposures=exposures,
            total=total_told(drawn, exposures),
            foreign=_foreign(release, released),
        )
    )


def _foreign(release: ForeignRelease, released: Path | str) -> Foreign:
    matched, roles = release.matched, release.roles
    files = source_files(str(released))
    return Foreign(
        released=Path(released).name,
        sha256=file_digest(files[0]) if len(files) == 1 and files[0].is_file() else None,
        key=matched.key,
        only_released=matched.only_released,
        only_original=matched.only_original,
        secrets=roles.names,
        withheld=release.withheld,
        background=roles.background,
        unit=roles.unit,
        columns=tuple(one.matched(release.confidence) for one in release.changed.values()),
        added=release.added,
        warnings=release.warnings,
        left_out=left_out(release),
    )


def _largest(columns: dict[str, Shown | None]) -> Quantity | None:
    """The largest ε that any column shows."""
    bounds = [one.epsilon_lower_bound for one in columns.values() if one is not None and one.epsilon_lower_bound]
    return max(bounds, key=lambda one: one.value, default=None)


def _attacked(
    drawn: Drawn, attacking: Callable[[Counting], tuple[Finding, ...]], progress: Counting | None
) -> tuple[tuple[Exposure, ...], tuple[Finding, ...]]:
    """The exposure of each secret and the results of attacks; ``progress`` is called after each of them."""
    stages = len(drawn.secrets) + len(ATTACKS)
    exposures = []
    for done, secret in enumerate(drawn.secrets, 1):
        exposures.append(exposure(drawn, secret))
        if progress is not None:
            progress(done, stages)

    def tell(done: int, of: int) -> None:
        if progress is not None:
            progress(len(exposures) + done, stages)

    return tuple(exposures), attacking(tell)


def names_a_file(subject: str) -> bool:
    """Whether a file is meant rather than a mechanism: it exists, or its name looks like one."""
    if subject.endswith(".json"):
        return True
    with suppress(OSError):  # a mechanism with many letters is longer than the name of any file
        return Path(subject).is_file()
    return False


def audit_mechanism(
    spelled: str,
    *,
    program: bool = False,
    claim: str | None = None,
    inputs: Iterable[tuple[str, str]] = (),
    simulation_seed: int | None = None,
    **drawing: Any,
) -> MechanismAudit:
    """The level that a mechanism, a channel file or a program is shown to have, from texts of the command line.

    ``spelled`` is ``name:key=value,…``, the path of a channel file, or the command of a program. By default the claim
    is what the mechanism claims, and the pairs of neighbouring inputs are those of the catalogue; ``drawing`` is how
    many outputs are drawn and until when, as ``lower_bound`` takes it.

    Raises:
        OptionError: a claim, mechanism or input that cannot be used, a program without inputs, a channel with them.
    """
    statement = None if claim is None else parse_statement(claim)
    pairs: list[tuple[Any, Any]] = list(inputs)
    subject: Any
    if program:
        subject = Program(spelled)
        if not pairs:
            raise OptionError("The inputs of a program are unknown; give two neighbouring ones with --inputs A B.")
    elif names_a_file(spelled):
        # A channel is computed, not run; a program that runs it is audited as a mechanism.
        subject = read_channel(spelled)
    else:
        subject = parse_mechanism(spelled)
        pairs = [(subject.read_input(first), subject.read_input(second)) for first, second in pairs]
    found = lower_bound(
        subject,
        statement,
        pairs or None,
        randomness=None if simulation_seed is None else Simulated(simulation_seed),
        **drawing,
    )
    return MechanismAudit(**msgspec.structs.asdict(found), subject=spelled)
