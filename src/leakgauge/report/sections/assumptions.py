"""What must hold for the guarantee to hold."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.codec import sentence_of
from leakgauge.languages import Language
from leakgauge.probability import PriorOrigin
from leakgauge.report.document import Edition, Inline, Paragraph, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "assumptions"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The assumptions of the record, numbered; None without a release."""
    tell = Teller(facts, language, edition)
    said = [*map(tell.stored, facts.items("release.json", "assumptions")), *_of_histograms(tell)]
    if not said:
        return None
    start = Paragraph(tell.say("The guarantee holds where all of these do."))
    return Section(KEY, title_of(KEY, language), (start, Points(tuple(said), numbered=True)))


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
