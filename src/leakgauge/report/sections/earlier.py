"""The releases before this one by the same mechanism, who is in several of them, and what they tell together."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_HALF_EVEN

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.teller import Cell, Teller, own

_FILE, _FIELD = "job.json", "repeated"


def earlier(tell: Teller) -> Iterator[Content]:
    """What a release adds to those it repeats; everybody may know how many there are."""
    if not tell.has(_FILE, _FIELD):
        return
    yield tell.say(
        "The mechanism is that of an earlier release, unchanged: it was not designed for this table. Releases by it "
        "so far, this one included: {releases}.",
        releases=tell.number(_FILE, _FIELD, "releases"),
    )
    if not tell.external:
        yield from (*_releases(tell), *_together(tell), *_distortions(tell))
    if tell.has(_FILE, _FIELD, "epsilon"):
        template = message("ε of a person with one row in each of these releases, added up: {epsilon}.")
        if tell.protects_persons:
            template = message("ε of a person in all of these releases, added up: {epsilon}.")
        yield tell.say(template, epsilon=tell.number(_FILE, _FIELD, "epsilon"))
    if tell.has(_FILE, _FIELD, "spent"):
        yield tell.say(
            "The account of {dataset} in the ledger has spent ε = {spent}, this release included.",
            dataset=own(str(tell.get(_FILE, _FIELD, "dataset"))),
            spent=tell.number(_FILE, _FIELD, "spent"),
        )


def _releases(tell: Teller) -> Iterator[Content]:
    found = tell.items(_FILE, _FIELD, "before")
    yield from tell.grid(
        "The releases before",
        "Job|Released|Rows|ε|Persons in both tables",
        (_release(tell, at) for at in range(len(found))),
    )
    if tell.has(_FILE, _FIELD, "units"):
        yield tell.say("Persons in this table: {units}.", units=tell.number(_FILE, _FIELD, "units", count=True))
    for at, one in enumerate(found):
        if tell.has(_FILE, _FIELD, "before", at, "unknown"):
            yield tell.note(
                "The overlap of {folder} with this table is unknown, because {reason}; everybody is assumed to be "
                "in both.",
                folder=own(one["folder"]),
                reason=own(tell.told(one["unknown"])),
            )
    yield from tell.grid(
        "Persons in both tables whose secret is the same in both",
        "Job|Secret|Share",
        (
            (own(one["folder"]), own(name), tell.number(*_unchanged(at), name, "value", percent=True))
            for at, one in enumerate(found)
            for name in tell.names(*_unchanged(at))
        ),
    )


def _unchanged(at: int) -> tuple[str, str, str, int, str]:
    return _FILE, _FIELD, "before", at, "unchanged"


def _release(tell: Teller, at: int) -> Iterator[Cell]:
    place = (_FILE, _FIELD, "before", at)
    yield own(str(tell.get(*place, "folder")))
    yield str(tell.get(*place, "created"))
    yield tell.number(*place, "rows", count=True)
    yield tell.number(*place, "epsilon")
    yield tell.cell(*place, "shared", count=True)


def _together(tell: Teller) -> Iterator[Content]:
    secrets = tell.items(_FILE, _FIELD, "secrets")
    told = [at for at, one in enumerate(secrets) if one["together"] is not None]
    yield from tell.grid(
        "What the released columns of a secret reveal, in this release and in all that one person may be in",
        "Secret|By this release|By all|Of|Guessed right by this release|Guessed right by all",
        (_secret(tell, at) for at in told),
    )
    uncounted = [name for one in secrets if one["together"] is None for name in one["secret"]]
    if uncounted:
        yield tell.say(
            "What they reveal together about {secrets} is not counted in bits.", secrets=tell.listed(uncounted)
        )
    if told:
        yield tell.note(
            "This counts a person who is in all of these tables, and whose secret is the same in each. Where secrets "
            "change, the releases mostly reveal less about each value. Other columns come on top."
        )


def _secret(tell: Teller, at: int) -> Iterator[Cell]:
    place = (_FILE, _FIELD, "secrets", at)
    exact = tell.get(*place, "exact")
    yield tell.listed(tell.names(*place, "secret"))
    yield tell.number(*place, "alone")
    # A bound never looks closer than it is.
    rounding = ROUND_HALF_EVEN if exact else ROUND_CEILING
    bits = tell.number(*place, "together", rounding=rounding)
    yield bits if exact else tell.say("at most {bits}", bits=bits)
    yield tell.number(*place, "entropy")
    yield tell.number(*place, "guessed_alone", "value", percent=True)
    guessed = tell.number(*place, "guessed", "value", percent=True, rounding=rounding)
    yield guessed if exact else tell.say("at most {share}", share=guessed)


def _distortions(tell: Teller) -> Iterator[Content]:
    for at, one in enumerate(tell.items(_FILE, _FIELD, "secrets")):
        if one["distortion"] is not None and one["max_distortion"] is not None:
            yield tell.say(
                "On this table the mean distortion of {secret} is {found}; at most {asked} was asked for when the "
                "mechanism was designed.",
                secret=tell.listed(one["secret"]),
                found=tell.number(_FILE, _FIELD, "secrets", at, "distortion", "value"),
                asked=tell.number(_FILE, _FIELD, "secrets", at, "max_distortion"),
            )
