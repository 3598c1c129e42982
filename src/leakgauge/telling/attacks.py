"""What attackers found, between what they find without a release and what they find in the raw data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_FLOOR

from leakgauge.artefacts.audit import Audit, Finding, strongest
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.case.columns import LETTERS
from leakgauge.languages import message
from leakgauge.tables import Kind
from leakgauge.telling.blocks import Content
from leakgauge.telling.columns import bins_of_secret, protected_columns
from leakgauge.telling.guarantee import notion_of
from leakgauge.telling.numbers import Number
from leakgauge.telling.pictures import pictures
from leakgauge.telling.verification import outcomes
from leakgauge.telling.voice import Cell, Plain, Voice, own

_DIVERSITY = ("distinct", "entropy", "closeness", "largest_share", "likeness", "enhanced_likeness", "disclosure")
_ORDERED = [kind.words for kind in (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)]


def attacks(voice: Voice) -> Iterator[Content]:
    """What the audit found, where there is one."""
    audit = voice.dossier.audit
    if audit is None:
        return
    yield from accusations(voice)
    if voice.foreign is not None:
        yield voice.say("There is no record, so there is no guarantee to test.")
    elif not audit.violations and not voice.external:
        said_good = voice.say(
            "Nothing contradicts the guarantee that the release claims, at a confidence of {confidence}.",
            confidence=voice.number(audit, "confidence", percent=True),
        )
        yield Paragraph("good", said_good)
    yield from (*_attacks(voice, audit), *pictures(voice, "attacks"), *_bounds(voice, audit))
    yield from (*_anonymity(voice, audit), *_checks(voice, audit))


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


def _attacks(voice: Voice, audit: Audit) -> Iterator[Content]:
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
    yield from table(voice, audit.attacks)
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
        "Others taken for members|Members recognised|Most recognised that the guarantee allows",
        (
            [voice.cell(rate, share, percent=True) for share in ("false_alarms", "recognised", "ceiling")]
            for one in audit.attacks
            for rate in one.few_false_alarms
        ),
    )


def table(voice: Voice, found: Iterable[Finding]) -> Iterator[Content]:
    """Attacks, each between its anchors."""
    yield from voice.grid(
        "Attacks",
        "Attack|Correct without the release|Correct with it|Advantage, in percentage points|Gain from "
        "unrelated data (should be 0)|Gain from the original data|Newly guessed|Most the guarantee allows",
        (_attack(voice, one) for one in found),
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


def _attack(voice: Voice, one: Finding) -> Iterator[Cell]:
    name = voice.told(one.attack)
    if len(voice.each) > 1:
        name = voice.language.say("{attack!s} on {target}", attack=name, target=voice.listed(one.target))
    name += "" if one.judged else " *"
    columns = voice.listed(one.knows)
    yield voice.say("{attack}; knows {columns}", attack=Plain(name), columns=columns) if one.knows else name
    for share in ("baseline", "success", "advantage", "independent", "raw"):
        yield voice.cell(one, share, percent=True)
    yield voice.cell(one, "exposed", count=True)
    ceiling = voice.cell(one, "ceiling", percent=True)
    yield (ceiling, *voice.say(" – exceeded")) if one.beats_claim else ceiling


def _bounds(voice: Voice, audit: Audit) -> Iterator[Content]:
    for column, shown in audit.columns.items():
        if shown is None:
            yield voice.say("The rows of {column} are too few to test ε.", column=own(column))
            continue
        claim, bound = voice.maybe(shown, "claim"), shown.lower_bound
        yield voice.say(
            message("Tests on the released rows of {column} prove a {notion} of at least {shown}.")
            if claim is None
            else message(
                "Tests on the released rows of {column} prove a {notion} of at least {shown}; {claim} is claimed."
            ),
            column=own(column),
            shown=voice.number(bound, "value", unit=bound.unit, rounding=ROUND_FLOOR),
            notion=own(notion_of(voice, shown.notion)),
            claim=claim,
        )


def _anonymity(voice: Voice, audit: Audit) -> Iterator[Content]:
    groups = audit.anonymity
    if groups is not None:
        yield voice.say(
            "The published columns ({columns}) form {classes} groups. The smallest has {k} rows or people; "
            "{unique} rows are unique.",
            columns=voice.listed(groups.quasi_identifiers),
            classes=voice.number(groups, "classes"),
            k=voice.number(groups, "k", count=True),
            unique=voice.number(groups, "unique", count=True),
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


def _checks(voice: Voice, audit: Audit) -> Iterator[Content]:
    yield from voice.grid("Integrity checks of the release record", "Check|Result|Why", outcomes(voice, audit.checks))
