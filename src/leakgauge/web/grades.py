"""The grade of a job for the page: names and sentences in its language."""

from __future__ import annotations

from leakgauge.artefacts import StoredAssessment
from leakgauge.artefacts.codec import encode
from leakgauge.languages import Language


def grade_fields(graded: StoredAssessment, language: Language) -> dict[str, object]:
    """The fields of ``assessment.json``, told in the language, and ``names``: each node's name by its key."""
    told = encode(graded, language.retell)
    for leaf in told["leaves"]:
        leaf["unit"] = language.retell(leaf["unit"])
    chinese = language.code == "zh"
    return {**told, "names": {key: (chinese and one.chinese) or one.name for key, one in graded.nodes.items()}}
