"""For who checks the report: how to make it again, and where it answers what guidelines of assessment ask."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from leakgauge.artefacts.report import Code
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.teller import Teller

_STAGES = {
    "survey": message("surveying"),
    "measure": message("measuring"),
    "design": message("designing"),
    "release": message("releasing"),
    "audit": message("auditing"),
    "assess": message("judging"),
    "report": message("reporting"),
}
_RESTS_ON = {
    "guarantee": ("release.json", "claims"),
    "assumptions": ("release.json", "assumptions"),
    "attacks": ("audit.json", "attacks"),
    "usefulness": ("utility.json",),
    "verdict": ("verdict.json",),
    "criteria": ("verdict.json", "beside"),
    "tuning": ("release.json",),
    "leakage": ("measurement.json", "entropy"),
    "data": ("job.json",),
    "survey": ("survey.json",),
}
"""Without these fields of artefacts there is nothing in such a section to point at."""
_INSIDE = ("usefulness",)
"""Sections of the internal edition alone; everybody may know the shares at most, which stand with the decision."""


def reproduction(tell: Teller) -> Iterator[Content]:
    """Commands, versions and digests; in the external edition only what is of the release itself."""
    yield from (*_commands(tell), *_versions(tell), *_digests(tell))


def _commands(tell: Teller) -> Iterator[Content]:
    command, script = (tell.get("job.json", name) for name in ("command", "script"))
    if tell.foreign:
        yield tell.say("The same audit again, of the table that was released:")
        yield Code(_audit(tell))
    if command:
        yield tell.say("The same job again; fresh noise makes another release of the same quality:")
        yield Code(str(command))
    if tell.has("release.public.json") and tell.external:
        yield tell.say(
            "release.public.json is the record that is handed out with the release. Check that they fit together:"
        )
        yield Code("leakgauge verify release.public.json")
    elif tell.has("release.json") and not tell.external:
        yield tell.say("Check that record and release belong together and claim what they may:")
        yield Code("leakgauge verify release.json")
    if script:
        yield tell.say("The same in Python:")
        yield Code(str(script))


def _audit(tell: Teller) -> str:
    """The command that audits a release made elsewhere."""
    place = ("audit.json", "foreign")
    words = ["leakgauge", "audit", "--released", str(tell.table), "--original", "TABLE"]
    withheld = tell.names(*place, "withheld")
    for option, names in (
        ("--secret", [name for name in tell.names(*place, "secrets") if name not in withheld]),
        ("--withhold", withheld),
        ("--background", tell.background),
        *((f"--{name}", [str(tell.get(*place, name))]) for name in ("key", "unit") if tell.has(*place, name)),
    ):
        words += [word for name in names for word in (option, name)]
    return shlex.join(words)


def _versions(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    versions = tell.get("release.json", "versions") or tell.get("job.json", "versions") or {}
    yield from tell.grid("Versions", "Software|Version", ((str(name), str(one)) for name, one in versions.items()))
    times = {"started": say("started"), "finished": say("finished")}
    stamped = [(said, str(tell.get("job.json", key))) for key, said in times.items() if tell.has("job.json", key)]
    stages = [
        (say(_STAGES.get(stage, stage)), tell.number("job.json", "stages", stage, "seconds", unit="seconds"))
        for stage in tell.names("job.json", "stages")
        if tell.has("job.json", "stages", stage, "seconds")
    ]
    yield from tell.grid("When it was made", "Stage|Time", (*stamped, *stages))


def _digests(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    digests: dict[str, object] = {}
    if tell.has("release.json", "output", "sha256"):
        digests[str(tell.get("release.json", "output", "file"))] = tell.get("release.json", "output", "sha256")
    if tell.has("audit.json", "foreign", "sha256"):
        digests[str(tell.table)] = tell.get("audit.json", "foreign", "sha256")
    if tell.has("release.public.json", "digest"):
        public = say("the public record's fields (release.public.json)")
        digests[public] = tell.get("release.public.json", "digest")
    # Who guesses the counts behind the record could confirm the guess by its digest.
    if tell.has("release.json", "digest") and not tell.external:
        digests[say("the record's fields (release.json)")] = tell.get("release.json", "digest")
    for stage in tell.names("job.json", "stages"):
        for file, digest in (tell.get("job.json", "stages", stage, "outputs") or {}).items():
            digests.setdefault(file, digest)
    yield from tell.grid("Digests (SHA-256)", "File|Digest", ((file, str(one)) for file, one in digests.items()))


def crosswalk(tell: Teller) -> Iterator[Content]:
    """Topics of guidelines beside the sections that answer them; their names, without clauses."""
    yield tell.say(
        "For those who assess by NIST SP 800-226, ISO/IEC 27559, GB/T 42460 or GB/T 37964: where this report "
        "answers what such guidelines ask. No clauses are named, because the table was not made from the texts of "
        "these documents, and it claims conformity with none of them."
    )
    rows = (
        (topic, tell.title(key), given)
        for topic, key, given in _topics(tell)
        if (key not in _RESTS_ON or any(one.has(*_RESTS_ON[key]) for one in tell.each))
        and not (tell.external and key in _INSIDE)
    )
    yield from tell.grid("Topics", "Topic|Section|What it gives", rows)


def _topics(tell: Teller) -> Iterator[tuple[str, str, str]]:
    say = tell.language.say
    yield say("Guarantee and its parameters"), "guarantee", say("ε, δ and every other notion, exact or implied")
    yield say("Unit of protection"), "context", say("what counts as one, and which tables are neighbours")
    yield say("Context of the release"), "context", say("purpose, recipient and what the attacker knows, as declared")
    yield say("Assumptions and limits"), "assumptions", say("what must hold for the guarantee, numbered")
    yield say("Data and identifiers"), "data", say("columns, their roles, and which were not released")
    given = say("which columns identify people, and which single them out together")
    if tell.external:
        given = say("group sizes of the public columns")
    yield say("Identifiers and quasi-identifiers"), "survey", given
    given = say("attacks between their anchors, and group sizes")
    yield say("Risk of re-identification and inference"), "attacks", given
    yield say("Measured leakage"), "leakage", say("bits before and after, above what is known anyway")
    given = say("lower bounds from the rows, and the record recomputed")
    yield say("Correctness of the implementation"), "attacks", given
    yield say("Usefulness of the result"), "usefulness", say("change and distortion of each column")
    given = say("recommendation, dials, vetoes, policy, and what would change it")
    yield say("Decision on the release"), "verdict", given
    yield say("Effect of the protection by criteria"), "criteria", say("five criteria and what they rest on")
    given = (
        say("what the choice of settings cost") if tell.external else say("trials, and what the search itself reveals")
    )
    yield say("Cost of choosing parameters"), "tuning", given
    yield say("Residual risk and review"), "residual", say("what is left, and when to review it")
    given = say("versions and a digest") if tell.external else say("commands, versions and digests")
    yield say("Documentation and repeatability"), "reproduction", given
