"""Audits that stand by themselves: of a release, of a mechanism or a program, and of planned queries."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.audit import Audit, MechanismAudit, QueryAudit, Shown
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.telling.attacks import claimed_level, findings, outcome, shown_level
from leakgauge.telling.bits import better_attacker, bits, bits_of
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.data import made_elsewhere
from leakgauge.telling.limits import untried
from leakgauge.telling.measurement import intervals
from leakgauge.telling.statement import made_elsewhere as matched
from leakgauge.telling.voice import AS_DECLARED, ROWS, Cell, Voice, own, yes_or_no


def audited(voice: Voice) -> Iterator[Content]:
    """The audit of a release, with what it proves at the end, where a screen still shows it."""
    audit, foreign = voice.dossier.audit, voice.foreign
    if audit is None:
        return
    if foreign is None:
        yield voice.say("Audit of {rows}.", rows=voice.number(audit, "rows", unit=ROWS, count=True))
    else:
        yield from (Paragraph("warning", (voice.told(one),)) for one in foreign.warnings)
        yield matched(voice, foreign)
        yield from made_elsewhere(voice)
    yield from (*findings(voice, audit, short=True), *_exposures(voice, audit))
    if foreign is not None:
        yield from untried(voice, foreign)
    yield from outcome(voice, audit)


def _exposures(voice: Voice, audit: Audit) -> Iterator[Content]:
    """What the whole release reveals of each secret, and of all at once."""
    rows: list[tuple[Cell, ...]] = [
        (
            voice.listed(one.secret),
            *(bits_of(voice, one, part, of=part is one.everything) for part in (one.known, one.plain, one.everything)),
            voice.number(one.everything, "success", percent=True),
        )
        for one in audit.exposures
    ]
    total = audit.total
    if total is not None:
        entropy = None if total.entropy is None else voice.number(total.entropy, "value", unit="bits")
        told = bits(voice, total.information, exact=total.exact, all_of_it=entropy, of=entropy is not None)
        rows.append((voice.language.say("all at once"), "", "", told, ""))
    yield from voice.grid(
        "What the attacker learns about the secrets",
        "Secret|Known without the release|With every released column except the secret's own|With everything that is "
        "released|Guessed correctly",
        rows,
    )
    if not all(one.everything.exact for one in audit.exposures):
        yield better_attacker(voice)


def shown(voice: Voice, found: Shown) -> Iterator[Content]:
    """The level that the outputs of two inputs prove, beside the claimed one."""
    say = voice.language.say
    level = message("more than {level}") if found.is_just_above else message("at least {level}")
    drawn = message("{samples}, stopped early") if found.stopped_early else message("{samples}")
    if not found.samples:
        drawn = message("none: the level is exact")
    rows: list[tuple[Cell, Cell]] = [
        (say("claimed, at most"), say("nothing") if found.claim is None else claimed_level(voice, found)),
        (say("shown"), voice.say(level, level=shown_level(voice, found))),
        (say("violated"), yes_or_no(voice, found.violated)),
        *((say("inputs"), own(one)) for one in found.inputs),
        (say("distinguished by"), voice.told(found.event) or say("no single output")),
        (say("outputs drawn of each"), voice.say(drawn, samples=voice.number(found, "samples"))),
    ]
    rows += [
        (voice.told(one.name), say("passed") if one.holds else voice.told(one.reason) or say("FAILED"))
        for one in found.checks
    ]
    subject = found.subject if isinstance(found, MechanismAudit) else found.notion
    yield from voice.grid("Audit of {subject}", "Part|Value", rows, subject=own(subject))
    if found.lower_bound.confidence is not None:
        yield intervals(voice, found.lower_bound)
    if found.deterministic:
        yield voice.alarm("Each input always gave the same output: without noise ε is infinite.")
    if str(found.note):
        yield Paragraph("note", (voice.told(found.note),))
    if found.violated:
        yield voice.alarm("DISPROVED: it does not meet the guarantee that it claims.")
    elif found.claim is not None:
        yield voice.say("Nothing contradicts the claim. That does not prove it.")


def reconstructed(voice: Voice, audit: QueryAudit) -> Iterator[Content]:
    """How much of a secret an attacker reconstructs from the answers to planned queries."""
    say, attack = voice.language.say, audit.attack
    counts = {name: voice.number(audit, name) for name in ("queries", "unused", "kinds", "rows", "exact_runs", "runs")}
    together: Inline = (voice.number(audit.epsilon),)
    if audit.delta is not None:
        together = voice.say(
            "{level}, δ = {delta}", level=together, delta=voice.number(audit, "delta", digits=AS_DECLARED)
        )
    rows: list[tuple[Cell, Cell]] = [
        (say("queries"), voice.say("{queries}, {unused} of them not about it", **counts)),
        (say("kinds of rows they distinguish"), voice.say("{kinds} of {rows} rows", **counts)),
        (say("noise of an answer"), own(audit.mechanism)),
        (say("all answers together, ε"), together),
        *([(say("the attacker knows"), voice.listed(attack.knows))] if attack.knows else []),
        (say("rows guessed correctly"), voice.number(attack, "success", percent=True)),
        (say("by guessing the most common answer"), voice.number(attack.baseline, "value", percent=True)),
        (say("advantage"), voice.number(attack, "advantage", percent=True)),
        (say("advantage with exact answers"), voice.number(attack.raw, "value", percent=True)),
        (say("runs in which every row was guessed correctly"), voice.say("{exact_runs} of {runs}", **counts)),
    ]
    yield from voice.grid(
        "Reconstruction of {secret} from planned answers", "What|Value", rows, secret=own(audit.secret)
    )
    if audit.exact_runs == audit.runs:
        yield voice.alarm("These answers reveal the secret of every row.")
    elif attack.advantage.ends[0] > 0:
        yield voice.alarm(
            "These answers reveal the secret of more rows than guessing does: of {exposed} in an average run.",
            exposed=voice.number(attack, "exposed"),
        )
    else:
        yield voice.say("Nothing shows that this attack does better than guessing. Another one may.")
