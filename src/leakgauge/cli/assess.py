"""``leakgauge assess``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from leakgauge.cli import options
from leakgauge.cli.language import current, retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Parts, alert, deliver, grid, require_not_read, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError, OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts import StoredAssessment
    from leakgauge.artefacts.assessment import Leaf, Lift, NodeStates
    from leakgauge.artefacts.quantity import Side
    from leakgauge.assessment import Diagram


@click.command()
@click.argument("record", type=FILE, required=False)
@click.argument("audit", type=FILE, required=False)
@click.option("--original", metavar="TABLE", help="The table that was released.")
@options.released
@options.reading
@click.option("--column", metavar="C", help="The protected column; needed where there are several.")
@click.option("--diagram", type=FILE, metavar="FILE", help="A diagram of your own in TOML; default: the paper's.")
@click.option("--algebra", type=click.Choice(["sound", "published"]), default="sound", show_default=True)
@click.option("--policy", type=FILE, metavar="FILE", help="Limits to keep, in TOML; exit 1 where one is not kept.")
@click.option("--questionnaire", type=FILE, metavar="FILE", help="CSV respondent,leaf,answer with answers 1 to 5.")
@click.option("--template", type=FILE, metavar="FILE", help="Write an empty questionnaire, and nothing else.")
@click.option("--template-language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--stored", type=FILE, metavar="FILE", help="An earlier assessment: its space and time are taken.")
@click.option("--releases-per-period", type=float, default=1.0, show_default=True, metavar="N")
@click.option("--target", metavar="SCORE|GRADE", help="What would lift it there; default: the next grade.")
@click.option("--picture", type=FILE, metavar="FILE", help="Draw the diagram, coloured by state, as SVG.")
@click.option("--confidence", default=0.95, show_default=True, metavar="C", help="Of the intervals.")
@options.output
def command(as_json: bool, output: Path | None, **given: Any) -> None:
    """Grade the protection effect of a release from 28 indicators, and say what would lift it.

    \b
    leakgauge audit out.json --original people.parquet -o audit.json
    leakgauge assess out.json audit.json --original people.parquet --policy policy.toml
    leakgauge assess audit.json --original people.csv --released theirs.csv

    The grade is the lowest of those of score, privacy and utility, capped by vetoes, and is of one release. The paper's
    own score is shown beside it and does not decide. A release made elsewhere has no record, which is a veto. Exit 1
    where a veto stands against it or a policy is not kept.
    """
    from leakgauge.assessment import default_diagram, read_diagram
    from leakgauge.assessment.indicators import write_template
    from leakgauge.jobs.assess import require

    template = given["template"]
    if template is not None:
        require_writable(template)
        if template.exists():
            # It may hold the answers of people by now.
            raise FileError("{path} exists; name another file for the questionnaire.", path=template)
        write_template(template, given["template_language"])
        click.echo(say("Wrote {path!s}.", path=template))
        return
    diagram = default_diagram() if given["diagram"] is None else read_diagram(given["diagram"])
    graded = _graded(given, diagram, output)
    if given["picture"] is not None:
        from leakgauge.artefacts.codec import encode
        from leakgauge.report.figures.influence import influence_figure

        write_whole(given["picture"], influence_figure(encode(graded), diagram, current()).to_svg())
    published = given["algebra"] == "published"
    deliver(graded, as_json, output, lambda: _render(graded, published))
    require(graded)


def _graded(given: dict[str, Any], diagram: Diagram, output: Path | None) -> StoredAssessment:
    from leakgauge.artefacts.assessment import parse_target
    from leakgauge.assessment import read_policy, read_questionnaire
    from leakgauge.assessment.indicators import asked_leaves
    from leakgauge.jobs.assess import grade_foreign, grade_release, is_foreign, read_audit
    from leakgauge.tables import open_table

    record, audit, original = given["record"], given["audit"], given["original"]
    if record is not None and audit is None and is_foreign(record):
        record, audit = None, record
    elif record is None or audit is None:
        raise OptionError(
            "An assessment needs a record and its audit; name both files, or the audit of a release made elsewhere."
        )
    if original is None:
        raise OptionError("A release is assessed beside the table it was made from; name that with --original.")
    picture, read = given["picture"], ("released", "diagram", "policy", "questionnaire", "stored")
    for place in (output, picture):
        require_not_read(place, original, record, audit, *(given[name] for name in read))
    if output is not None and picture is not None and picture.resolve() == output.resolve():
        raise FileError("{path} is named for the assessment and the picture; name two files.", path=output)
    policy = None if given["policy"] is None else read_policy(given["policy"])
    asked = given["questionnaire"]
    answers = None if asked is None else read_questionnaire(asked, asked_leaves(diagram))
    target = None if given["target"] is None else parse_target(given["target"])
    passed = {name: given[name] for name in ("released", "column", "stored", "releases_per_period", "confidence")}
    with open_table(original, **given["reading"]) as table, working(say("Measuring")):
        audited = read_audit(audit)
        if record is None and audited.foreign is not None:
            for name in ("stored", "target"):
                if given[name] is not None:
                    raise OptionError("--{name!s} is not for a release made elsewhere; leave it out.", name=name)
            if passed.pop("released") is None:
                raise OptionError("Without a record nothing says where the release is; name it with --released.")
            passed.pop("stored")
            return grade_foreign(
                audited,
                audited.foreign,
                given["released"],
                table,
                diagram,
                questionnaire=answers,
                policy=policy,
                reading=given["reading"],
                **passed,
            )
        return grade_release(
            record, audited, table, diagram, questionnaire=answers, policy=policy, target=target, **passed
        )


def _render(assessment: StoredAssessment, published: bool) -> Parts:
    parts: Parts = [_scores(assessment, published), _leaves(assessment), retell(assessment.graded)]
    for veto in assessment.vetoes:
        sentence = say("VETO: {reason}; the grade is at most {grade}.", reason=veto.reason, grade=veto.cap.value)
        parts.append(alert(sentence))
    parts += [_lift(assessment, way) for way in assessment.lifts[:3]]
    if assessment.blocked is not None:
        parts.append(retell(assessment.blocked))
    if assessment.policy:
        parts.append(_policy(assessment))
    if assessment.missing:
        names = say(", ").join(_name(leaf) for leaf in assessment.leaves if leaf.leaf in assessment.missing)
        parts.append(say("Nothing is known of {names!s}; the other leaves share their weight.", names=names))
    return parts


def _lift(assessment: StoredAssessment, way: Lift) -> str:
    moves = say(", ").join(
        say(
            "{leaf!s} from {start:.2f} to {end:.2f}",
            leaf=_name(assessment.nodes[one.leaf]),
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


def _scores(assessment: StoredAssessment, published: bool) -> Table:
    from leakgauge.artefacts.assessment import grade_of

    scores = grid(say("|score|interval|"), say("Protection effect of {column!s}", column=assessment.column))
    own = [
        (say("protection effect"), assessment.score, assessment.interval),
        (say("privacy"), assessment.privacy, assessment.privacy_interval),
        (say("utility"), assessment.utility, assessment.utility_interval),
    ]
    for name, score, interval in own:
        word = "" if score is None else retell(grade_of(score).value)
        ends = "" if interval is None else f"[{interval.low:.1f}, {interval.high:.1f}]"
        scores.add_row(name, say("not known") if score is None else f"{score:.1f}", ends, word)
    paper = assessment.published
    if paper is not None:
        fields: dict[str, object] = {"grade": paper.grade, "credibility": paper.credibility}
        if published:
            beside = say("{grade}; credibility {credibility:.4f}; does not decide", **fields)
        else:
            beside = say("{grade}; does not decide", **fields)
        scores.add_row(say("published algebra"), f"{paper.score:.1f}", "", beside)
    scores.add_section()
    scores.add_row(say("GRADE"), "", "", _grade(assessment))
    return scores


def _grade(assessment: StoredAssessment) -> str:
    fields = {
        "grade": assessment.grade.value,
        "letters": assessment.grade.label,
        "uncapped": assessment.grade_uncapped.value,
    }
    if not assessment.vetoes:
        return say("{grade} ({letters!s}), the lowest of the three", **fields)
    if assessment.grade is assessment.grade_uncapped:
        return say("{grade} ({letters!s}), and a veto stands against the release", **fields)
    return say("{grade} ({letters!s}), by a veto; {uncapped} without it", **fields)


def _leaves(assessment: StoredAssessment) -> Table:
    leaves = grid(say("|indicator|better|value|position|points|known"), box=SIMPLE_HEAD)
    for leaf, one in zip(assessment.leaves, assessment.evidence.leaves, strict=True):
        value = "" if one.value is None else f"{one.value:.4g} {retell(one.unit)}"
        leaves.add_row(
            leaf.leaf,
            _name(leaf),
            "" if leaf.better is None else retell(leaf.better),
            value if one.value is not None or not one.answers else say("{count:d} answers", count=sum(one.answers)),
            "" if leaf.position is None else f"{leaf.position:.2f}",
            "" if leaf.sensitivity is None else f"{leaf.sensitivity:+.1f}",
            retell(one.standing.value),
        )
    return leaves


def _policy(assessment: StoredAssessment) -> Table:
    limits = grid(say("limit|asked|found||of"), say("Policy"))
    for one in assessment.policy:
        kept = say("kept") if one.holds else say("NOT KEPT")
        limits.add_row(retell(one.name), _side(one.limit), _side(one.found), kept, retell(one.of))
    return limits


def _side(value: Side | None) -> str:
    """What is asked or assessment: a number, a grade, or vetoes."""
    if value is None:
        return say("not known")
    return f"{value:.4g}" if isinstance(value, float | int) else retell(value)
