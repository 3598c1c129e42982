"""Earlier releases of the secrets: those that the verdict counts, who is in several, and what they reveal together."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_HALF_EVEN

from leakgauge.artefacts.job import Job, Repeated, RepeatedSecret
from leakgauge.languages import message
from leakgauge.telling.blocks import Content
from leakgauge.telling.promises import protects_persons
from leakgauge.telling.voice import Cell, Plain, Voice, own


def earlier(voice: Voice) -> Iterator[Content]:
    """What a release adds to earlier ones; everybody may know how many it repeats."""
    job = voice.dossier.job
    if job is None:
        return
    if job.repeated is not None:
        yield from _repeated(voice, job.repeated)
    if not voice.external:
        yield from _counted(voice, job)


def _counted(voice: Voice, job: Job) -> Iterator[Content]:
    """What the verdict counts of other releases, and what it does not."""
    bounded = sum(not one.same_mechanism for one in job.before)
    if job.before:
        yield voice.say(
            "The verdict counts this release together with earlier ones of the same secrets ({count}), for the people "
            "who are in all of them and whose secrets stayed the same.",
            count=Plain(str(len(job.before))),
        )
    kept = sum(bool(one.kept) for one in job.before)
    if kept:
        yield voice.say(
            "Earlier releases that share their noise with this one or with another: {count}. Of people whose values "
            "stayed the same they reveal nothing new: releases that share their noise count as one.",
            count=Plain(str(kept)),
        )
        yield voice.note(
            "Not in the verdict: where a released value of a person differs between releases that keep noise, a value "
            "has changed. Everybody who has them sees that, and what the earlier value was likely to be; if there "
            "are only two values, the two releases tell as much as with fresh noise."
        )
    if bounded:
        yield voice.say(
            "Earlier releases that are known only from the ledger: {count}. They count by the most that their bits, ε "
            "or ρ allow, as if everybody were in them.",
            count=Plain(str(bounded)),
        )
    if job.unnamed:
        yield voice.note(
            "Not checked: earlier entries of the account that do not say which columns they read, such as queries "
            "({count}). The verdict does not count them.",
            count=voice.number(job, "unnamed", count=True),
        )


def _repeated(voice: Voice, found: Repeated) -> Iterator[Content]:
    yield voice.say(
        "The mechanism is that of an earlier release, unchanged: it was not designed for this table. Releases by it "
        "so far, this one included: {releases}.",
        releases=voice.number(found, "releases"),
    )
    if not voice.external:
        yield from (*_releases(voice, found), *_together(voice, found), *_distortions(voice, found))
    epsilon, spent, in_period = (voice.maybe(found, name) for name in ("epsilon", "spent", "spent_in_period"))
    if epsilon is not None:
        template = message("ε of a person with one row in each of these releases, added up: {epsilon}.")
        if found.epsilon_unchanged is not None:
            template = message(
                "ε of a person in all of these releases whose values changed every time, added up and given when they "
                "changed: {epsilon}."
            )
        elif protects_persons(voice):
            template = message("ε of a person in all of these releases, added up: {epsilon}.")
        yield voice.say(template, epsilon=epsilon)
    unchanged = voice.maybe(found, "epsilon_unchanged")
    if unchanged is not None:
        yield voice.say(
            "ε of a person in all of these releases whose values never changed, which releases that keep one noise "
            "cost once: {epsilon}.",
            epsilon=unchanged,
        )
    if spent is not None:
        template = message("The account of {dataset} in the ledger has used ε = {spent}, this release included.")
        if in_period is not None:
            template = message(
                "The account of {dataset} in the ledger has used ε = {in_period} in this period and ε = {spent} in all "
                "periods together, this release included; its limit renews, and people who stay in the data face the "
                "total."
            )
        yield voice.say(template, dataset=own(str(found.dataset)), spent=spent, in_period=in_period)


def _releases(voice: Voice, found: Repeated) -> Iterator[Content]:
    yield from voice.grid(
        "The releases before",
        "Job|Released|Rows|ε|Persons in both tables",
        (
            (
                own(one.folder),
                one.created,
                voice.number(one, "rows", count=True),
                voice.number(one, "epsilon"),
                voice.cell(one, "shared", count=True),
            )
            for one in found.before
        ),
    )
    if found.units is not None:
        yield voice.say("Persons in this table: {units}.", units=voice.number(found, "units", count=True))
    for one in found.before:
        if one.unknown is not None:
            yield voice.note(
                "The overlap of {folder} with this table is unknown, because {reason}; everybody is assumed to be "
                "in both.",
                folder=own(one.folder),
                reason=own(voice.told(one.unknown)),
            )
        if one.noise_key != found.noise_key and one.noise_key is not None:
            yield voice.alarm(
                "The noise of {folder} is not kept: it followed from the key of another ledger or account, or this "
                "release has fresh noise. Both count as draws of their own.",
                folder=own(one.folder),
            )
    yield from voice.grid(
        "Persons in both tables whose secret is the same in both",
        "Job|Secret|Share",
        (
            (own(one.folder), own(name), voice.number(share, "value", percent=True))
            for one in found.before
            for name, share in (one.unchanged or {}).items()
        ),
    )


def _together(voice: Voice, found: Repeated) -> Iterator[Content]:
    told = [one for one in found.secrets if one.together is not None]
    yield from voice.grid(
        "What the released columns of a secret reveal, in this release and in all releases that may contain "
        "the same person",
        "Secret|From this release|From all|Of|Guessed correctly from this release|Guessed correctly from all",
        (_secret(voice, one) for one in told),
    )
    uncounted = [name for one in found.secrets if one.together is None for name in one.secret]
    if uncounted:
        yield voice.say(
            "What they reveal together about {secrets} was not measured in bits.", secrets=voice.listed(uncounted)
        )
    for one in told:
        if one.changing is not None:
            yield voice.say(
                "People whose {secret} stayed the same keep their noise; independent draws of their value in these "
                "releases: {draws}. About all values of a person whose {secret} changed every time the releases reveal "
                "at most {bits} together.",
                secret=voice.listed(one.secret),
                draws=voice.number(one, "draws"),
                bits=voice.number(one, "changing", rounding=ROUND_CEILING),
            )
    if told:
        yield voice.note(
            "This is for a person who is in all of these tables with the same secret in each. Where secrets "
            "change, the releases mostly reveal less about each value. Other columns add to this."
        )


def _secret(voice: Voice, one: RepeatedSecret) -> Iterator[Cell]:
    yield voice.listed(one.secret)
    yield voice.number(one, "alone")
    # A bound never looks closer than it is.
    rounding = ROUND_HALF_EVEN if one.exact else ROUND_CEILING
    bits = voice.number(one, "together", rounding=rounding)
    yield bits if one.exact else voice.say("at most {bits}", bits=bits)
    yield voice.number(one, "entropy")
    yield voice.number(one, "guessed_alone", "value", percent=True)
    guessed = voice.number(one, "guessed", "value", percent=True, rounding=rounding)
    yield guessed if one.exact else voice.say("at most {share}", share=guessed)


def _distortions(voice: Voice, found: Repeated) -> Iterator[Content]:
    for one in found.secrets:
        if one.distortion is not None and one.max_distortion is not None:
            yield voice.say(
                "On this table the mean distortion of {secret} is {found}; the mechanism was designed for at "
                "most {asked}.",
                secret=voice.listed(one.secret),
                found=voice.number(one.distortion, "value"),
                asked=voice.number(one, "max_distortion"),
            )
