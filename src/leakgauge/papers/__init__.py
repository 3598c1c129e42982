"""The papers this tool grew from, reproduced: what each prints beside what is true, and where they differ.

One module per paper: its tables as data, its slips, and ``reproduce``. Of the five sources, the article on information
theory in privacy protection prints no number. What a paper printed decides nothing; the algorithms of papers that a
command offers (``assess --algebra published``, ``design --knowledge published``) are in their rooms, marked.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leakgauge.artefacts.reproduction import Reproduction

__all__ = ["PAPERS", "reproduce"]

PAPERS = {
    "influence-diagram": "influence_diagram",
    "information-models": "information_models",
    "notions": "notion_relations",
    "rate-distortion": "rate_distortion",
}
"""The modules of the papers by the name that the command line has for them."""


def reproduce(name: str) -> Reproduction:
    """A paper's numbers beside ours, by its name in ``PAPERS``."""
    reproduction: Reproduction = import_module(f"{__name__}.{PAPERS[name]}").reproduce()
    return reproduction
