"""The releases before this one by the same mechanism, who is in several of them, and what they tell together."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_HALF_EVEN

from leakgauge.artefacts.repeated import EarlierRelease, Repeated, RepeatedSecret
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.promises import protects_persons
from leakgauge.report.sections.teller import Cell, Teller, own


def earlier(tell: Teller) -> Iterator[Content]:
    """What a release adds to those it repeats; everybody may know how many there are."""
    found = None if tell.dossier.job is None else tell.dossier.job.repeated
    if found is None:
        return
    yield tell.say(
        "The mechanism is that of an earlier release, unchanged: it was not designed for this table. Releases by it "
        "so far, this one included: {releases}.",
        releases=tell.number(found, "releases"),
    )
    if not tell.external:
        yield from (*_releases(tell, found), *_together(tell, found), *_distortions(tell, found))
    epsilon, spent = (tell.maybe(found, name) for name in ("epsilon", "spent"))
    if epsilon is not None:
        template = message("ε of a person with one row in each of these releases, added up: {epsilon}.")
        if protects_persons(tell):
            template = message("ε of a person in all of these releases, added up: {epsilon}.")
        yield tell.say(template, epsilon=epsilon)
    if spent is not None:
        yield tell.say(
            "The account of {dataset} in the ledger has spent ε = {spent}, this release included.",
            dataset=own(str(found.dataset)),
            spent=spent,
        )


def _releases(tell: Teller, found: Repeated) -> Iterator[Content]:
    yield from tell.grid(
        "The releases before",
        "Job|Released|Rows|ε|Persons in both tables",
        (_release(tell, one) for one in found.before),
    )
    if found.units is not None:
        yield tell.say("Persons in this table: {units}.", units=tell.number(found, "units", count=True))
    for one in found.before:
        if one.unknown is not None:
            yield tell.note(
                "The overlap of {folder} with this table is unknown, because {reason}; everybody is assumed to be "
                "in both.",
                folder=own(one.folder),
                reason=own(tell.told(one.unknown)),
            )
    yield from tell.grid(
        "Persons in both tables whose secret is the same in both",
        "Job|Secret|Share",
        (
            (own(one.folder), own(name), tell.number(share, "value", percent=True))
            for one in found.before
            for name, share in (one.unchanged or {}).items()
        ),
    )


def _release(tell: Teller, one: EarlierRelease) -> Iterator[Cell]:
    yield own(one.folder)
    yield one.created
    yield tell.number(one, "rows", count=True)
    yield tell.number(one, "epsilon")
    yield tell.cell(one, "shared", count=True)


def _together(tell: Teller, found: Repeated) -> Iterator[Content]:
    told = [one for one in found.secrets if one.together is not None]
    yield from tell.grid(
        "What the released columns of a secret reveal, in this release and in all that one person may be in",
        "Secret|By this release|By all|Of|Guessed right by this release|Guessed right by all",
        (_secret(tell, one) for one in told),
    )
    uncounted = [name for one in found.secrets if one.together is None for name in one.secret]
    if uncounted:
        yield tell.say(
            "What they reveal together about {secrets} is not counted in bits.", secrets=tell.listed(uncounted)
        )
    if told:
        yield tell.note(
            "This counts a person who is in all of these tables, and whose secret is the same in each. Where secrets "
            "change, the releases mostly reveal less about each value. Other columns come on top."
        )


def _secret(tell: Teller, one: RepeatedSecret) -> Iterator[Cell]:
    yield tell.listed(one.secret)
    yield tell.number(one, "alone")
    # A bound never looks closer than it is.
    rounding = ROUND_HALF_EVEN if one.exact else ROUND_CEILING
    bits = tell.number(one, "together", rounding=rounding)
    yield bits if one.exact else tell.say("at most {bits}", bits=bits)
    yield tell.number(one, "entropy")
    yield tell.number(one, "guessed_alone", "value", percent=True)
    guessed = tell.number(one, "guessed", "value", percent=True, rounding=rounding)
    yield guessed if one.exact else tell.say("at most {share}", share=guessed)


def _distortions(tell: Teller, found: Repeated) -> Iterator[Content]:
    for one in found.secrets:
        if one.distortion is not None and one.max_distortion is not None:
            yield tell.say(
                "On this table the mean distortion of {secret} is {found}; at most {asked} was asked for when the "
                "mechanism was designed.",
                secret=tell.listed(one.secret),
                found=tell.number(one.distortion, "value"),
                asked=tell.number(one, "max_distortion"),
            )
