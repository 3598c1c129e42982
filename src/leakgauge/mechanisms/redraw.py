"""Keep or redraw: a value stays with some probability, and is otherwise drawn from public shares."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.finite import MOST_LETTERS, UNITS, ChannelLaw, FiniteMechanism
from leakgauge.mechanisms.mechanism import Parameter
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.labels import alphabet


def keep_or_redraw(
    epsilon: float, *, letters: Iterable[Label], shares: Iterable[float] | None = None
) -> FiniteMechanism:
    """A value is released unchanged with probability a, else one drawn from shares s: q(y|x) = a [x = y] + (1 − a)
    s(y).

    Its local ε is ln(1 + a / ((1 − a) min s)), so that a = m / (1 + m) with m = (e^ε − 1) min s. If the shares are
    those of the table, the release has every value as often as the table; the plan and the record then reveal them.

    Args:
        epsilon: the budget in nats.
        letters: all values the column may have; None is the letter of missing values.
        shares: how often each letter is drawn, in their order; by default alike, which is randomized response.

    Raises:
        LabelError: a letter repeats.
        ModelError: shares that do not sum to 1.
        OptionError: an ε that is not above 0, fewer than 2 letters or too many, shares that do not fit, or an ε that
            is too small for multiples of 2^-53.

    Example:
        >>> again = keep_or_redraw(1.0, letters=["yes", "no"], shares=[0.25, 0.75])
        >>> again.channel().matrix.round(4).tolist(), str(again.claims[0])
        ([[0.4754, 0.5246], [0.1749, 0.8251]], 'local-dp:1')
    """
    require_budget(epsilon)
    known = alphabet(letters, "letters")
    if not 2 <= len(known) <= MOST_LETTERS:
        raise OptionError(
            "{count} letters are given; keep-or-redraw takes 2 to {most}.", count=len(known), most=MOST_LETTERS
        )
    drawn = tuple(float(share) for share in shares) if shares is not None else (1 / len(known),) * len(known)
    if len(drawn) != len(known) or min(drawn) <= 0:
        raise OptionError(
            "{count} shares are given for {letters} letters; give one above 0 for each.",
            count=len(drawn),
            letters=len(known),
        )
    Distribution(known, np.array(drawn))
    redrawn = _units(epsilon, drawn)
    kept = UNITS - sum(redrawn)
    if kept < 1:
        raise OptionError(
            "An ε of {epsilon} leaves nothing to keep in multiples of 2^-53; give a larger one, or rare letters more.",
            epsilon=epsilon,
        )
    matrix = np.tile(np.array(redrawn, dtype=np.float64) / UNITS, (len(known), 1))
    np.fill_diagonal(matrix, [(kept + units) / UNITS for units in redrawn])
    parameters: dict[str, Parameter] = {"epsilon": epsilon, "letters": known}
    if shares is not None:
        parameters["shares"] = drawn
    return FiniteMechanism("keep-or-redraw", parameters, (LocalDP(epsilon),), ChannelLaw(Channel(known, known, matrix)))


def _units(epsilon: float, shares: tuple[float, ...]) -> list[int]:
    """(1 − a) s(y) in units of 2^-53, rounded up: less is kept, and every ratio 1 + a / ((1 − a) s) is smaller."""
    exact = Context(prec=60)
    parts = [Decimal(share) for share in shares]
    total = sum(parts)
    # Beyond e^64 the rarest letter is one unit all the same.
    odds = exact.multiply(exact.exp(Decimal(min(epsilon, 64.0))) - 1, exact.divide(min(parts), total))
    whole = exact.divide(Decimal(UNITS), exact.multiply(total, 1 + odds))
    return [int(exact.multiply(whole, part).to_integral_value(rounding=ROUND_CEILING)) for part in parts]
