"""``leakgauge assess``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli.language import current, retell, say
from leakgauge.cli.output import deliver, output_options, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError, OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.artefacts import StoredAssessment
    from leakgauge.artefacts.assessment import Leaf, Lift, NodeStates
    from leakgauge.artefacts.quantity import Side
    from leakgauge.assessment import Diagram

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("record", type=_FILE, required=False)
@click.argument("audit", type=_FILE, required=False)
@click.option("--original", metavar="TABLE", help="The table that was released.")
@click.option("--released", type=_FILE, metavar="TABLE", help="The release, if it was moved.")
@click.option("--missing", multiple=True, metavar="TEXT", help="Text in TABLE that counts as missing, such as '?'.")
@click.option("--column", metavar="C", help="The protected column; needed where there are several.")
@click.option("--diagram", type=_FILE, metavar="FILE", help="A diagram of your own in TOML; default: the paper's.")
@click.option("--algebra", type=click.Choice(["sound", "published"]), default="sound", show_default=True)
@click.option("--policy", type=_FILE, metavar="FILE", help="Limits to keep, in TOML; exit 1 where one is not kept.")
@click.option("--questionnaire", type=_FILE, metavar="FILE", help="CSV respondent,leaf,answer with answers 1 to 5.")
@click.option("--template", type=_FILE, metavar="FILE", help="Write an empty questionnaire, and nothing else.")
@click.option("--template-language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--stored", type=_FILE, metavar="FILE", help="An earlier assessment: its space and time are taken.")
@click.option("--releases-per-period", type=float, default=1.0, show_default=True, metavar="N")
@click.option("--target", metavar="SCORE|GRADE", help="What would lift it there; default: the next grade.")
@click.option("--picture", type=_FILE, metavar="FILE", help="Draw the diagram, coloured by state, as SVG.")
@click.option("--confidence", default=0.95, show_default=True, metavar="C", help="Of the intervals.")
@output_options
def command(as_json: bool, output: Path | None, **options: Any) -> None:
    """Grade the protection effect of a release from 28 indicators, and say what would lift it.

    \b
    leakgauge audit out.json --original people.parquet -o audit.json
    leakgauge assess out.json audit.json --original people.parquet --policy policy.toml

    The grade is the lowest of those of score, privacy and utility, capped by vetoes, and is of one release. The paper's
    own score is shown beside it and does not decide. Exit 1 where a veto stands against it or a policy is not kept.
    """
    from leakgauge.assessment import write_template

    if options["template"] is not None:
        require_writable(options["template"])
        if options["template"].exists():
            # It may hold the answers of people by now.
            raise FileError("{path} exists; name another file for the questionnaire.", path=options["template"])
        write_template(options["template"], options["template_language"])
        click.echo(say("Wrote {path!s}.", path=options["template"]))
        return
    from leakgauge.assessment import default_diagram, read_diagram
    from leakgauge.jobs.assess import require

    diagram = default_diagram() if options["diagram"] is None else read_diagram(options["diagram"])
    graded = _graded(options, diagram, output)
    if options["picture"] is not None:
        from leakgauge.artefacts.codec import encode
        from leakgauge.report.figures import influence_figure

        write_whole(options["picture"], influence_figure(encode(graded), diagram, current()).to_svg())
    published = options["algebra"] == "published"
    deliver(graded, as_json, output, lambda: _render(graded, published))
    require(graded)


def _graded(options: dict[str, Any], diagram: Diagram, output: Path | None) -> StoredAssessment:
    from leakgauge.assessment import asked_leaves, parse_target, read_policy, read_questionnaire
    from leakgauge.jobs.assess import grade_release, read_audit
    from leakgauge.tables import open_table, source_files

    record, audit, original = options["record"], options["audit"], options["original"]
    if record is None or audit is None:
        raise OptionError("An assessment needs a record and its audit; name both files.")
    if original is None:
        raise OptionError("A release is assessed beside the table it was made from; name that with --original.")
    read = [options[name] for name in ("released", "diagram", "policy", "questionnaire", "stored") if options[name]]
    for place in (output, options["picture"]):
        require_writable(place, record, audit, *source_files(original), Path(original), *read)
    picture = options["picture"]
    if output is not None and picture is not None and picture.resolve() == output.resolve():
        raise FileError("{path} is named for the assessment and the picture; name two files.", path=output)
    policy = None if options["policy"] is None else read_policy(options["policy"])
    asked = options["questionnaire"]
    answers = None if asked is None else read_questionnaire(asked, asked_leaves(diagram))
    target = None if options["target"] is None else parse_target(options["target"])
    with open_table(original, missing=options["missing"]) as table, working(say("Measuring")):
        return grade_release(
            record,
            read_audit(audit),
            table,
            diagram,
            released=options["released"],
            column=options["column"],
            questionnaire=answers,
            stored=options["stored"],
            releases_per_period=options["releases_per_period"],
            policy=policy,
            target=target,
            confidence=options["confidence"],
        )


def _render(found: StoredAssessment, published: bool) -> list[RenderableType]:
    from rich.text import Text

    parts: list[RenderableType] = [_scores(found, published), _leaves(found), Text(retell(found.graded))]
    for veto in found.vetoes:
        told = say("VETO: {reason}; the grade is at most {grade}.", reason=veto.reason, grade=veto.cap.value)
        parts.append(Text(told, "bold red"))
    parts += [Text(_lift(found, way)) for way in found.lifts[:3]]
    if found.blocked is not None:
        parts.append(Text(retell(found.blocked)))
    if found.policy:
        parts.append(_policy(found))
    if found.missing:
        names = say(", ").join(_name(leaf) for leaf in found.leaves if leaf.leaf in found.missing)
        parts.append(Text(say("Nothing is known of {names!s}; the other leaves share their weight.", names=names)))
    return parts


def _lift(found: StoredAssessment, way: Lift) -> str:
    moves = say(", ").join(
        say(
            "{leaf!s} from {start:.2f} to {end:.2f}",
            leaf=_name(found.nodes[one.leaf]),
            start=one.start,
            end=one.end,
        )
        for one in way.moves
    )
    scores = {say("privacy"): way.privacy, say("utility"): way.utility}
    others = say(", ").join(f"{name} {score:.1f}" for name, score in scores.items() if score is not None)
    reached = say("{score:.1f} ({others!s})", score=way.score, others=others) if others else f"{way.score:.1f}"
    if not way.lowers:
        return say("A lift to {reached!s}: {moves!s}.", reached=reached, moves=moves)
    lowered = say(", ").join(map(retell, way.lowers))
    return say(
        "A lift to {reached!s}: {moves!s}; it lowers {lowered!s}.", reached=reached, moves=moves, lowered=lowered
    )


def _name(node: Leaf | NodeStates) -> str:
    return node.chinese or node.name if current().code == "zh" else node.name


def _scores(found: StoredAssessment, published: bool) -> RenderableType:
    from rich.table import Table

    from leakgauge.assessment import grade_of

    title = say("Protection effect of {column!s}", column=found.column)
    grid = Table(*say("|score|interval|").split("|"), title=title, title_justify="left")
    own = [
        (say("protection effect"), found.score, found.interval),
        (say("privacy"), found.privacy, found.privacy_interval),
        (say("utility"), found.utility, found.utility_interval),
    ]
    for name, score, interval in own:
        word = "" if score is None else retell(grade_of(score).value)
        ends = "" if interval is None else f"[{interval.low:.1f}, {interval.high:.1f}]"
        grid.add_row(name, say("not known") if score is None else f"{score:.1f}", ends, word)
    paper = found.published
    if paper is not None:
        fields: dict[str, object] = {"grade": paper.grade, "credibility": paper.credibility}
        if published:
            beside = say("{grade}; credibility {credibility:.4f}; does not decide", **fields)
        else:
            beside = say("{grade}; does not decide", **fields)
        grid.add_row(say("published algebra"), f"{paper.score:.1f}", "", beside)
    grid.add_section()
    grid.add_row(say("GRADE"), "", "", _grade(found))
    return grid


def _grade(found: StoredAssessment) -> str:
    fields = {"grade": found.grade.value, "letters": found.grade.label, "uncapped": found.grade_uncapped.value}
    if not found.vetoes:
        return say("{grade} ({letters!s}), the lowest of the three", **fields)
    if found.grade is found.grade_uncapped:
        return say("{grade} ({letters!s}), and a veto stands against the release", **fields)
    return say("{grade} ({letters!s}), by a veto; {uncapped} without it", **fields)


def _leaves(found: StoredAssessment) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grid = Table(*say("|indicator|better|value|position|points|known").split("|"), box=SIMPLE_HEAD)
    for leaf, one in zip(found.leaves, found.evidence.leaves, strict=True):
        value = "" if one.value is None else f"{one.value:.4g} {retell(one.unit)}"
        grid.add_row(
            leaf.leaf,
            _name(leaf),
            "" if leaf.better is None else retell(leaf.better),
            value if one.value is not None or not one.answers else say("{count:d} answers", count=sum(one.answers)),
            "" if leaf.position is None else f"{leaf.position:.2f}",
            "" if leaf.sensitivity is None else f"{leaf.sensitivity:+.1f}",
            retell(one.standing.value),
        )
    return grid


def _policy(found: StoredAssessment) -> RenderableType:
    from rich.table import Table

    grid = Table(*say("limit|asked|found||of").split("|"), title=say("Policy"), title_justify="left")
    for one in found.policy:
        kept = say("kept") if one.holds else say("NOT KEPT")
        grid.add_row(retell(one.name), _side(one.limit), _side(one.found), kept, retell(one.of))
    return grid


def _side(value: Side | None) -> str:
    """What is asked or found: a number, a grade, or vetoes."""
    if value is None:
        return say("not known")
    return f"{value:.4g}" if isinstance(value, float | int) else retell(value)
