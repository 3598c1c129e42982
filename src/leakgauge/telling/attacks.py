"""What attackers found, between what they find without a release and what they find in the raw data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR
from itertools import groupby

from leakgauge.artefacts.audit import Audit, Finding, Shown, strongest
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.case.columns import LETTERS
from leakgauge.languages import message
from leakgauge.tables import Kind
from leakgauge.telling.blocks import Content, Number, unprinted, written
from leakgauge.telling.columns import bins_of_secret, protected_columns
from leakgauge.telling.guarantee import notion_of, parameters_of
from leakgauge.telling.measurement import intervals
from leakgauge.telling.pictures import pictures
from leakgauge.telling.releasing import outcomes, passed
from leakgauge.telling.scores import deciding
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own

_DIVERSITY = ("distinct", "entropy", "closeness", "largest_share", "likeness", "enhanced_likeness", "disclosure")
_CLOSE = 6
"""Digits of a level next to the claimed one."""
_ORDERED = [kind.words for kind in (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)]


def attacks(voice: Voice) -> Iterator[Content]:
    """What the audit found, where there is one."""
    if voice.dossier.audit is not None:
        yield from (*outcome(voice, voice.dossier.audit), *_reported(voice, voice.dossier.audit))


def outcome(voice: Voice, audit: Audit) -> Iterator[Content]:
    """What an audit proves against the guarantee of a release."""
    yield from accusations(voice)
    if voice.foreign is not None:
        yield voice.say("There is no record, so there is no guarantee to test.")
    elif not audit.violations and not voice.external:
        said_good = voice.say(
            "Nothing contradicts the guarantee that the release claims, at a confidence of {confidence}. "
            "That does not prove it.",
            confidence=voice.number(audit, "confidence", percent=True),
        )
        yield Paragraph("good", said_good)


def _reported(voice: Voice, audit: Audit) -> Iterator[Content]:
    """The findings in the fewest lines; the data beside the report have them with everything."""
    yield from _attacks(voice, audit, _ends(audit.attacks), short=True)
    yield from (*unprinted(table(voice, audit.attacks)), *_rows(voice, audit))
    yield from passed(voice, audit.checks)
    yield from unprinted(_checks(voice, audit))


def findings(voice: Voice, audit: Audit, *, short: bool = False) -> Iterator[Content]:
    """What was attacked, what the rows show, how alike the rows are, and the checks of the record.

    Where it is to be short, without what each attack knows and the intervals of its anchors.
    """
    yield from (*_attacks(voice, audit, audit.attacks, short=short), *pictures(voice, "attacks"))
    yield from pictures(deciding(voice), "waterfall")
    yield from (*_rows(voice, audit), *_checks(voice, audit))


def _rows(voice: Voice, audit: Audit) -> Iterator[Content]:
    """What the released rows show, and how alike they are."""
    yield from voice.grid(
        "What the released rows show",
        "Column|Claimed, at most|Shown, at least|Rows of each of two values",
        (_bound(voice, column, shown) for column, shown in audit.columns.items()),
    )
    yield from _anonymity(voice, audit)


def _checks(voice: Voice, audit: Audit) -> Iterator[Content]:
    yield from voice.grid("Integrity checks of the release record", "Check|Result|Why", outcomes(voice, audit.checks))


def accusations(voice: Voice) -> Iterator[Paragraph[Number]]:
    """What an audit found against the release; in doubt where no veto was made of it."""
    audit, verdict = voice.dossier.audit, voice.dossier.verdict
    for violation in () if audit is None else (own(voice.told(one)) for one in audit.violations):
        if verdict is not None and not verdict.vetoes:
            yield voice.alarm(
                "At its confidence, though not beyond doubt, the audit shows that the release does not meet "
                "its guarantee: {violation}.",
                violation=violation,
            )
        else:
            yield voice.alarm(
                "The release does not meet the guarantee that it claims: {violation}.", violation=violation
            )


def attacks_on(voice: Voice) -> tuple[Finding, ...]:
    """The audit's attacks on the secret that is spoken of; all, where none is on it alone."""
    found = () if voice.dossier.audit is None else voice.dossier.audit.attacks
    return tuple(one for one in found if one.target == voice.group) or found


def strongest_attack(voice: Voice) -> Finding | None:
    """The one of them that gained most."""
    found = attacks_on(voice)
    place = strongest(found)
    return None if place is None else found[place]


def _ends(found: Sequence[Finding]) -> list[Finding]:
    """The attacks; of a row of them by one method on one secret, such as of more and more releases, its two ends."""
    rows = (list(some) for _, some in groupby(found, lambda one: (str(one.method), one.target)))
    return [one for row in rows for one in (row if len(row) < 3 or not str(row[0].method) else (row[0], row[-1]))]


def _attacks(voice: Voice, audit: Audit, listed: Sequence[Finding], *, short: bool) -> Iterator[Content]:
    if not audit.attacks:
        return
    yield voice.say(
        "Each attack is compared with unrelated data (should gain nothing) and with the original data (gains "
        "most). “Newly guessed” counts the people, of those tried, who are guessed correctly with the "
        "release but not without it."
    )
    if audit.attacked is not None:
        yield voice.note(
            "The attacks were tried on {some} of the {rows} rows, chosen at random.",
            some=voice.number(audit, "attacked"),
            rows=voice.number(audit, "rows"),
        )
    if _is_guessed_by_tenths(voice):
        yield voice.note(
            "For numbers and dates with more than 32 different values, a guess is correct if it names the "
            "right one of ten groups of about equally many rows."
        )
    yield from table(voice, listed, short=short)
    yield intervals(voice, audit)
    if not all(one.judged for one in audit.attacks):
        yield voice.note(
            "Attacks marked * need further releases or were tried on simulated ones: they show what could "
            "happen, not findings about this release."
        )
    methods: dict[str, list[str]] = {}
    for one in audit.attacks:
        methods.setdefault(voice.told(one.method), []).append(voice.told(one.attack))
    spans = {method: " … ".join(dict.fromkeys((names[0], names[-1]))) for method, names in methods.items() if method}
    said = (voice.say("{attacks}: {method}", attacks=Plain(span), method=Plain(how)) for how, span in spans.items())
    yield Points(numbered=False, items=tuple(said))
    # At low rates of false alarms, which an average hides.
    yield from voice.grid(
        "Members recognised with few false alarms",
        "Attack|Non-members taken for members|Members recognised|Most recognised that the guarantee allows",
        (
            (
                voice.told(one.attack),
                *(voice.cell(rate, share, percent=True) for share in ("false_alarms", "recognised", "ceiling")),
            )
            for one in audit.attacks
            for rate in one.few_false_alarms
        ),
    )


def table(voice: Voice, found: Sequence[Finding], *, short: bool = False) -> Iterator[Content]:
    """Attacks, each between its anchors; where it is to be short, without what each knows and their intervals."""
    several = len(voice.each) > 1 or len({one.target for one in found}) > 1
    yield from voice.grid(
        "Attacks",
        "Attack|Correct without the release|Correct with it|Advantage, in percentage points|Gain from "
        "unrelated data (should be 0)|Gain from the original data|Newly guessed|Most the guarantee allows",
        (_attack(voice, one, several=several, short=short) for one in found),
    )


def _is_guessed_by_tenths(voice: Voice) -> bool:
    if voice.foreign is not None:
        secret = protected_columns(voice)
        return any(one.values > LETTERS for one in voice.foreign.columns if one.name in secret)
    job = voice.dossier.job
    kinds = {} if job is None else {one.name: one.kind for one in job.table.columns}
    return any(
        # Of bins what is guessed is the bin.
        not bins_of_secret(one)
        and one.results.measurement is not None
        and one.results.measurement.letters.get("secret", 0) > LETTERS
        and any(kinds.get(column) in _ORDERED for column in protected_columns(one))
        for one in voice.each
    )


def _attack(voice: Voice, one: Finding, *, several: bool, short: bool) -> Iterator[Cell]:
    name = voice.told(one.attack)
    if several:
        name = voice.language.say("{attack!s} on {target}", attack=name, target=voice.listed(one.target))
    name += "" if one.judged else " *"
    columns = voice.listed(one.knows)
    yield (
        voice.say("{attack}; knows {columns}", attack=Plain(name), columns=columns) if one.knows and not short else name
    )
    # Beside the intervals of what is found those of its anchors matter less.
    end = ("value",) if short else ()
    yield voice.number(one, "baseline", *end, percent=True)
    yield from (voice.number(one, share, percent=True) for share in ("success", "advantage"))
    independent = voice.number(one, "independent", *end, percent=True)
    # Of a sound attack its interval holds 0.
    yield independent if 0 in one.independent else (independent, *voice.say(" – not 0"))
    yield voice.number(one, "raw", *end, percent=True)
    yield voice.cell(one, "exposed", count=True)
    ceiling = voice.cell(one, "ceiling", *(end if one.ceiling is not None else ()), percent=True)
    yield (ceiling, *voice.say(" – exceeded")) if one.beats_claim else ceiling


def _bound(voice: Voice, column: str, shown: Shown | None) -> tuple[Cell, ...]:
    if shown is None:
        few = message("too few rows, or nothing claimed") if voice.foreign is None else message("too few rows")
        return own(column), NOTHING, voice.language.say(few), NOTHING
    level, notion = shown_level(voice, shown), own(notion_of(voice, shown.notion))
    bound = voice.say("{notion} {level} – violated", notion=notion, level=level)
    if not shown.violated:
        bound = voice.say("{notion} {level}", notion=notion, level=level)
    return own(column), claimed_level(voice, shown), bound, voice.number(shown, "samples", count=True)


def claimed_level(voice: Voice, shown: Shown) -> Cell:
    """The level that is tested, and its parameters."""
    if shown.claim is None:
        return NOTHING
    notion, level = own(notion_of(voice, shown.notion)), voice.number(shown.claim)
    beside = parameters_of(voice, shown.claim)
    said = voice.say("{notion} {level}", notion=notion, level=level)
    return (*said, ", ", *beside) if beside else said


def shown_level(voice: Voice, shown: Shown) -> Number:
    """The level that is proved, with more digits where three would not distinguish it from the claim."""
    bound = shown.lower_bound
    level = voice.number(bound, "value", unit=bound.unit, rounding=ROUND_FLOOR)
    claim = voice.maybe(shown, "claim")
    alike = claim is not None and written(claim, voice.language) == written(level, voice.language)
    return replace(level, digits=_CLOSE) if alike and claim and claim.value != level.value else level


def _anonymity(voice: Voice, audit: Audit) -> Iterator[Content]:
    groups = audit.anonymity
    if groups is not None:
        yield voice.say(
            "The published columns ({columns}) form {classes} groups. The smallest has {k} rows or people; "
            "{unique} rows are unique.",
            columns=voice.listed(groups.quasi_identifiers),
            classes=voice.number(groups, "classes"),
            **voice.fields(groups, "k", "unique", count=True),
        )
    if audit.diversity:
        yield from voice.grid(
            "The secrets within the groups of the published columns, worst case",
            "Secret|Distinct l|Entropy l|t-closeness|α of (α, k)|β-likeness|Enhanced β|δ-disclosure",
            ((own(one.secret), *(voice.number(one, name) for name in _DIVERSITY)) for one in audit.diversity),
        )
        yield voice.note(
            "These numbers describe this table and guarantee nothing: they do not hold against someone who "
            "knows more, or sees another release of the same people. They make no claim of differential "
            "privacy."
        )
