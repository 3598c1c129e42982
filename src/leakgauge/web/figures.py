"""The pictures of a job, drawn from the files it left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from leakgauge.errors import OptionError
from leakgauge.languages import Language
from leakgauge.web.failures import UnknownError
from leakgauge.web.job import Job

if TYPE_CHECKING:
    from leakgauge.assessment import Diagram
    from leakgauge.report.figures import Figure


def picture(name: str, job: Job, language: Language) -> str:
    """A picture of a job as SVG.

    Raises:
        UnknownError: there is no such picture, or the job left nothing to draw it from.
    """
    drawn = _FIGURES[name](job, language) if name in _FIGURES else None
    if drawn is None:
        raise UnknownError("This job has no such picture; look at the others.")
    return drawn.to_svg()


def _frontier(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import frontier_figure

    curve, ranking = job.read("frontier.json"), job.read("comparison.json").get("ranking") or []
    others = [one for one in ranking if one.get("role") != "optimum"]
    return frontier_figure(curve, job.read("design.json") or None, others, language=language) if curve else None


def _decomposition(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import decomposition_figure

    measured = job.read("measurement.json")
    return decomposition_figure(measured, job.read("leakage.json") or None, language=language) if measured else None


def _channel(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import channel_figure

    channel = job.read("channel.json")
    try:
        return channel_figure(channel, language=language) if channel else None
    except OptionError:
        # Too large for anybody to read.
        return None


def _levels(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import levels_figure

    record = job.read("release.json")
    return levels_figure(record, language=language) if record else None


def _attacks(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import attacks_figure

    audit = job.read("audit.json")
    return attacks_figure(audit, language=language) if audit else None


def _criteria(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import criteria_figure

    graded = job.read("assessment.json")
    if not graded:
        return None
    return criteria_figure(job.read("before.json") or None, graded, _diagram(job), language=language)


def _influence(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import influence_figure

    graded = job.read("assessment.json")
    return influence_figure(graded, _diagram(job), language=language) if graded else None


def _tuning(job: Job, language: Language) -> Figure | None:
    from leakgauge.report.figures import tuning_figure

    tried = job.read("improvement.json")
    return tuning_figure(tried, language=language) if tried else None


def _diagram(job: Job) -> Diagram | None:
    """The diagram that the job was graded by, where it is one of the user's own."""
    from leakgauge.assessment import read_diagram

    own = job.path("diagram.toml")
    return None if own is None else read_diagram(own)


_FIGURES: Final[dict[str, Callable[[Job, Language], Figure | None]]] = {
    "frontier": _frontier,
    "decomposition": _decomposition,
    "channel": _channel,
    "levels": _levels,
    "attacks": _attacks,
    "criteria": _criteria,
    "influence": _influence,
    "tuning": _tuning,
}
