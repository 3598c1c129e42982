"""What must hold, what the report does not say, what an edition leaves out, and the risk that is left."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.codec import sentence_of
from leakgauge.artefacts.report import Points
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin
from leakgauge.release.guarantees import FORMULAS
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.bits import bits_of, exposure
from leakgauge.report.sections.pictures import is_drawn
from leakgauge.report.sections.teller import Plain, Teller, own
from leakgauge.report.sections.usefulness import never_released

_RISKS = {
    Aim.ROW: message(
        "Someone with the declared background who runs “{attack}” finds the rows of {success} of the targets, "
        "instead of {baseline} without this release."
    ),
    Aim.MEMBERSHIP: message(
        "Someone who runs “{attack}” is right about whether {success} of the targets are in the table, instead of "
        "{baseline} without this release."
    ),
    Aim.PERSON: message(
        "Someone who runs “{attack}” describes exactly one person with {success} of the descriptions, instead of "
        "with {baseline} without this release."
    ),
    Aim.SECRET: message(
        "Someone with the declared background who runs “{attack}” guesses the secret of {success} of the targets, "
        "instead of {baseline} without this release."
    ),
}


def assumptions(tell: Teller) -> Iterator[Content]:
    """What must hold for the guarantee of a release to hold, numbered."""
    stored = [(tell.told(one),) for one in tell.items("release.json", "assumptions")]
    points = (*stored, *_of_histograms(tell))
    if points:
        yield tell.say("The guarantee holds if all of these hold.")
        yield Points(numbered=True, items=points)


def _of_histograms(tell: Teller) -> Iterator[Inline]:
    """What a noisy histogram does not protect, where the record does not say it itself."""
    planned = tell.get("release.json", "plan", "columns") or {}
    bought = [name for name, one in planned.items() if one.get("channel_prior") == PriorOrigin.NOISY_HISTOGRAM.value]
    stored = " ".join(str(sentence_of(one)) for one in tell.items("release.json", "assumptions"))
    if bought and PriorOrigin.NOISY_HISTOGRAM.value not in stored:
        yield tell.say(
            "The channels of {columns} were designed from a noisy histogram; which values occur is not protected.",
            columns=tell.listed(bought),
        )


def limitations(tell: Teller) -> Iterator[Content]:
    """What the report does not say."""
    yield Points(numbered=False, items=tuple(_limitations(tell)))


def _limitations(tell: Teller) -> Iterator[Inline]:
    background = tell.background
    if background:
        yield tell.say(
            "The attacker is assumed to know {background} of everybody and nothing else; someone who knows more "
            "learns more than this report says.",
            background=tell.listed(background),
        )
    else:
        yield tell.say(
            "No background knowledge was declared; someone who knows something about a person learns more than "
            "this report says."
        )
    if tell.from_this_table:
        yield tell.say(
            "The channel was designed from this table's own counts: its ε holds for the fixed channel only, and the "
            "choice of the channel is not protected."
        )
    if tell.keeps_guarantee_inside:
        yield tell.say(
            "The settings of the mechanism may follow from private counts: a bound on ε holds for the fixed mechanism "
            "only, and does not cover what the choice of the mechanism reveals."
        )
    if any(one.get("measurement.json", "reliable") is False for one in tell.each):
        yield tell.say(
            "The table is small for so many combinations of values: the leakage before is uncertain beyond its "
            "interval."
        )
    if any(one.get("leakage.json", "reliable") is False for one in tell.each):
        yield tell.say(
            "The table is small for so many combinations of values: the leakage after is uncertain beyond its interval."
        )
    if tell.items("audit.json", "attacks"):
        bound = message(
            "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds "
            "what can be inferred about the secret's value in one row."
        )
        if any(tell.public):
            bound = message(
                "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds "
                "what the protected columns of one row reveal, but not what the others add."
            )
        if tell.promises_nothing:
            bound = message(
                "Attacks show what these attackers find, not what the best imaginable one would; no guarantee bounds "
                "what others may find."
            )
        yield tell.say(bound)
    if tell.foreign:
        yield tell.say("The way values were changed is unknown; attacks that use it estimate it from the matched rows.")
        untried = [tell.told(one) for one in tell.items("audit.json", "foreign", "left_out")]
        if untried:
            yield tell.say(
                "Attacks that need more than both tables were not tried: {attacks}.",
                attacks=Plain(tell.language.say(", ").join(untried)),
            )
    public = tell.names("release.json", "plan", "public")
    if public:
        yield tell.say("Public columns are not protected.")
    if tell.is_coarsened:
        yield tell.say(
            "Coarsening and suppression are not differential privacy: someone who knows enough about a person may "
            "still recognise their row."
        )
    formulas = tell.names("release.json", "output", "formulas")
    if formulas:
        yield tell.say(FORMULAS, columns=tell.listed(formulas))
    beyond = [column for column in public if column not in background]
    if beyond and not tell.external and not tell.items("audit.json", "exposures"):
        yield tell.say(
            "Public columns are not counted in the bits: what {columns} reveal about the secret comes on top of the "
            "leakage.",
            columns=tell.listed(beyond),
        )
    for one in tell.each:
        yield from never_released(one)
    if tell.released and tell.has("job.json", "asked", "unit") and not tell.protects_persons:
        yield tell.say(
            "The guarantee is for one row. A person with several rows is protected less: the ε of these rows add up."
        )
    if tell.released and not tell.has("release.json", "budget", "ledger"):
        yield tell.say(
            "No ledger counted this release: whether there were other releases of the same people, and what they add "
            "up to, is unknown."
        )
    if not tell.external and tell.released and tell.get("release.json", "keep_inside"):
        template = message(
            "Keep the record and the channel private: the exact counts of the table can be computed from them. "
            "release.public.json is the record for recipients."
        )
        if tell.is_in_kit(*tell.secret):
            template = message(
                "Keep the record private: the exact counts of the table can be computed from it, as from the channel "
                "that is in the recipient's kit. release.public.json is the record for recipients."
            )
        yield tell.say(template)
    if not tell.external and tell.released:
        yield tell.say("This edition contains numbers from the private table; keep it private.")


def left_out(tell: Teller) -> Iterator[Content]:
    """What the external edition leaves out, and why."""
    if not tell.external:
        return
    yield tell.say(
        "This edition may be shown to everybody. It prints what is public, what was declared and what a budget "
        "accounts for, and no number that follows from the counts of the table: a few such numbers, however "
        "coarse, can be solved together for the count of a rare value."
    )
    yield Points(numbered=False, items=tuple(_left_out(tell)))
    if is_drawn(tell, "shares"):
        yield tell.note(
            "There is one exception: the shares of values in the table are shown, because whoever released the table "
            "declared that they may be known; they are rounded so that no count can be computed."
        )
    if tell.released:
        yield tell.note(
            "This edition does not say how the release was judged; that does not mean that there are no objections."
        )


def _left_out(tell: Teller) -> Iterator[Inline]:
    yield tell.say("Counts of rows below a limit are masked, because few rows may be few people.")
    yield tell.say(
        "What was measured: the leakage in bits, the results of attacks, the usefulness of each column, the dials and "
        "the recommendation, the policy, the curve of least leakage, and every picture of these."
    )
    if tell.keeps_guarantee_inside:
        template = message(
            "The mechanism, its assumptions and its exact levels: they follow from private counts, or may. Declared "
            "settings, a bound on ε that was asked for, and a design from a noisy histogram can be printed here."
        )
        if tell.is_in_kit(*tell.secret):
            template = message(
                "The mechanism, its assumptions and its exact levels, which follow from the channel in the recipient's "
                "kit."
            )
        yield tell.say(template)
    if not is_drawn(tell, "shares", "channel"):
        yield tell.say("Which values a column has, and which of them reach a guarantee.")
    yield tell.say("What a survey of the table says about columns that are not released, and what each column reveals.")
    yield tell.say(
        "The table's digest, size and place, and commands and scripts that name it: a digest confirms a guess of the "
        "whole table."
    )
    yield tell.say(
        "The record of the release with its digest, and the reason where nothing was released: both name numbers of "
        "the table."
    )


def residual(tell: Teller) -> Iterator[Content]:
    """What risk is left, and when to look again."""
    risks = tuple(_risks(tell))
    if risks:
        yield Points(numbered=False, items=risks)
    review = tell.get("job.json", "asked", "review")
    if review:
        yield tell.say("To be reviewed by {date}.", date=own(str(review)))
    else:
        yield tell.say(
            "Review it before the next release of the same people, and whenever what attackers may know changes; "
            "review date {date}.",
            date=tell.blank,
        )


def _risks(tell: Teller) -> Iterator[Inline]:
    if not tell.released:
        spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
        if spent is None:
            yield tell.say("Nothing was released, so there is no risk.")
        else:
            yield tell.say(
                "Nothing was released, but the noisy histogram of the design was bought: ε = {spent} of the budget is "
                "spent.",
                spent=spent,
            )
        return
    for one in tell.each:
        at = one.strongest_attack
        if at is not None:
            yield one.of_secret(_strongest(one, at))
        hidden = one.maybe("leakage.json", "conditional_entropy_with_background")
        place = exposure(one)
        if place is not None:
            yield tell.say(
                "What everything released or known reveals about {secret}: {bits}.",
                secret=tell.listed(one.secret),
                bits=bits_of(one, *place, "everything", of=True),
            )
        elif hidden is not None:
            yield tell.say("On average {hidden} of the secret stay hidden from such a person.", hidden=hidden)
    guessed = ("verdict.json", "facts", "guessed")
    if tell.has(*guessed):
        yield tell.say(
            "Of all {people} people, about {guessed} more are guessed right with this release than without it.",
            people=tell.number(*guessed, 1, count=True),
            guessed=tell.number(*guessed, 0, count=True),
        )
    yield from _repeated(tell)
    public = tell.names("release.json", "plan", "public")
    if public:
        yield tell.say(
            "Public columns ({columns}) can be linked with other data of the same people; nothing here prevents it.",
            columns=tell.listed(public),
        )


def _strongest(tell: Teller, at: int) -> Inline:
    """What the strongest attack does to its targets, with and without the release."""
    attack = tell.get("audit.json", "attacks", at, "attack")
    known = attack_of(sentence_of(attack))
    return tell.say(
        _RISKS[Aim.SECRET if known is None else known.aim],
        attack=Plain(tell.told(attack)),
        success=tell.number("audit.json", "attacks", at, "success", percent=True),
        # A share: an attack is tried on some of the rows, whose number is not that of everybody at risk.
        baseline=tell.number("audit.json", "attacks", at, "baseline", percent=True),
    )


def _repeated(tell: Teller) -> Iterator[Inline]:
    names = [one["attack"] for one in tell.items("audit.json", "attacks")]
    known = [attack_of(sentence_of(name)) for name in names]
    for most in [at for at, attack in enumerate(known) if attack is not None and attack.repeated][-1:]:
        yield tell.say(
            "If the same values were released again with fresh noise the risk would grow: “{attack}” would be right "
            "about {success}.",
            attack=Plain(tell.told(names[most])),
            success=tell.number("audit.json", "attacks", most, "success", percent=True),
        )
