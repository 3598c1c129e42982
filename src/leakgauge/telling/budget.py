"""The accounts of a ledger: limits, what was spent, what is left, and what the releases reveal together."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR

from leakgauge.artefacts.ledger import AccountTold, BudgetLeft, BudgetSums, LedgerTold, PeriodTold
from leakgauge.artefacts.record import Budget
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.release.ledger import Account
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.voice import AS_DECLARED, Cell, Plain, Voice, own, yes_or_no


def budget(voice: Voice, account: Account, told: AccountTold) -> Iterator[Content]:
    """An account of a ledger, its sums and every entry; sums spent are rounded up, sums left down."""
    yield account_of(voice, account)
    if told.period is not None:
        yield running(voice, told.period)
    yield from _sums(voice, account, told)
    keys = any(one.noise_key is not None for one in told.entries or ())
    entries: Iterator[tuple[Cell, ...]] = (
        (
            str(one.sequence),
            one.time[:19].replace("T", " "),
            voice.told(one.purpose),
            *(amount(voice, one, name) for name in ("epsilon", "rho")),
            yes_or_no(voice, one.completed is not None),
            *((one.noise_key or "–",) if keys else ()),
        )
        for one in told.entries or ()
    )
    yield from voice.grid("Entries", "Entry|Time (UTC)|Purpose|ε|ρ|Completed|Keeps noise by key", entries)
    if told.unchanged is not None:
        yield voice.say(
            "Of that for a person whose values never changed: ε {epsilon}, ρ {rho}. Releases that keep noise count "
            "once for such a person; all is charged, because values may change every time.",
            **amounts(voice, told.unchanged),
        )
        yield voice.note(
            "A released value of a person that differs between such releases shows that a value changed: both sums "
            "hold given when it did."
        )
    keeping = any(one.unchanged is not None for one in told.told)
    yield from voice.grid(
        "What the releases reveal about each column",
        "Column|Releases|Bits revealed at most|Of|Not counted|Revealed if a value never changed",
        (
            (
                own(one.column),
                voice.number(one, "releases"),
                *(voice.cell(one, name) for name in ("bits", "entropy")),
                voice.number(one, "uncounted") if one.uncounted else "",
                *((voice.cell(one, "unchanged"),) if keeping else ()),
            )
            for one in told.told
        ),
    )
    if told.told:
        if any(one.uncounted for one in told.told):
            yield voice.say("Releases not counted in bits, such as noisy numbers, still add their ε.")
        if told.without_bits:
            yield voice.say(
                "Entries without bits (queries, or releases of earlier versions): {count}.",
                count=voice.number(told, "without_bits"),
            )
        yield voice.alarm("Bits follow from the exact counts of the table: keep the ledger private.")


def opened(voice: Voice, account: Account, told: AccountTold) -> Iterator[Content]:
    """The limit of an account and whom it protects, and where it renews in which periods."""
    yield account_of(voice, account)
    if told.period is not None:
        yield running(voice, told.period)
        yield does_not_bound(voice)


def account_of(voice: Voice, account: Account) -> Inline:
    """The limit of an account, and whom it protects."""
    return voice.say(
        "{dataset}: limit {limit}, protects {unit}, neighbours: {neighbours}",
        dataset=own(account.dataset),
        limit=account.limit_words,
        unit=account.unit,
        neighbours=account.neighbours.words,
    )


def running(voice: Voice, period: PeriodTold) -> Inline:
    """The period that runs, and when the limit renews."""
    return voice.say(
        "period: {first} to {last} (UTC); the limit renews on {renews}; renewed so far: {count}",
        first=Plain(period.first),
        last=Plain((date.fromisoformat(period.renews) - timedelta(days=1)).isoformat()),
        renews=Plain(period.renews),
        count=voice.number(period, "renewed", count=True),
    )


def does_not_bound(voice: Voice) -> Paragraph[Number]:
    """What a limit that renews does not promise."""
    return voice.alarm(
        "A limit that renews does not bound what is spent over all time: people who stay in the data face the sum of "
        "all periods."
    )


def unchanged(voice: Voice, told: LedgerTold) -> Inline:
    """That every entry of a ledger is as it was written."""
    return voice.say("{count:d} entries are unchanged; head {head!s}", count=told.entries, head=told.head)


def _sums(voice: Voice, account: Account, told: AccountTold) -> Iterator[Content]:
    if told.spent is None or told.left is None:
        return
    delta = voice.number(account.delta, digits=AS_DECLARED)
    renews = told.period is not None
    template = (
        message("spent in this period: ε {epsilon}, ρ {rho}") if renews else message("used: ε {epsilon}, ρ {rho}")
    )
    if account.delta > 0:
        template = message("spent: ε {epsilon}, ρ {rho}; together ε {together} at δ {delta}")
        if renews:
            template = message("spent in this period: ε {epsilon}, ρ {rho}; together ε {together} at δ {delta}")
    together = amount(voice, told.spent, "epsilon_at_delta")
    yield voice.say(template, **amounts(voice, told.spent), together=together, delta=delta)
    if told.left.epsilon is not None or told.left.rho is not None:
        template = message("left in this period: {amounts}") if renews else message("left: {amounts}")
        yield voice.say(template, amounts=left(voice, told.left))
    if told.period is not None:
        yield from _all_periods(voice, account, told.period)
    fixed = told.composition
    if fixed is not None:
        template = message("if the sequence had been fixed in advance: ε {epsilon} ({method})")
        if fixed.delta:
            template = message("if the sequence had been fixed in advance: ε {epsilon} at δ {delta} ({method})")
        yield voice.say(
            template,
            epsilon=amount(voice, fixed, "epsilon"),
            delta=voice.number(fixed, "delta", digits=AS_DECLARED),
            method=fixed.method,
        )


def _all_periods(voice: Voice, account: Account, period: PeriodTold) -> Iterator[Content]:
    allowed = account.limit_over(period.renewed + 1)
    template = message("spent in all periods together: ε {epsilon}, ρ {rho}; their limits allow {limit}")
    if allowed is None:
        template = message("spent in all periods together: ε {epsilon}, ρ {rho}; their limits together promise nothing")
    limit = None if allowed is None else allowed.sentence
    yield voice.say(template, **amounts(voice, period.spent), limit=limit)
    yield does_not_bound(voice)


def amount(voice: Voice, part: object, name: str) -> Number:
    """An amount that is spent: however large it is, it is shown as a number."""
    return voice.number(part, name, "value", rounding=ROUND_CEILING)


def amounts(voice: Voice, sums: BudgetSums) -> dict[str, Number]:
    """What is spent, by the fields of a sentence."""
    return {name: amount(voice, sums, name) for name in ("epsilon", "rho")}


def left(voice: Voice, budget: BudgetLeft) -> Inline:
    """What may still be spent of a budget that is limited."""
    parts = {"ε": budget.epsilon, "ρ": budget.rho}
    shown = [
        (f"{name} ", voice.number(quantity, "value", rounding=ROUND_FLOOR))
        for name, quantity in parts.items()
        if quantity is not None
    ]
    return voice.say("{one} or {other}", one=shown[0], other=shown[1]) if len(shown) > 1 else shown[0]


def spent(voice: Voice, paid: Budget) -> Inline:
    """The budget that a release used, and where it is counted."""
    epsilon = voice.number(paid, "epsilon")
    if paid.ledger is None:
        return voice.say("Used: ε {epsilon} together; not entered in a ledger.", epsilon=epsilon)
    return voice.say(
        "Used: ε {epsilon} together; entry {entry} of {dataset}.",
        epsilon=epsilon,
        entry=Plain(str(paid.ledger.entry)),
        dataset=own(paid.ledger.dataset),
    )
