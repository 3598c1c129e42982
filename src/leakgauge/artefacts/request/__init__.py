"""The request for the main job in its parts, the same for the command line, the page and Python."""

from leakgauge.artefacts.request.aim import Aim, Aiming, MaxDistortion, MaxLeakage, Within
from leakgauge.artefacts.request.budget import Budget
from leakgauge.artefacts.request.coarsening import Coarsening
from leakgauge.artefacts.request.declared import Declared
from leakgauge.artefacts.request.limits import Limits
from leakgauge.artefacts.request.reading import Reading
from leakgauge.artefacts.request.request import FRAME, PARTS, Request, RequestOptions, option_names
from leakgauge.artefacts.request.roles import Roles
from leakgauge.artefacts.request.stored import StoredRequest

__all__ = [
    "FRAME",
    "PARTS",
    "Aim",
    "Aiming",
    "Budget",
    "Coarsening",
    "Declared",
    "Limits",
    "MaxDistortion",
    "MaxLeakage",
    "Reading",
    "Request",
    "RequestOptions",
    "Roles",
    "StoredRequest",
    "Within",
    "option_names",
]
