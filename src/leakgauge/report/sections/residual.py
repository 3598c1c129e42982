"""What risk is left, and when to look again."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.codec import sentence_of
from leakgauge.audit import Aim, attack_of
from leakgauge.languages import Language
from leakgauge.report.document import Edition, Inline, Paragraph, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.headline import strongest_attack
from leakgauge.report.sections.telling import Own, Plain, Teller
from leakgauge.report.sections.titles import title_of

KEY = "residual"


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """The residual risk and the review date."""
    tell = Teller(facts, language, edition)
    points = tuple(_risks(tell))
    review = facts.get("job.json", "asked", "review")
    when = (
        tell.say("To be reviewed by {date}.", date=Own(str(review)))
        if review
        else tell.say(
            "No review date was set. Review it before the next release of the same people, and whenever what attackers "
            "may know changes."
        )
    )
    blocks = (Points(points), Paragraph(when)) if points else (Paragraph(when),)
    return Section(KEY, title_of(KEY, language), blocks)


def _risks(tell: Teller) -> Iterator[Inline]:
    facts = tell.facts
    if not tell.released:
        yield from _without_release(tell)
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


def _without_release(tell: Teller) -> Iterator[Inline]:
    spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
    if spent is None:
        yield tell.say("Nothing was released, so nothing was risked.")
        return
    yield tell.say(
        "Nothing was released, but the noisy histogram of the design was bought: ε = {spent} of the budget is spent.",
        spent=spent,
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
    places = [at for at, one in enumerate(known) if one is not None and one.repeated]
    if places:
        most = places[-1]
        yield tell.say(
            "If the same values were released again with fresh noise the risk would grow: “{attack}” would be right "
            "about {success}.",
            attack=Plain(tell.told(attacks[most]["attack"])),
            success=tell.facts.number("audit.json", "attacks", most, "success", percent=True),
        )
