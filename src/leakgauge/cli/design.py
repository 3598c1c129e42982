"""``leakgauge design``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import (
    Background,
    Bins,
    Distortion,
    Kept,
    Levels,
    Secrets,
    Together,
    Weights,
)
from leakgauge.cli import options
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE, loss_of
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.drafts import write_whole
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    from leakgauge.design import Knowledge, RateDistortion, Solution
    from leakgauge.design.problem import Target
    from leakgauge.design.vulnerability import LeastVulnerable
    from leakgauge.jobs.design import Question
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice

PICTURED_GAP = 1e-5
"""In nats: finer than a picture can show."""
_ALONE = (
    *("slope", "max_leakage", "curve", "through", "after", "keep_at_least", "never_changed"),
    *("local_dp", "identifiability", "weights", "gap"),
)
"""Parameters of options that ask for more than a largest distortion, or for another proof."""


class Designing(RequestPart, frozen=True):
    """What the channel is for, what it must keep, and how closely it is found."""

    secret: Secrets
    together: Together = False
    background: Background = ()
    knowledge: Annotated[
        str | None,
        Option(
            "Who knows the background; by default the attacker if a background is given, else nobody.",
            choices=("nobody", "attacker", "both", "published"),
        ),
    ] = None
    after: Annotated[
        tuple[Path, ...],
        Option(
            "Channel of an earlier release of the secret; the new channel adds as little as possible. May be repeated.",
            "FILE",
        ),
    ] = ()
    through: Annotated[
        str | None, Option("Release this column so that it reveals least about the secret.", "COLUMN")
    ] = None
    keep: Kept = "nothing"
    keep_at_least: Annotated[
        tuple[str, ...], Option("With --keep: a value stays with at least this probability.", "[VALUE=]P")
    ] = ()
    never_changed: Annotated[tuple[str, ...], Option("With --keep: a value that is always released.", "VALUE")] = ()
    distortion: Distortion = ("hamming",)
    least: Annotated[
        str,
        Option(
            "What the channel minimises: the bits revealed, or for a largest distortion the chance of a correct guess.",
            choices=("bits", "guess"),
        ),
    ] = "bits"
    slope: Annotated[
        float | None, Option("The point where one unit of distortion is worth this many nats.", "NATS")
    ] = None
    max_distortion: Annotated[float | None, Option("The least leakage with at most this mean distortion.", "D")] = None
    max_leakage: Annotated[float | None, Option("The least distortion with at most these bits.", "BITS")] = None
    within: Annotated[float | None, Option("The mean absolute error that readers can bear.", "NUMBER")] = None
    curve: Annotated[int | None, Option("N points from no leakage to the least distortion.", "N")] = None
    local_dp: Annotated[float | None, Option("Keep this local ε as well, in nats.", "EPS")] = None
    identifiability: Annotated[float | None, Option("Keep this identifiability as well, in nats.", "EPS")] = None
    weights: Weights = None
    bins: Bins = ()
    levels: Levels = ()
    gap: Annotated[
        float | None, Option("Proven distance from the optimum, in nats; 1e-9, with bounds or weights 1e-6.", "NATS")
    ] = None


@click.command(
    cls=Grouped,
    groups={
        message("Columns"): "secret together background knowledge through after weights",
        message("How much"): "least slope max_distortion max_leakage within curve",
        message("What the channel keeps"): "distortion keep keep_at_least never_changed local_dp identifiability",
        message("Coarser columns"): "bins levels",
        message("Reading the table"): options.names_of(Reading),
        message("Other options"): "gap output as_json",
    },
)
@click.argument("table", type=options.ADDRESS)
@options.taking(asked=Designing, reading=Reading)
@click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="The channel file; for a curve, .json or .csv; .svg draws it."
)
@options.as_json
def command(table: str, asked: Designing, reading: Reading, output: Path | None, as_json: bool) -> None:
    """The channel that provably leaks least for the usefulness you need, from the frequencies in TABLE.

    \b
    leakgauge design people.csv --secret illness --max-distortion 0.2 \\
        -o channel.json
    leakgauge design people.csv --secret illness --background city \\
        --max-leakage 0.5 -o channel.json
    leakgauge design people.csv --secret illness --max-distortion 0.2 \\
        --keep shares -o channel.json
    leakgauge design people.csv --secret illness --through city \\
        --max-distortion 0.1 -o channel.json
    leakgauge design people.csv --secret illness --after january.json \\
        --max-distortion 0.2 -o february.json
    leakgauge design people.csv --secret illness --least guess \\
        --max-distortion 0.2 -o channel.json
    leakgauge design people.csv --secret illness --curve 20 -o curve.csv

    A plan of `leakgauge release` takes the channel file. The table's exact counts can be computed from it, so keep it
    private.
    """
    from leakgauge.artefacts.channel_file import read_channel
    from leakgauge.design import Keep, MaxDistortion, frontier, solve
    from leakgauge.design.rounds import NextRound
    from leakgauge.design.rounds.designing import after_rounds, told_before
    from leakgauge.jobs.design import (
        Question,
        as_design,
        as_frontier,
        as_guessed,
        as_rounds,
        bins_within,
        earlier_rounds,
        left_within,
        price_of_keeping,
        require_few_values,
    )
    from leakgauge.probability.files import read_label_values
    from leakgauge.tables import open_table
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.chosen_bins import settled
    from leakgauge.tables.levels import level_files

    secret, background, through = asked.secret, asked.background, asked.through
    curve, within = asked.curve, asked.within
    options.require_one_source(secret, asked.together)
    if asked.least == "guess":
        _require_distortion_alone(asked.given())
    target = _target(asked)
    known = _knowledge(asked.knowledge, background)
    if asked.after and through is not None:
        raise OptionError("--after names earlier releases of the secret itself; leave it or --through out.")
    released = secret if through is None else (through,)
    loss = loss_of(asked.distortion if within is None else _absolute(asked.distortion, released), released)
    require_not_read(output, table, *loss.files, asked.weights, *asked.after, *level_files(asked.levels))
    channels = [read_channel(one) for one in asked.after]
    question = Question(
        secret,
        background,
        loss.distortion(),
        known,
        parse_binnings(asked.bins, tuple(dict.fromkeys(secret + released + background)), asked.levels),
        asked.local_dp,
        asked.identifiability,
        None if asked.weights is None else read_label_values(asked.weights),
        through,
        Keep(asked.keep),
        _floors(asked.keep_at_least),
        asked.never_changed,
    )
    gap = question.gap if asked.gap is None else asked.gap
    with (
        working(say("Designing for {table!s} …", table=Path(table).name)),
        open_table(table, **reading.given()) as source,
    ):
        bins = dict(question.bins)
        if within is not None:
            found = bins_within(source, released[0], bins.get(released[0]), within, beside=bool(background))
            bins |= {} if found is None else {released[0]: found}
            target = MaxDistortion(left_within(source, released[0], found, within))
        bins = {name: settled(source, name, how) for name, how in bins.items()}
        require_few_values(source, released, {name: how for name, how in bins.items() if name in released})
        question = replace(question, bins=bins)
        problem = question.problem(source, target)
        earlier = earlier_rounds(channels, secret, problem)
        before = told_before(problem, earlier) if earlier else None
        problem, exact = after_rounds(problem, earlier) if earlier else (problem, True)
        if curve is None:
            _require_drawable(problem, output)
        least: LeastVulnerable | None = None
        solutions: Sequence[Solution] = ()
        beside: Sequence[Solution] = ()
        if asked.least == "guess":
            from leakgauge.design.vulnerability import least_vulnerability

            least = least_vulnerability(problem)
        elif curve is None:
            solutions = [solve(problem, gap)]
        else:
            solutions = frontier(problem, curve, gap)
            if _is_picture(output) and problem.keep is not Keep.NOTHING:
                # The second curve, where nothing is kept, shows what keeping costs.
                free = replace(problem, keep=Keep.NOTHING, keep_at_least=0.0, never_changed=())
                beside = frontier(free, curve, max(gap, PICTURED_GAP))
        price = price_of_keeping(solutions[0], gap) if solutions and curve is None else None
    if output is not None and curve is None:
        write_whole(output, _channel_artefact(question, least or solutions[0], output))
    elif output is not None:
        write_whole(output, _curve_artefact(question, solutions, output, beside))
    guessed = None if least is None else as_guessed(least)
    rounds = None if before is None else as_rounds(NextRound(solutions[0], before, exact), len(earlier))

    def shown(voice: Voice) -> Iterator[Content]:
        from leakgauge.telling import design as telling
        from leakgauge.telling.comparison import between_centres
        from leakgauge.telling.measurement import learnt_bins

        if guessed is not None:
            yield from telling.least_guessed(voice, guessed, secret, question.distortion)
        else:
            yield from telling.design(voice, solutions, secret, through, price, rounds)
        if output is not None:
            yield telling.keep_private(voice, output.name)
        yield from (*between_centres(voice, loss.names, bins, released), *learnt_bins(voice, bins))

    if curve is not None:
        deliver(as_frontier(solutions, question), Output(as_json), shown)
    else:
        deliver(guessed or as_design(solutions[0], price=price, rounds=rounds), Output(as_json), shown)


def _require_distortion_alone(given: Mapping[str, Any]) -> None:
    """Refuse options, by their names where they are not their defaults, that the least chance of a right guess is not
    found for."""
    others = [f"--{name.replace('_', '-')}" for name in _ALONE if name in given]
    others += [f"--keep {given['keep']}"] if "keep" in given else []
    others += [f"--knowledge {given['knowledge']}"] if given.get("knowledge") in ("both", "published") else []
    if others:
        raise OptionError(
            "--least guess is found for a largest distortion alone and cannot be combined with {other!s}; leave one "
            "of the two out.",
            other=others[0],
        )
    if "max_distortion" not in given and "within" not in given:
        raise OptionError("--least guess needs a largest distortion; give it with --max-distortion, or --within.")


def _floors(texts: Sequence[str]) -> dict[str, float] | float:
    """The least probability that a value stays as it is: one for all values, or one per value, whose text may hold
    ``=``."""
    pairs = [text.rpartition("=") for text in texts]
    try:
        named = {value: float(least) for value, equals, least in pairs if equals}
        bare = [float(least) for _, equals, least in pairs if not equals]
    except ValueError:
        raise OptionError(
            "--keep-at-least {found!r} is neither a probability nor VALUE=PROBABILITY; write e.g. 0.5.", found=texts[0]
        ) from None
    if len(bare) + bool(named) > 1 or len(bare) + len(named) < len(texts):
        raise OptionError(
            "--keep-at-least is given {count} times; give one number for all values, or one for each as VALUE=NUMBER.",
            count=len(texts),
        )
    return named or (bare[0] if bare else 0.0)


def _absolute(distortion: Sequence[str], secret: Sequence[str]) -> tuple[str]:
    """The absolute distortion, which ``--within`` implies."""
    if len(secret) > 1 or not {"hamming", "absolute"}.issuperset(distortion):
        raise OptionError(
            "--within is the mean absolute error of one column; leave --distortion out, and name one secret."
        )
    return ("absolute",)


def _target(asked: Designing) -> Target:
    """The one target that is given; a curve starts at slope 0, and ``--within`` is read as a mean absolute error."""
    from leakgauge.design import MaxDistortion, MaxLeakage, Slope

    slope, within = asked.slope, asked.within
    count = sum(one is not None for one in (slope, asked.max_distortion, asked.max_leakage, asked.curve, within))
    if count != 1:
        raise OptionError(
            "{count} targets are given; give one of {first!s} and {last!s}.",
            count=count,
            first=("--slope", "--max-distortion", "--max-leakage", "--within"),
            last="--curve",
        )
    if within is not None and not 0 < within < math.inf:
        raise OptionError(
            "--{name!s} {value} is not a finite number {range}; give one.",
            name="within",
            value=within,
            range=Sentence("above 0"),
        )
    if asked.max_distortion is not None:
        return MaxDistortion(asked.max_distortion)
    return MaxLeakage(asked.max_leakage) if asked.max_leakage is not None else Slope(slope or 0.0)


def _knowledge(name: str | None, background: Sequence[str]) -> Knowledge:
    from leakgauge.design import Knowledge

    if name is None:
        return Knowledge.ATTACKER if background else Knowledge.NOBODY
    if not background and name != "nobody":
        raise OptionError(
            "--knowledge {name!s} needs a background, and none is given; name its columns with --background COLUMN.",
            name=name,
        )
    return Knowledge(name)


def _is_picture(output: Path | None) -> bool:
    """Whether a picture is asked for."""
    return output is not None and output.suffix.lower() == ".svg"


def _require_drawable(problem: RateDistortion, output: Path | None) -> None:
    """Refuse a picture too large to read, before the channel is searched for."""
    if _is_picture(output):
        from leakgauge.design import Knowledge
        from leakgauge.probability import Joint
        from leakgauge.telling.figures.channel import require_readable

        source = problem.source
        backgrounds = len(source.columns) if problem.knowledge is Knowledge.BOTH and isinstance(source, Joint) else 1
        require_readable(len(problem.inputs) * backgrounds, len(problem.letters))


def _channel_artefact(question: Question, designed: Solution | LeastVulnerable, output: Path) -> str:
    """The file of a channel, or its picture."""
    from leakgauge.artefacts.channel_file import ChannelFile
    from leakgauge.artefacts.codec import text_of

    if not _is_picture(output):
        return text_of(ChannelFile.of(question.named(designed)))
    from leakgauge.telling.figures.channel import channel_figure

    channel, prior = designed.channel, designed.problem.prior
    # The inputs of a channel that reads the background are not just values of the secret.
    shown = prior if channel.inputs == prior.outcomes else None
    return channel_figure(channel, current(), prior=shown).to_svg() + "\n"


def _curve_artefact(question: Question, solutions: Sequence[Solution], output: Path, beside: Sequence[Solution]) -> str:
    """The file of a curve, or its picture."""
    from leakgauge.artefacts.codec import encode, text_of
    from leakgauge.jobs.design import as_frontier

    frontier = as_frontier(solutions, question, beside)
    if _is_picture(output):
        from leakgauge.distances.distortions import DISTORTIONS
        from leakgauge.telling.figures.frontier import frontier_figure

        loss = next((name for name, kind in DISTORTIONS.items() if question.distortion == kind()), "")
        return frontier_figure(frontier, language=current(), distortion=loss).to_svg() + "\n"
    if output.suffix.lower() != ".csv":
        return text_of(frontier)
    text = io.StringIO()
    rows = [
        {name: one["value"] if isinstance(one, dict) else one for name, one in encode(point).items()}
        for point in frontier.points
    ]
    lines = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()
