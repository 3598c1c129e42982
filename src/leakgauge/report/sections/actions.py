"""What to do: hand out what was released, meet its conditions, or run the job again with other settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from leakgauge.artefacts.codec import decode
from leakgauge.artefacts.report import Code
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.verdict import Recommendation, why_no_action
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.figures.search import least
from leakgauge.report.sections.dials import unfavourable
from leakgauge.report.sections.teller import Plain, Teller, own


def to_do(tell: Teller, file: str | None) -> Iterator[Content]:
    """The first thing to do about a verdict, with the command that does it."""
    if file is None:
        return
    if tell.released and Recommendation(tell.get(file, "recommendation")) is Recommendation.RELEASE:
        handed = tell.names("job.json", "shareable")
        if handed:
            yield tell.say(
                "What to do: hand out {files}; keep everything else private.",
                files=tell.listed(handed),
            )
        else:
            yield tell.say("What to do: hand out the released table; keep its record private.")
    elif tell.items(file, "actions"):
        yield tell.say(
            "What to do: {action}; {outcome}.",
            action=own(tell.told(tell.get(file, "actions", 0, "said"))),
            outcome=action_of(tell, file, 0),
        )
        command = _command(tell, file)
        if command:
            yield Code(command)
    else:
        asked = (
            decode(StoredRequest, tell.get("job.json", "asked"), "job.json").request()
            if tell.has("job.json", "asked")
            else None
        )
        reason = why_no_action(asked, vetoed=bool(tell.items(file, "vetoes")))
        template = message("What to do: keep the table private; {reason}.")
        if tell.released:
            template = message("What to do: keep the release private; {reason}.")
        yield tell.say(template, reason=Plain(tell.language.retell(reason)))


def _command(tell: Teller, file: str) -> str:
    """The command of the first action; a word in capitals stands for a declaration that the user must type."""
    words = shlex.split(str(tell.get("job.json", "command") or ""))
    if "-o" not in words[-2:-1]:
        # A table in memory, or a release that no job made.
        return "  ".join(tell.names(file, "actions", 0, "options"))
    asked, folder = tell.get(file, "actions", 0, "asked"), Path(words[-1])
    if asked is None:
        # The same release is judged again with what was declared.
        options = [word for one in tell.names(file, "actions", 0, "options") for word in shlex.split(one)]
        return shlex.join([*words[:-2], *options, *words[-2:]])
    return decode(StoredRequest, asked, file).request().command(folder.with_name(f"{folder.name}-2"))


def action_of(tell: Teller, file: str, at: int) -> Inline:
    """What an action would do at the ends that decide, to the secret that it changes most."""
    promised = tell.get(file, "actions", at, "promised")

    def moved(secret: str) -> float:
        now, then = tell.get(file, "dials", secret), promised[secret]
        return sum(abs(least(then[name]) - least(now[name])) for name in ("protection", "usefulness"))

    deciding = str(tell.get(file, "deciding"))
    secret = max((deciding, *promised), key=moved)
    now, then = ("dials", secret), ("actions", at, "promised", secret)
    template = message("protection {safe} → {safer}, usefulness {useful} → {as_useful}")
    if len(promised) > 1:
        template = message("of {secret}, protection {safe} → {safer}, usefulness {useful} → {as_useful}")
    return tell.say(
        template,
        secret=own(secret),
        safe=unfavourable(tell, file, *now, "protection"),
        safer=unfavourable(tell, file, *then, "protection"),
        useful=unfavourable(tell, file, *now, "usefulness"),
        as_useful=unfavourable(tell, file, *then, "usefulness"),
    )
