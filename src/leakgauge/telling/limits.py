"""What must hold, what the report does not say, what an edition leaves out, and the risk that is left."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.audit import Finding, Foreign
from leakgauge.artefacts.report import Points
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin
from leakgauge.release.guarantees import FORMULAS
from leakgauge.telling.attacks import strongest_attack
from leakgauge.telling.bits import bits_of, exposure
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.columns import (
    asked_of,
    by_coarseness,
    is_coarsened,
    is_from_this_table,
    known_columns,
    plan_columns,
    protected_columns,
    published_columns,
)
from leakgauge.telling.pictures import is_drawn, pictures
from leakgauge.telling.promises import (
    is_in_kit,
    keeps_guarantee_inside,
    keeps_noise,
    promises_nothing,
    protects_persons,
)
from leakgauge.telling.usefulness import never_released
from leakgauge.telling.voice import Plain, Voice, blank, own

_RISKS = {
    Aim.ROW: message(
        "An attacker with the declared background who runs “{attack}” finds the rows of {success} of the "
        "targets, compared with {baseline} without this release."
    ),
    Aim.MEMBERSHIP: message(
        "An attacker who runs “{attack}” knows correctly of {success} of the targets whether they are in the "
        "table, compared with {baseline} without this release."
    ),
    Aim.PERSON: message(
        "An attacker who runs “{attack}” singles out exactly one person with {success} of the descriptions, "
        "compared with {baseline} without this release."
    ),
    Aim.SECRET: message(
        "An attacker with the declared background who runs “{attack}” guesses the secret of {success} of the "
        "targets correctly, compared with {baseline} without this release."
    ),
}


def assumptions(voice: Voice) -> Iterator[Content]:
    """What must hold for the guarantee of a release to hold, numbered."""
    record = voice.dossier.record
    stored = () if record is None else record.assumptions
    points = (*((voice.told(one),) for one in stored), *_of_histograms(voice, " ".join(map(str, stored))))
    if points:
        yield voice.say("The guarantee holds if all of these hold.")
        yield Points(numbered=True, items=points)


def _of_histograms(voice: Voice, stored: str) -> Iterator[Inline]:
    """What a noisy histogram does not protect, where the record does not say it itself."""
    columns = plan_columns(voice).items()
    bought = [name for name, one in columns if one.channel_prior is PriorOrigin.NOISY_HISTOGRAM]
    if bought and PriorOrigin.NOISY_HISTOGRAM.value not in stored:
        yield voice.say(
            "The channels of {columns} were designed from a noisy histogram; which values occur is not protected.",
            columns=voice.listed(bought),
        )


def limitations(voice: Voice) -> Iterator[Content]:
    """What the report does not say."""
    yield Points(numbered=False, items=tuple(_limitations(voice)))


def _limitations(voice: Voice) -> Iterator[Inline]:
    background, audit, record = known_columns(voice), voice.dossier.audit, voice.dossier.record
    if background:
        yield voice.say(
            "The attacker is assumed to know everybody's {background} and nothing else. An attacker who "
            "knows more can learn more than this report shows.",
            background=voice.listed(background),
        )
    else:
        yield voice.say(
            "No background knowledge was declared. An attacker who knows something about a person can learn "
            "more than this report shows."
        )
    if is_from_this_table(voice):
        yield voice.say(
            "The channel was designed with this table's own counts: its ε holds for the channel as it is, "
            "and what its choice reveals is not covered."
        )
    if keeps_guarantee_inside(voice):
        yield voice.say(
            "The noise level may have been tuned on the private table. A stated ε covers the noise, not what "
            "the tuning reveals."
        )
    if any(one.measurement is not None and one.measurement.reliable is False for one in voice.dossier.secrets):
        yield voice.say(
            "The table is small for so many combinations of values: the leakage before is uncertain beyond its "
            "interval."
        )
    if any(one.leakage is not None and one.leakage.reliable is False for one in voice.dossier.secrets):
        yield voice.say(
            "The table is small for so many combinations of values: the true leakage after the release may lie "
            "outside its interval."
        )
    if audit is not None and audit.attacks:
        bound = message(
            "The attacks show what these attackers found; better ones may exist. The guarantee limits what "
            "can be inferred about the secret's value in one row."
        )
        if any(by_coarseness(voice)):
            bound = message(
                "The attacks show what these attackers found; better ones may exist. The guarantee limits "
                "what the protected columns of one row reveal, not what the unprotected columns add."
            )
        if promises_nothing(voice):
            bound = message(
                "The attacks show what these attackers found; better ones may exist, and no guarantee limits "
                "what they may find."
            )
        yield voice.say(bound)
    if voice.foreign is not None:
        yield voice.say("How values were changed is unknown; attacks that use it estimate it from the matched rows.")
        yield from untried(voice, voice.foreign)
    public = published_columns(voice)
    if public:
        yield voice.say("Public columns are not protected.")
    if is_coarsened(voice):
        yield voice.say(
            "Coarsening and suppression are not differential privacy: someone who knows enough about a person may "
            "still recognise their row."
        )
    formulas = () if record is None else record.output.formulas
    if formulas:
        yield voice.say(FORMULAS, columns=voice.listed(formulas))
    beyond = [column for column in public if column not in background]
    if beyond and not voice.external and (audit is None or not audit.exposures):
        yield voice.say(
            "Public columns are not counted in the bits: what {columns} reveal about the secret adds to the leakage.",
            columns=voice.listed(beyond),
        )
    for one in voice.each:
        yield from never_released(one)
    asked = asked_of(voice)
    if voice.released and asked is not None and asked.unit is not None and not protects_persons(voice):
        yield voice.say(
            "The guarantee is for one row. A person with several rows is protected less: the ε of these rows add up."
        )
    job = voice.dossier.job
    if voice.released and (record is None or record.budget.ledger is None) and not (job and job.before):
        yield voice.say(
            "This release was not entered in a budget ledger, so other releases about the same people are "
            "not taken into account."
        )
    if not voice.external and voice.released and record is not None and record.keep_inside:
        template = message(
            "Keep the record and the channel private: the exact counts of the table can be computed from "
            "them. Give recipients release.public.json instead."
        )
        if is_in_kit(voice, *protected_columns(voice)):
            template = message(
                "Keep the record private: the exact counts of the table can be computed from it, as from the "
                "channel that is in the recipient's kit. Give recipients release.public.json instead."
            )
        yield voice.say(template)
    if not voice.external and voice.released:
        yield voice.say("This edition contains numbers from the private table; keep it private.")


def untried(voice: Voice, foreign: Foreign) -> Iterator[Inline]:
    """The attacks that need to know how a release was made."""
    if foreign.left_out:
        yield voice.say(
            "Attacks that need more than the two tables were not tried: {attacks}.",
            attacks=voice.listed(map(voice.told, foreign.left_out)),
        )


def left_out(voice: Voice) -> Iterator[Content]:
    """What the external edition leaves out, and why."""
    if not voice.external:
        return
    yield voice.say(
        "This edition is public. It contains what is public, declared or covered by a budget, and no figure "
        "calculated from the private table, because several such figures together can reveal the count of a "
        "rare value."
    )
    yield Points(numbered=False, items=tuple(_left_out(voice)))
    if is_drawn(voice, "shares"):
        yield voice.note(
            "One exception: the shares of values in the table are shown, because the publisher declared that "
            "they may be known; they are rounded so that no count can be computed."
        )
    if voice.released:
        yield voice.note("The risk assessment is not part of this edition.")


def _left_out(voice: Voice) -> Iterator[Inline]:
    yield voice.say("Counts of rows below a limit are masked, because few rows may be few people.")
    yield voice.say(
        "What was measured: the leakage in bits, the results of attacks, the usefulness of each column, the "
        "scores and the recommendation, the policy, the curve of least leakage, and every picture of these."
    )
    if keeps_guarantee_inside(voice):
        template = message(
            "The mechanism, its assumptions and its exact guarantee, which may have been tuned on private "
            "counts. Declared settings, a required bound on ε, and a design from a noisy histogram can be "
            "shown here."
        )
        if is_in_kit(voice, *protected_columns(voice)):
            template = message(
                "The mechanism, its assumptions and its exact guarantee, which follow from the channel in "
                "the recipient's kit."
            )
        yield voice.say(template)
    if not is_drawn(voice, "shares", "channel"):
        yield voice.say("Which values a column has, and for which of them the guarantee is reached.")
    yield voice.say("What the survey found about columns that are not released, and what each column reveals.")
    yield voice.say(
        "The table's digest, size and location, and any command or script that names it: a digest would let "
        "somebody confirm a guess of the whole table."
    )
    yield voice.say(
        "The full release record with its digest, and the reason if nothing was released: both contain "
        "figures of the private table."
    )


def residual(voice: Voice) -> Iterator[Content]:
    """What risk is left, and when to look again."""
    risks = tuple(_risks(voice))
    if risks:
        yield Points(numbered=False, items=risks)
    for one in voice.each:
        yield from pictures(one, "repeats")
    asked = asked_of(voice)
    if asked is not None and asked.review:
        yield voice.say("To be reviewed by {date}.", date=own(asked.review))
    else:
        yield voice.say(
            "Review before the next release about the same people, and whenever attackers may know more; "
            "review date {date}.",
            date=blank(voice),
        )


def _risks(voice: Voice) -> Iterator[Inline]:
    if not voice.released:
        spent = voice.maybe(voice.dossier.job, "spent", "histogram", unit="nats")
        if spent is None:
            yield voice.say(
                "Nothing was released, so this job adds no disclosure risk. Earlier releases were not considered."
            )
        else:
            yield voice.say(
                "Nothing was released, but the noisy histogram of the design used ε = {spent} of the budget.",
                spent=spent,
            )
        return
    for one in voice.each:
        attack, seen = strongest_attack(one), exposure(one)
        if attack is not None:
            named = voice.say("{secret}: ", secret=voice.listed(one.group)) if one.group else ()
            yield (*named, *found_by(voice, attack))
        hidden = voice.maybe(one.results.leakage, "conditional_entropy_with_background")
        if seen is not None:
            yield voice.say(
                "What everything released or known reveals about {secret}: {bits}.",
                secret=voice.listed(protected_columns(one)),
                bits=bits_of(voice, seen, seen.everything, of=True),
            )
        elif hidden is not None:
            yield voice.say("On average {hidden} of the secret stay hidden from such an attacker.", hidden=hidden)
    guessed = None if voice.dossier.verdict is None else voice.dossier.verdict.facts.guessed
    if guessed is not None:
        yield voice.say(
            "Because of this release an attacker guesses about {guessed} more of all {people} people correctly.",
            people=voice.number(guessed, 1, count=True),
            guessed=voice.number(guessed, 0, count=True),
        )
    yield from _repeated(voice)
    public = published_columns(voice)
    if public:
        yield voice.say(
            "The public columns ({columns}) can be linked with other data about the same people; this "
            "release does not prevent that.",
            columns=voice.listed(public),
        )


def found_by(voice: Voice, found: Finding) -> Inline:
    """What the strongest attack does to its targets, with and without the release."""
    known = attack_of(found.attack)
    return voice.say(
        _RISKS[Aim.SECRET if known is None else known.aim],
        attack=Plain(voice.told(found.attack)),
        success=voice.number(found, "success", percent=True),
        # A share: an attack is tried on some of the rows, whose number is not that of everybody at risk.
        baseline=voice.number(found, "baseline", percent=True),
    )


def _repeated(voice: Voice) -> Iterator[Inline]:
    found = () if voice.dossier.audit is None else voice.dossier.audit.attacks
    known = ((one, attack_of(one.attack)) for one in found)
    for most in [one for one, attack in known if attack is not None and attack.repeated][-1:]:
        if keeps_noise(voice):
            yield voice.say(
                "Where values stay the same their noise is kept, so that releasing them again reveals nothing new: "
                "“{attack}” would guess {success} correctly.",
                attack=Plain(voice.told(most.attack)),
                success=voice.number(most, "success", percent=True),
            )
            continue
        yield voice.say(
            "If the same values were released again with new noise, the risk would grow: “{attack}” would "
            "guess {success} correctly.",
            attack=Plain(voice.told(most.attack)),
            success=voice.number(most, "success", percent=True),
        )
