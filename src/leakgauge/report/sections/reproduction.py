"""How to make and check it again: commands, versions, digests."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language, message
from leakgauge.report.document import Block, Code, Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "reproduction"
STAGES = {
    "measure": message("measuring"),
    "design": message("designing"),
    "release": message("releasing"),
    "audit": message("auditing"),
    "assess": message("grading"),
    "report": message("reporting"),
}


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """Commands, versions and digests; in the external edition only what is of the release itself."""
    tell = Teller(facts, language, edition)
    blocks = (*_commands(tell), *_versions(tell), *_digests(tell))
    return Section(KEY, title_of(KEY, language), blocks)


def _commands(tell: Teller) -> Iterator[Block]:
    facts = tell.facts
    command, script = (facts.get("job.json", name) for name in ("command", "script"))
    if command:
        yield Paragraph(tell.say("The same job again; fresh noise makes another release of the same quality:"))
        yield Code(str(command))
    if facts.has("release.public.json") and tell.external:
        yield Paragraph(
            tell.say(
                "release.public.json is the record that is handed out with the release. Check that they fit together:"
            )
        )
        yield Code("leakgauge verify release.public.json")
    elif facts.has("release.json") and not tell.external:
        yield Paragraph(tell.say("Check that record and release belong together and claim what they may:"))
        yield Code("leakgauge verify release.json")
    if script:
        yield Paragraph(tell.say("The same in Python:"))
        yield Code(str(script))


def _versions(tell: Teller) -> Iterator[Block]:
    facts, say = tell.facts, tell.language.say
    versions = facts.get("release.json", "versions") or facts.get("job.json", "versions") or {}
    if versions:
        rows = tuple(((str(name),), (str(version),)) for name, version in versions.items())
        yield Grid(say("Versions"), (say("Software"), say("Version")), rows)
    times = [(say("started"), "started"), (say("finished"), "finished")]
    stamped = tuple(((said,), (str(facts.get("job.json", key)),)) for said, key in times if facts.has("job.json", key))
    stages = tuple(
        (
            (say(STAGES.get(stage, stage)),),
            tell.cell("job.json", "stages", stage, "seconds", unit="seconds", digits=3),
        )
        for stage in facts.names("job.json", "stages")
        if facts.has("job.json", "stages", stage, "seconds")
    )
    if stamped or stages:
        yield Grid(say("When it was made"), (say("Stage"), say("Time")), (*stamped, *stages))


def _digests(tell: Teller) -> Iterator[Block]:
    facts, say = tell.facts, tell.language.say
    rows: list[tuple[Inline, Inline]] = []
    if facts.has("release.json", "output", "sha256"):
        output = str(facts.get("release.json", "output", "file"))
        rows.append(((output,), (str(facts.get("release.json", "output", "sha256")),)))
    if facts.has("release.public.json", "digest"):
        public = say("the public record's fields (release.public.json)")
        rows.append(((public,), (str(facts.get("release.public.json", "digest")),)))
    # Who guesses the counts behind the record could confirm the guess by its digest.
    if facts.has("release.json", "digest") and not tell.external:
        record = say("the record's fields (release.json)")
        rows.append(((record,), (str(facts.get("release.json", "digest")),)))
    known = {str(row[0][0]) for row in rows}
    for stage in facts.names("job.json", "stages"):
        for file in facts.names("job.json", "stages", stage, "outputs"):
            digest = str(facts.get("job.json", "stages", stage, "outputs", file))
            rows += [] if file in known else [((file,), (digest,))]
    if rows:
        yield Grid(say("Digests (SHA-256)"), (say("File"), say("Digest")), tuple(rows))
