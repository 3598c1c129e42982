"""What must hold, what the report does not say, what an edition leaves out, and the risk that is left."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.audit import Finding
from leakgauge.artefacts.report import Points
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin
from leakgauge.release.guarantees import FORMULAS
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.attacks import strongest_attack
from leakgauge.report.sections.bits import bits_of, exposure
from leakgauge.report.sections.columns import (
    asked_of,
    by_coarseness,
    is_coarsened,
    is_from_this_table,
    known_columns,
    plan_columns,
    protected_columns,
    published_columns,
)
from leakgauge.report.sections.pictures import is_drawn
from leakgauge.report.sections.promises import is_in_kit, keeps_guarantee_inside, promises_nothing, protects_persons
from leakgauge.report.sections.teller import Plain, Teller, blank, own
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
    record = tell.dossier.record
    stored = () if record is None else record.assumptions
    points = (*((tell.told(one),) for one in stored), *_of_histograms(tell, " ".join(map(str, stored))))
    if points:
        yield tell.say("The guarantee holds if all of these hold.")
        yield Points(numbered=True, items=points)


def _of_histograms(tell: Teller, stored: str) -> Iterator[Inline]:
    """What a noisy histogram does not protect, where the record does not say it itself."""
    columns = plan_columns(tell).items()
    bought = [name for name, one in columns if one.channel_prior is PriorOrigin.NOISY_HISTOGRAM]
    if bought and PriorOrigin.NOISY_HISTOGRAM.value not in stored:
        yield tell.say(
            "The channels of {columns} were designed from a noisy histogram; which values occur is not protected.",
            columns=tell.listed(bought),
        )


def limitations(tell: Teller) -> Iterator[Content]:
    """What the report does not say."""
    yield Points(numbered=False, items=tuple(_limitations(tell)))


def _limitations(tell: Teller) -> Iterator[Inline]:
    background, audit, record = known_columns(tell), tell.dossier.audit, tell.dossier.record
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
    if is_from_this_table(tell):
        yield tell.say(
            "The channel was designed from this table's own counts: its ε holds for the fixed channel only, and the "
            "choice of the channel is not protected."
        )
    if keeps_guarantee_inside(tell):
        yield tell.say(
            "The settings of the mechanism may follow from private counts: a bound on ε holds for the fixed mechanism "
            "only, and does not cover what the choice of the mechanism reveals."
        )
    if any(one.measurement is not None and one.measurement.reliable is False for one in tell.dossier.secrets):
        yield tell.say(
            "The table is small for so many combinations of values: the leakage before is uncertain beyond its "
            "interval."
        )
    if any(one.leakage is not None and one.leakage.reliable is False for one in tell.dossier.secrets):
        yield tell.say(
            "The table is small for so many combinations of values: the leakage after is uncertain beyond its interval."
        )
    if audit is not None and audit.attacks:
        bound = message(
            "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds "
            "what can be inferred about the secret's value in one row."
        )
        if any(by_coarseness(tell)):
            bound = message(
                "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds "
                "what the protected columns of one row reveal, but not what the others add."
            )
        if promises_nothing(tell):
            bound = message(
                "Attacks show what these attackers find, not what the best imaginable one would; no guarantee bounds "
                "what others may find."
            )
        yield tell.say(bound)
    if tell.foreign is not None:
        yield tell.say("The way values were changed is unknown; attacks that use it estimate it from the matched rows.")
        untried = [tell.told(one) for one in tell.foreign.left_out]
        if untried:
            yield tell.say(
                "Attacks that need more than both tables were not tried: {attacks}.",
                attacks=Plain(tell.language.say(", ").join(untried)),
            )
    public = published_columns(tell)
    if public:
        yield tell.say("Public columns are not protected.")
    if is_coarsened(tell):
        yield tell.say(
            "Coarsening and suppression are not differential privacy: someone who knows enough about a person may "
            "still recognise their row."
        )
    formulas = () if record is None else record.output.formulas
    if formulas:
        yield tell.say(FORMULAS, columns=tell.listed(formulas))
    beyond = [column for column in public if column not in background]
    if beyond and not tell.external and (audit is None or not audit.exposures):
        yield tell.say(
            "Public columns are not counted in the bits: what {columns} reveal about the secret comes on top of the "
            "leakage.",
            columns=tell.listed(beyond),
        )
    for one in tell.each:
        yield from never_released(one)
    asked = asked_of(tell)
    if tell.released and asked is not None and asked.unit is not None and not protects_persons(tell):
        yield tell.say(
            "The guarantee is for one row. A person with several rows is protected less: the ε of these rows add up."
        )
    if tell.released and (record is None or record.budget.ledger is None):
        yield tell.say(
            "No ledger counted this release: whether there were other releases of the same people, and what they add "
            "up to, is unknown."
        )
    if not tell.external and tell.released and record is not None and record.keep_inside:
        template = message(
            "Keep the record and the channel private: the exact counts of the table can be computed from them. "
            "release.public.json is the record for recipients."
        )
        if is_in_kit(tell, *protected_columns(tell)):
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
    if keeps_guarantee_inside(tell):
        template = message(
            "The mechanism, its assumptions and its exact levels: they follow from private counts, or may. Declared "
            "settings, a bound on ε that was asked for, and a design from a noisy histogram can be printed here."
        )
        if is_in_kit(tell, *protected_columns(tell)):
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
    asked = asked_of(tell)
    if asked is not None and asked.review:
        yield tell.say("To be reviewed by {date}.", date=own(asked.review))
    else:
        yield tell.say(
            "Review it before the next release of the same people, and whenever what attackers may know changes; "
            "review date {date}.",
            date=blank(tell),
        )


def _risks(tell: Teller) -> Iterator[Inline]:
    if not tell.released:
        spent = tell.maybe(tell.dossier.job, "spent", "histogram", unit="nats")
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
        attack, seen = strongest_attack(one), exposure(one)
        if attack is not None:
            named = tell.say("{secret}: ", secret=tell.listed(one.group)) if one.group else ()
            yield (*named, *_strongest(tell, attack))
        hidden = tell.maybe(one.results.leakage, "conditional_entropy_with_background")
        if seen is not None:
            yield tell.say(
                "What everything released or known reveals about {secret}: {bits}.",
                secret=tell.listed(protected_columns(one)),
                bits=bits_of(tell, seen, seen.everything, of=True),
            )
        elif hidden is not None:
            yield tell.say("On average {hidden} of the secret stay hidden from such a person.", hidden=hidden)
    guessed = None if tell.dossier.verdict is None else tell.dossier.verdict.facts.guessed
    if guessed is not None:
        yield tell.say(
            "Of all {people} people, about {guessed} more are guessed right with this release than without it.",
            people=tell.number(guessed, 1, count=True),
            guessed=tell.number(guessed, 0, count=True),
        )
    yield from _repeated(tell)
    public = published_columns(tell)
    if public:
        yield tell.say(
            "Public columns ({columns}) can be linked with other data of the same people; nothing here prevents it.",
            columns=tell.listed(public),
        )


def _strongest(tell: Teller, found: Finding) -> Inline:
    """What the strongest attack does to its targets, with and without the release."""
    known = attack_of(found.attack)
    return tell.say(
        _RISKS[Aim.SECRET if known is None else known.aim],
        attack=Plain(tell.told(found.attack)),
        success=tell.number(found, "success", percent=True),
        # A share: an attack is tried on some of the rows, whose number is not that of everybody at risk.
        baseline=tell.number(found, "baseline", percent=True),
    )


def _repeated(tell: Teller) -> Iterator[Inline]:
    found = () if tell.dossier.audit is None else tell.dossier.audit.attacks
    known = ((one, attack_of(one.attack)) for one in found)
    for most in [one for one, attack in known if attack is not None and attack.repeated][-1:]:
        yield tell.say(
            "If the same values were released again with fresh noise the risk would grow: “{attack}” would be right "
            "about {success}.",
            attack=Plain(tell.told(most.attack)),
            success=tell.number(most, "success", percent=True),
        )
