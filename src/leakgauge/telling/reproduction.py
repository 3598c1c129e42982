"""For who checks the report: how to make it again, and where it answers what guidelines of assessment ask."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from leakgauge.artefacts.audit import Foreign
from leakgauge.artefacts.dossier import PUBLIC_RECORD, RECORD
from leakgauge.artefacts.report import Code
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, commands, unprinted
from leakgauge.telling.titles import title
from leakgauge.telling.voice import Plain, Voice
from leakgauge.visible import apart

_STAGES = {
    "survey": message("examining columns"),
    "measure": message("measuring"),
    "design": message("designing"),
    "release": message("releasing"),
    "audit": message("auditing"),
    "assess": message("assessing"),
    "report": message("reporting"),
}
_RESTS_ON: Final[dict[str, Callable[[Voice], object]]] = {
    "guarantee": lambda voice: voice.dossier.record is not None and (voice.dossier.record.claims or not voice.external),
    "assumptions": lambda voice: (
        voice.dossier.record is not None and (voice.dossier.record.assumptions or not voice.external)
    ),
    "attacks": lambda voice: voice.dossier.audit is not None and (voice.dossier.audit.attacks or not voice.external),
    "usefulness": lambda voice: voice.results.utility,
    "verdict": lambda voice: voice.dossier.verdict,
    "criteria": lambda voice: voice.dossier.verdict,
    "tuning": lambda voice: voice.dossier.record,
    "leakage": lambda voice: voice.maybe(voice.results.measurement, "entropy"),
    "data": lambda voice: voice.dossier.job,
    "survey": lambda voice: voice.dossier.survey,
}
"""Without these results there is nothing in such a section to point at."""
_INSIDE = ("usefulness",)
"""Sections of the internal edition alone; everybody may know the shares at most, which stand with the decision."""


def reproduction(voice: Voice) -> Iterator[Content]:
    """Commands, versions and digests; in the external edition only what is of the release itself."""
    yield from (*_commands(voice), *_versions(voice), *_digests(voice))


def _commands(voice: Voice) -> Iterator[Content]:
    job = voice.dossier.job
    if voice.foreign is not None:
        yield voice.say("The same audit again, of the table that was released:")
        yield commands(_audit(voice.foreign))
    if job is not None and job.command:
        yield voice.say("The same job again; new noise makes another release of the same quality:")
        yield commands(job.command)
    if voice.dossier.public_record is not None and voice.external:
        yield voice.say(
            "release.public.json is the record that recipients get with the release. Check that they fit together:"
        )
        yield commands(f"leakgauge verify {PUBLIC_RECORD.name}")
    elif voice.dossier.record is not None and not voice.external:
        yield voice.say("Check that record and release belong together, and that the stated guarantee is justified:")
        yield commands(f"leakgauge verify {RECORD.name}")
    if job is not None and job.script:
        yield from unprinted((voice.say("The same in Python:"), Code(job.script)))


def _audit(foreign: Foreign) -> str:
    """The command that audits a release made elsewhere."""
    words = ["leakgauge", "audit", "--released", apart(foreign.released), "--original", "TABLE"]
    for option, names in (
        ("--secret", [name for name in foreign.secrets if name not in foreign.withheld]),
        ("--withhold", foreign.withheld),
        ("--background", foreign.background),
        *((f"--{name}", [one]) for name, one in (("key", foreign.key), ("unit", foreign.unit)) if one is not None),
    ):
        words += [word for name in names for word in (option, name)]
    return shlex.join(words)


def _versions(voice: Voice) -> Iterator[Content]:
    say, job, record = voice.language.say, voice.dossier.job, voice.dossier.record
    versions = ({} if record is None else record.versions) or ({} if job is None else job.versions)
    if versions:
        yield voice.say(
            "Versions: {versions}.", versions=_listed(voice, (f"{name} {one}" for name, one in versions.items()))
        )
    if job is None:
        return
    times = ((say("started"), job.started), (say("finished"), job.finished))
    stamped = [(said, time) for said, time in times if time is not None]
    if stamped:
        when = (f"{said} {time}" for said, time in stamped)
        yield voice.say("When it was made: {times}.", times=_listed(voice, when))
    stages = (
        (say(_STAGES.get(stage, stage)), voice.number(done, "seconds", unit="seconds"))
        for stage, done in job.stages.items()
    )
    yield from unprinted(voice.grid("How long it took", "Stage|Time", stages))


def _listed(voice: Voice, texts: Iterable[str]) -> Plain:
    return Plain(voice.language.say(", ").join(map(apart, texts)))


def _digests(voice: Voice) -> Iterator[Content]:
    say, job, record, public = voice.language.say, voice.dossier.job, voice.dossier.record, voice.dossier.public_record
    digests: dict[str, str] = {}
    if record is not None:
        digests[record.output.file] = record.output.sha256
    if voice.foreign is not None and voice.foreign.sha256 is not None:
        digests[apart(voice.foreign.released)] = voice.foreign.sha256
    if public is not None:
        digests[say("the public record's fields (release.public.json)")] = public.digest
    # Who guesses the counts behind the record could confirm the guess by its digest.
    if record is not None and not voice.external:
        digests[say("the record's fields (release.json)")] = record.digest
    yield from voice.grid("Digests (SHA-256)", "File|Digest", digests.items())
    written = {
        file: digest for done in (() if job is None else job.stages.values()) for file, digest in done.outputs.items()
    }
    more = [(file, digest) for file, digest in written.items() if file not in digests]
    if more:
        yield voice.say("job.json has the digests of the other {count} files of the job.", count=Plain(str(len(more))))
    yield from unprinted(voice.grid("Digests of the other files (SHA-256)", "File|Digest", more))


def crosswalk(voice: Voice) -> Iterator[Content]:
    """Topics of guidelines beside the sections that answer them; their names, without clauses."""
    yield voice.say(
        "For those who assess by NIST SP 800-226, ISO/IEC 27559, GB/T 42460 or GB/T 37964: where this report "
        "answers what such guidelines ask. No clauses are named, because the table was not made from the texts of "
        "these documents, and it claims conformity with none of them."
    )
    rows = (
        (topic, title(voice, key), given)
        for topic, key, given in _topics(voice)
        if (key not in _RESTS_ON or any(_RESTS_ON[key](one) not in (None, False) for one in voice.each))
        and not (voice.external and key in _INSIDE)
    )
    yield from voice.grid("Topics", "Topic|Section|What it gives", rows)


def _topics(voice: Voice) -> Iterator[tuple[str, str, str]]:
    say = voice.language.say
    yield say("Guarantee and its parameters"), "guarantee", say("ε, δ and every other notion, exact or implied")
    yield say("Unit of protection"), "context", say("what is protected as one unit, and which tables are neighbours")
    yield say("Context of the release"), "context", say("purpose, recipient and what the attacker knows, as declared")
    yield say("Assumptions and limits"), "assumptions", say("what must hold for the guarantee, numbered")
    yield say("Data and identifiers"), "data", say("columns, their roles, and which were not released")
    given = say("which columns identify people, and which single them out together")
    if voice.external:
        given = say("group sizes of the public columns")
    yield say("Identifiers and quasi-identifiers"), "survey", given
    given = say("attacks compared with their baselines, and group sizes")
    yield say("Risk of re-identification and inference"), "attacks", given
    yield say("Measured leakage"), "leakage", say("bits before and after, beyond what is already known")
    given = say("lower bounds from the rows, and the record recomputed")
    yield say("Correctness of the implementation"), "attacks", given
    yield say("Usefulness of the result"), "usefulness", say("change and distortion of each column")
    given = say("recommendation, scores, vetoes, policy, and what would change it")
    yield say("Decision on the release"), "verdict", given
    yield say("Effect of the protection by criteria"), "criteria", say("five criteria and what they rest on")
    given = (
        say("what the choice of settings cost") if voice.external else say("trials, and what the search itself reveals")
    )
    yield say("Cost of choosing parameters"), "tuning", given
    yield say("Residual risk and review"), "residual", say("the remaining risk, and when to review it")
    given = say("versions and a digest") if voice.external else say("commands, versions and digests")
    yield say("Documentation and repeatability"), "reproduction", given
