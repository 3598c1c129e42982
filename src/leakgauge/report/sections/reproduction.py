"""For who checks the report: how to make it again, and where it answers what guidelines of assessment ask."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Code, Content, Grid
from leakgauge.report.sections.teller import Teller

STAGES = {
    "measure": message("measuring"),
    "design": message("designing"),
    "release": message("releasing"),
    "audit": message("auditing"),
    "assess": message("grading"),
    "report": message("reporting"),
}
_RESTS_ON = {
    "guarantee": ("release.json", "claims"),
    "assumptions": ("release.json", "assumptions"),
    "attacks": ("audit.json", "attacks"),
    "usefulness": ("utility.json",),
    "grade": ("assessment.json",),
    "leakage": ("measurement.json", "entropy"),
    "data": ("job.json",),
}
"""Without these fields of artefacts there is nothing in such a section to point at."""


def reproduction(tell: Teller) -> Iterator[Content]:
    """Commands, versions and digests; in the external edition only what is of the release itself."""
    yield from (*_commands(tell), *_versions(tell), *_digests(tell))


def _commands(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    command, script = (facts.get("job.json", name) for name in ("command", "script"))
    if command:
        yield tell.say("The same job again; fresh noise makes another release of the same quality:")
        yield Code(str(command))
    if facts.has("release.public.json") and tell.external:
        yield tell.say(
            "release.public.json is the record that is handed out with the release. Check that they fit together:"
        )
        yield Code("leakgauge verify release.public.json")
    elif facts.has("release.json") and not tell.external:
        yield tell.say("Check that record and release belong together and claim what they may:")
        yield Code("leakgauge verify release.json")
    if script:
        yield tell.say("The same in Python:")
        yield Code(str(script))


def _versions(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    versions = facts.get("release.json", "versions") or facts.get("job.json", "versions") or {}
    if versions:
        rows = tuple(((str(name),), (str(version),)) for name, version in versions.items())
        yield Grid(say("Versions"), (say("Software"), say("Version")), rows)
    times = [(say("started"), "started"), (say("finished"), "finished")]
    stamped = tuple(((said,), (str(facts.get("job.json", key)),)) for said, key in times if facts.has("job.json", key))
    stages = tuple(
        ((say(STAGES.get(stage, stage)),), tell.cell("job.json", "stages", stage, "seconds", unit="seconds", digits=3))
        for stage in facts.names("job.json", "stages")
        if facts.has("job.json", "stages", stage, "seconds")
    )
    if stamped or stages:
        yield Grid(say("When it was made"), (say("Stage"), say("Time")), (*stamped, *stages))


def _digests(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    digests: dict[str, object] = {}
    if facts.has("release.json", "output", "sha256"):
        digests[str(facts.get("release.json", "output", "file"))] = facts.get("release.json", "output", "sha256")
    if facts.has("release.public.json", "digest"):
        public = say("the public record's fields (release.public.json)")
        digests[public] = facts.get("release.public.json", "digest")
    # Who guesses the counts behind the record could confirm the guess by its digest.
    if facts.has("release.json", "digest") and not tell.external:
        digests[say("the record's fields (release.json)")] = facts.get("release.json", "digest")
    for stage in facts.names("job.json", "stages"):
        for file, digest in (facts.get("job.json", "stages", stage, "outputs") or {}).items():
            digests.setdefault(file, digest)
    if digests:
        rows = tuple(((file,), (str(digest),)) for file, digest in digests.items())
        yield Grid(say("Digests (SHA-256)"), (say("File"), say("Digest")), rows)


def crosswalk(tell: Teller) -> Iterator[Content]:
    """Topics of guidelines beside the sections that answer them; their names, without clauses."""
    yield tell.say(
        "For those who assess by NIST SP 800-226, ISO/IEC 27559, GB/T 42460 or GB/T 37964: where this report "
        "answers what such guidelines ask. No clauses are named, because the table was not made from the texts of "
        "these documents, and it claims conformity with none of them."
    )
    say = tell.language.say
    rows = tuple(
        ((topic,), (tell.title(key),), (given,))
        for topic, key, given in _topics(tell)
        if key not in _RESTS_ON or tell.facts.has(*_RESTS_ON[key])
    )
    yield Grid(say("Topics"), (say("Topic"), say("Section"), say("What it gives")), rows)


def _topics(tell: Teller) -> Iterator[tuple[str, str, str]]:
    say = tell.language.say
    yield say("Guarantee and its parameters"), "guarantee", say("ε, δ and every other notion, exact or implied")
    yield say("Unit of protection"), "context", say("what counts as one, and which tables are neighbours")
    yield say("Context of the release"), "context", say("purpose, recipient and what the attacker knows, as declared")
    yield say("Assumptions and limits"), "assumptions", say("what must hold for the guarantee, numbered")
    yield say("Data and identifiers"), "data", say("columns, their roles, and which were not released")
    yield (
        say("Risk of re-identification and inference"),
        "attacks",
        say("attacks between their anchors, and group sizes"),
    )
    yield say("Measured leakage"), "leakage", say("bits before and after, above what is known anyway")
    yield (
        say("Correctness of the implementation"),
        "attacks",
        say("what the rows show at least, and the record recomputed"),
    )
    yield say("Usefulness of the result"), "usefulness", say("change and distortion of each column")
    yield say("Effect of the protection, graded"), "grade", say("score, privacy, utility, vetoes and policy")
    tuning = (
        say("what the choice of settings cost") if tell.external else say("trials, and what the search itself tells")
    )
    yield say("Cost of choosing parameters"), "tuning", tuning
    yield say("Residual risk and review"), "residual", say("what is left, and when to look again")
    given = say("versions and a digest") if tell.external else say("commands, versions and digests")
    yield say("Documentation and repeatability"), "reproduction", given
