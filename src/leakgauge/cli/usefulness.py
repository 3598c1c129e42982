"""What ``leakgauge protect`` says about the worth of a protected table to its readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Parts, number
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin

if TYPE_CHECKING:
    from leakgauge.artefacts import Design, Quantity, Utility
    from leakgauge.jobs.protect import Done

ROUNDED = 1e-9
"""The share of the error asked for that rounding may add."""
_CERTAIN = message(
    "For {share:.1%} of the rows {secret!s} is certain to be released unchanged: all rows with the same {kept!s} have "
    "the same value."
)
_TAKEN_FOR_BOUND = message(
    "{share:.2g}% of the values of {column!s} lie outside {lower!s} to {upper!s}, and count as the nearest bound."
)
_OUTSIDE = message(
    "About {share:.2g}% of the released values of {column!s} lie outside {lower!s} to {upper!s}; --clamp moves them "
    "to the bounds."
)
_BROUGHT_BACK = message(
    "About {share:.2g}% of the released values of {column!s} were moved to the bounds {lower!s} and {upper!s}."
)


def said_of_use(done: Done) -> Parts:
    """What readers of the protected columns should know, column by column."""
    from leakgauge.artefacts.dossier import DESIGN, UTILITY

    parts: Parts = []
    for group in done.job.request.roles.groups:
        worth = done.kept.found(UTILITY, group)
        design = done.kept.found(DESIGN, group)
        if design is not None:
            parts += [*_kept(design, listed(group)), *_associated(done, design, group)]
        if worth is not None:
            # The file of every secret covers the public columns too; once is enough.
            parts += [*(one for one in _dropped(worth) if one not in parts), *_numbers(worth)]
    return parts


def _kept(design: Design, column: str) -> Iterator[str]:
    """The price of keeping the shares; the shares of a noisy histogram are not the table's."""
    if design.keep == "shares" and design.price_of_keeping is not None and design.prior is PriorOrigin.THIS_TABLE:
        yield say(
            "· Every value of {column!s} is released as often as it occurs; that costs {bits} bits more than the least "
            "leaking channel.",
            column=column,
            bits=number(design.price_of_keeping.value),
        )


def _associated(done: Done, design: Design, secret: tuple[str, ...]) -> Iterator[str | Text]:
    """Which cross-tables are right on average, because they were kept, and which are not."""
    from leakgauge.artefacts.dossier import RECORD

    if design.keep != "associations":
        return
    columns = done.kept.result(RECORD).plan.columns.values()
    given = next(one.given for one in columns if one.writes == secret)
    names: dict[str, object] = {"secret": listed(secret), "kept": listed(given)}
    yield say("· Cross-tables of {secret!s} with {kept!s} are right on average; ε is conditional on {kept!s}.", **names)
    if design.price_of_keeping is not None:
        yield say(
            "· Keeping them costs {bits} bits more than the least leaking channel.",
            bits=number(design.price_of_keeping.value),
        )
    others = listed(name for name in done.job.request.roles.public if name not in given)
    if others:
        yield say("· Cross-tables of {secret!s} with {others!s} are not kept.", others=others, **names)
    if design.certain is not None and design.certain.value > 0:
        yield Text(say(_CERTAIN, share=design.certain.value, **names), "yellow")


def _dropped(worth: Utility) -> Iterator[Text]:
    """The rows whose value is never released, for which no reader can correct."""
    for column, one in worth.columns.items():
        if one.dropped is not None and one.dropped.value > 0:
            fields: dict[str, object] = {"column": column, "share": one.dropped.value}
            yield Text(
                say(
                    "{share:.1%} of the rows have a value of {column!s} that is never, or hardly ever, released.",
                    **fields,
                ),
                "yellow",
            )


def _numbers(worth: Utility) -> Parts:
    """How far released numbers are from the true ones, and how many lie outside their bounds."""
    parts: Parts = []
    for column, one in worth.numbers.items():
        fields: dict[str, object] = {"column": column, "error": _amount(one.measured)}
        if one.promised is not None:
            fields["most"] = _amount(one.promised)
            parts.append(
                say("· {column!s} is off by {error!s} on average; its mechanism allows at most {most!s}.", **fields)
            )
            if one.allowed is not None and one.promised.value > one.allowed.value * (1 + ROUNDED):
                # A repeated mechanism was designed for another table.
                asked = _declared(one.allowed)
                parts.append(
                    Text(
                        say(
                            "The error of {column!s} may be larger than the {asked!s} required.",
                            column=column,
                            asked=asked,
                        ),
                        "yellow",
                    )
                )
        else:
            parts.append(say("· {column!s} is off by {error!s} on average.", **fields))
        if one.lower is None or one.upper is None:
            continue
        bounds: dict[str, object] = {"column": column, "lower": _declared(one.lower), "upper": _declared(one.upper)}
        before, after = (100 * share.value if share else 0.0 for share in (one.beyond, one.released_beyond))
        said = ((_TAKEN_FOR_BOUND, before), (_BROUGHT_BACK if one.clamped else _OUTSIDE, after))
        parts += [Text(say(words, share=share, **bounds), "yellow") for words, share in said if share]
    return parts


def _amount(quantity: Quantity) -> str:
    return f"{number(quantity.value)} {retell(quantity.unit)}".strip()


def _declared(quantity: Quantity) -> str:
    """A number that somebody typed, as it was typed."""
    return f"{quantity.value:.12g} {retell(quantity.unit)}".strip()
