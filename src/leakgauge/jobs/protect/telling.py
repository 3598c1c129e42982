"""Public columns that reveal a secret: how much, how little they could, and the channels that achieve it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from leakgauge.artefacts import Quantity, Sentence
from leakgauge.artefacts.survey import Telling, TellingColumn
from leakgauge.design import Keep, Knowledge, MaxDistortion, Solution, solve
from leakgauge.distances import Hamming
from leakgauge.errors import OptionError, UnprovedError
from leakgauge.jobs.design import Question
from leakgauge.jobs.protect.sources import Sources
from leakgauge.measures.clusters import estimate_by_units
from leakgauge.measures.shannon import background_floor, mutual_information
from leakgauge.probability import Joint, Scenario
from leakgauge.probability.labels import text_of

ONE_IN_TEN = 0.1
"""The default share of values that is changed."""
SHOWN_GAP = 1e-4
"""In nats: finer than a table shows."""
MOST_SHOWN = 50
"""The most values of a column whose least leakage is shown; this many take some tenths of a second."""
MOST_DESIGNED = 100
"""The most values of a column released through a channel: with more it would take minutes."""
WORK = 1 << 16
"""The most work on all shown channels, in values² × values of the secret: some seconds."""


def telling(sources: Sources) -> Telling | None:
    """What every public column reveals about every secret, and the least it could reveal; None without public columns.

    For a column seen through a channel (``sources.through``), what it then reveals instead.
    """
    roles = sources.asked.roles
    if not roles.public:
        return None
    found = [_told(sources, column, secret) for column in roles.public for secret in roles.sources]
    found.sort(key=lambda one: -(0.0 if one.tells is None else one.tells.value))
    return Telling(_kept_alone(sources).value, tuple(_with_least(sources, found)))


def _told(sources: Sources, column: str, secret: tuple[str, ...]) -> TellingColumn:
    roles, confidence = sources.asked.roles, sources.asked.declared.confidence
    share, through = (roles.public_distortion or {}).get(column, ONE_IN_TEN), column in roles.public_through
    if not sources.case.is_countable(secret, (column,)):
        return TellingColumn(column, secret, share, through)
    units = () if roles.unit is None else (roles.unit,)
    counts = sources.table.counts(*secret, column, *units, limit=max(sources.table.rows, 1))
    bits = estimate_by_units(mutual_information, counts, secret, [column], unit=roles.unit, confidence=confidence)
    return TellingColumn(column, secret, share, through, Quantity.estimated(bits, "bits"))


def _with_least(sources: Sources, found: list[TellingColumn]) -> Iterator[TellingColumn]:
    """The same with the least that each could reveal, the most revealing first, while the work stays small."""
    names = dict.fromkeys((one.column,) for one in found) | dict.fromkeys(one.secret for one in found)
    values = {one.columns: one.groups for one in sources.table.group_sizes(list(names))}
    left = WORK
    for one in found:
        if one.through and one.tells is not None:
            yield _released(sources, one)
            continue
        count, letters = values[one.column,], values[one.secret]
        reason, work = _why_left_out(one, count, letters), count**2 * letters
        if reason is None and work > left:
            reason = Sentence("not computed, to save time")
        if reason is not None:
            yield replace(one, left_out=reason)
        else:
            left -= work
            yield _least(sources, one)


def _why_left_out(one: TellingColumn, count: int, letters: int) -> Sentence | None:
    """Why no channel is shown for a column and a secret with this many values; None where one is."""
    if one.tells is None:
        return Sentence("too many values for so few rows")
    if min(count, letters) < 2:
        return Sentence("all values are alike")
    if one.tells.ends[0] <= 0:
        return Sentence("no more than chance")
    if count > MOST_SHOWN:
        return Sentence("has {count:d} values; merge them with --bins or --levels", count=count)
    return None


def _released(sources: Sources, one: TellingColumn) -> TellingColumn:
    """With what the column reveals as released: its channel was designed for all secrets, given all else seen."""
    counts, channel = sources.table.counts(*one.secret, one.column), sources.through[one.column]
    joint = counts.joint(one.secret, (one.column,))
    # Matched by their texts, as in the channel of an earlier job.
    places = {text_of(label): row for row, label in enumerate(channel.inputs)}
    seen = joint.matrix @ channel.matrix[[places[text_of(label)] for label in joint.columns]]
    told = background_floor(Scenario(Joint(joint.rows, channel.outputs, seen)))
    return replace(one, least=Quantity(told, "bits"))


def _least(sources: Sources, one: TellingColumn) -> TellingColumn:
    question = Question(one.secret, (), Hamming(), Knowledge.NOBODY, through=one.column, keep=_kept_alone(sources))
    try:
        best = solve(question.problem(sources.table, MaxDistortion(one.distortion)), SHOWN_GAP)
    except UnprovedError:
        # The table is optional: what cannot be proven is left out, and the release is made all the same.
        return replace(one, left_out=Sentence("not computed: no proof was found"))
    return replace(one, least=Quantity(best.leakage, "bits", max(best.leakage - best.gap, 0.0), best.leakage))


def require_channels(sources: Sources) -> None:
    """Refuse at the start public columns for which no channel can be designed.

    Raises:
        OptionError: a column with a single value, with more than a channel can be designed for, or with too few rows.
    """
    for column in sources.asked.roles.public_through:
        (size,) = sources.table.group_sizes([(column,)])
        if size.groups < 2:
            raise OptionError(
                "Column {column!r} has a single value, which reveals nothing about anybody; release it unchanged with "
                "--public {column!s}.",
                column=column,
            )
        if size.groups > MOST_DESIGNED:
            raise OptionError(
                "Column {column!r} has {found} values, more than the {most} for which a channel that reveals less can "
                "be designed; merge them with --bins or --levels, or release the column unchanged.",
                column=column,
                found=size.groups,
                most=MOST_DESIGNED,
            )
        _hidden_secrets(sources, column)


def _hidden_secrets(sources: Sources, column: str) -> tuple[str, ...]:
    """The secrets that a column is to reveal least about: all at once if counts suffice, else the one it reveals most.

    Raises:
        OptionError: there are too few rows for any.
    """
    secrets = sources.asked.roles.secrets
    if sources.case.is_countable(secrets, (column,)):
        return secrets
    fitting = [name for name in secrets if sources.case.is_countable((name,), (column,))]
    if not fitting:
        raise OptionError(
            "Column {column!r} and the secrets have too many values for so few rows to estimate what it reveals; "
            "merge them with --bins or --levels, or release the column unchanged.",
            column=column,
        )
    return (max(fitting, key=lambda name: sources.case.revealed((name,), column)),)


def least_telling(sources: Sources, column: str) -> tuple[Question, Solution]:
    """The channel through which a public column reveals least about the secrets, and the question it answers.

    The attacker also sees the background and the columns released unchanged. Other columns that go through channels are
    left out: each reveals less than it would unchanged.
    """
    secret, roles = _hidden_secrets(sources, column), sources.asked.roles
    assert roles.public_distortion is not None
    known = sources.known((*secret, column), (*roles.background, *roles.public_as_is))
    who = Knowledge.ATTACKER if known else Knowledge.NOBODY
    question = Question(secret, known, Hamming(), who, through=column, keep=_kept_alone(sources))
    target = MaxDistortion(roles.public_distortion[column])
    return question, solve(question.problem(sources.table, target), question.gap)


def _kept_alone(sources: Sources) -> Keep:
    """What the channel of a public column keeps: associations are kept only with columns released unchanged."""
    return Keep.NOTHING if sources.asked.limits.kept == Keep.NOTHING.value else Keep.SHARES
