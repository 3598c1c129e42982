"""For who checks the report: how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from leakgauge.artefacts.audit import Foreign
from leakgauge.artefacts.dossier import PUBLIC_RECORD, RECORD
from leakgauge.artefacts.report import Code
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, commands, unprinted
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
