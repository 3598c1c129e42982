"""What must hold, what the report does not say, what an edition leaves out, and the risk that is left."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.codec import sentence_of
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.probability import PriorOrigin
from leakgauge.report.document import Content, Inline, Paragraph, Points
from leakgauge.report.sections.headline import strongest_attack
from leakgauge.report.sections.teller import Own, Plain, Teller
from leakgauge.report.sections.usefulness import never_released


def assumptions(tell: Teller) -> Iterator[Content]:
    """What must hold for the guarantee of a release to hold, numbered."""
    points = (*map(tell.stored, tell.facts.items("release.json", "assumptions")), *_of_histograms(tell))
    if points:
        yield tell.say("The guarantee holds where all of these do.")
        yield Points(points, numbered=True)


def _of_histograms(tell: Teller) -> Iterator[Inline]:
    """What a noisy histogram does not protect, where the record does not say it itself."""
    planned = tell.facts.get("release.json", "plan", "columns") or {}
    bought = [name for name, one in planned.items() if one.get("channel_prior") == PriorOrigin.NOISY_HISTOGRAM.value]
    stored = " ".join(str(sentence_of(one)) for one in tell.facts.items("release.json", "assumptions"))
    if bought and PriorOrigin.NOISY_HISTOGRAM.value not in stored:
        yield tell.say(
            "The channels of {columns} were designed from a noisy histogram; which values occur is not protected.",
            columns=tell.listed(bought),
        )


def limitations(tell: Teller) -> Iterator[Content]:
    """What the report does not say."""
    yield Points(tuple(_limitations(tell)))


def _limitations(tell: Teller) -> Iterator[Inline]:
    facts = tell.facts
    background = facts.names("measurement.json", "background")
    if background:
        yield tell.say(
            "The attacker is taken to know {background} of everybody and nothing else; who knows more learns more than "
            "this report says.",
            background=tell.listed(background),
        )
    else:
        yield tell.say(
            "No background knowledge was declared; who knows something of a person learns more than this report says."
        )
    if tell.from_this_table:
        yield tell.say(
            "The channel was designed from this table's own counts: its ε holds for the fixed channel only, and which "
            "channel was chosen is protected by nothing."
        )
    if tell.keeps_guarantee_inside:
        yield tell.say(
            "The settings of the mechanism may follow from private counts: a bound on ε holds for the fixed mechanism "
            "only, and nothing protects what the choice of the mechanism tells."
        )
    if facts.get("measurement.json", "reliable") is False:
        yield tell.say(
            "The table is small for so many combinations of values: the leakage before is uncertain beyond its "
            "interval."
        )
    if facts.get("leakage.json", "reliable") is False:
        yield tell.say(
            "The table is small for so many combinations of values: the leakage after is uncertain beyond its interval."
        )
    if facts.items("audit.json", "attacks"):
        yield _of_attacks(tell)
    yield from _of_the_grade(tell)
    if facts.names("release.json", "plan", "public"):
        yield tell.say("Public columns are protected by nothing here.")
        if not tell.external:
            yield from _not_counted(tell)
    yield from never_released(tell)
    if tell.released and not facts.has("release.json", "budget", "ledger"):
        yield tell.say(
            "No ledger counted this release: whether others of the same people were made, and what they add up to, is "
            "not known here."
        )
    if not tell.external and tell.released and facts.get("release.json", "keep_inside"):
        yield tell.say(
            "Keep the record and the channel inside: the exact counts of the table can be computed from them. "
            "release.public.json is the record that may be handed out."
        )
    if not tell.external and tell.released:
        yield tell.say("This edition was made from the private table and holds numbers of it; keep it inside.")


def _of_attacks(tell: Teller) -> Inline:
    if tell.promises_nothing:
        return tell.say(
            "Attacks show what these attackers find, not what the best imaginable one would; no guarantee bounds what "
            "others may find."
        )
    return tell.say(
        "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds what can "
        "be inferred of the secret's value in one row."
    )


def _not_counted(tell: Teller) -> Iterator[Inline]:
    """Public columns that the attacker was not declared to know."""
    background = tell.facts.names("measurement.json", "background")
    public = [one for one in tell.facts.names("release.json", "plan", "public") if one not in background]
    if public:
        yield tell.say(
            "Public columns are not counted in the bits: what {columns} tell of the secret comes on top of the "
            "leakage.",
            columns=tell.listed(public),
        )


def _of_the_grade(tell: Teller) -> Iterator[Inline]:
    missing = tell.facts.names("assessment.json", "missing")
    if missing:
        names = [
            tell.named(one) for one in tell.facts.items("assessment.json", "leaves") if str(one["leaf"]) in missing
        ]
        joined = tell.language.say(", ").join(names)
        yield tell.say(
            "Nothing is known of some indicators, whose weight the others share: {names}.", names=Plain(joined)
        )
    if tell.facts.has("assessment.json", "graded"):
        yield tell.stored(tell.facts.get("assessment.json", "graded"))


def left_out(tell: Teller) -> Iterator[Content]:
    """What the external edition leaves out, and why."""
    if not tell.external:
        return
    yield tell.say(
        "This edition may be shown to everybody. It prints what is public, what was declared and what a budget "
        "accounts for, and no number that follows from the counts of the table: a few such numbers, however "
        "coarse, can be solved together for the count of a rare value."
    )
    yield Points(tuple(_left_out(tell)))
    if tell.released:
        yield Paragraph(
            tell.say(
                "How the release was judged is not said here: the silence of this edition does not mean that nothing "
                "speaks against the release."
            ),
            "note",
        )


def _left_out(tell: Teller) -> Iterator[Inline]:
    yield tell.say("Counts of rows below a limit are masked, because few rows may be few people.")
    yield tell.say(
        "What was measured: the leakage in bits, what attacks found, how useful each column still is, the scores and "
        "the grade, what a policy says of them, the curve of least leakage, and every picture."
    )
    if tell.keeps_guarantee_inside:
        yield tell.say(
            "The mechanism, its assumptions and its exact levels: they follow from private counts, or may. Declared "
            "settings, a bound on ε that was asked for, and a design from a noisy histogram can be printed here."
        )
    yield tell.say("Which values a column has, and which of them reach a guarantee.")
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
        yield Points(risks)
    review = tell.facts.get("job.json", "asked", "review")
    yield (
        tell.say("To be reviewed by {date}.", date=Own(str(review)))
        if review
        else tell.say(
            "No review date was set. Review it before the next release of the same people, and whenever what attackers "
            "may know changes."
        )
    )


def _risks(tell: Teller) -> Iterator[Inline]:
    facts = tell.facts
    if not tell.released:
        spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
        yield (
            tell.say("Nothing was released, so nothing was risked.")
            if spent is None
            else tell.say(
                "Nothing was released, but the noisy histogram of the design was bought: ε = {spent} of the budget is "
                "spent.",
                spent=spent,
            )
        )
        return
    at = strongest_attack(facts)
    if at is not None:
        yield _strongest(tell, at)
    hidden = tell.maybe("leakage.json", "conditional_entropy_with_background")
    if hidden is not None:
        yield tell.say("On average {hidden} of the secret stay hidden from such a person.", hidden=hidden)
    yield from _repeated(tell)
    public = facts.names("release.json", "plan", "public")
    if public:
        yield tell.say(
            "Public columns ({columns}) can be linked with other data of the same people; nothing here prevents it.",
            columns=tell.listed(public),
        )


def _strongest(tell: Teller, at: int) -> Inline:
    """What the strongest attack does to its targets, and to how many only because of the release."""
    facts = tell.facts
    attack = facts.get("audit.json", "attacks", at, "attack")
    known = attack_of(sentence_of(attack))
    aim = Aim.SECRET if known is None else known.aim
    fields = {
        "attack": Plain(tell.told(attack)),
        "success": facts.number("audit.json", "attacks", at, "success", percent=True),
        "exposed": facts.number("audit.json", "attacks", at, "exposed", count=True),
    }
    if aim is Aim.ROW:
        return tell.say(
            "Someone with the declared background who runs “{attack}” finds the rows of {success} of the targets, and "
            "{exposed} of them only because of this release.",
            **fields,
        )
    if aim is Aim.MEMBERSHIP:
        return tell.say(
            "Someone who runs “{attack}” rightly tells of {success} of the targets whether they are in the table, and "
            "of {exposed} only because of this release.",
            **fields,
        )
    return tell.say(
        "Someone with the declared background who runs “{attack}” guesses the secret of {success} of the targets, and "
        "of {exposed} only because of this release.",
        **fields,
    )


def _repeated(tell: Teller) -> Iterator[Inline]:
    attacks = tell.facts.items("audit.json", "attacks")
    known = [attack_of(sentence_of(one["attack"])) for one in attacks]
    places = [at for at, attack in enumerate(known) if attack is not None and attack.repeated]
    if places:
        most = places[-1]
        yield tell.say(
            "If the same values were released again with fresh noise the risk would grow: “{attack}” would be right "
            "about {success}.",
            attack=Plain(tell.told(attacks[most]["attack"])),
            success=tell.facts.number("audit.json", "attacks", most, "success", percent=True),
        )
