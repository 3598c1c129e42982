"""The request for the main job in its parts, the same for the command line, the page and Python."""

from leakgauge.artefacts.request.aim import Aim, Aiming, MaxDistortion, MaxLeakage, Within
from leakgauge.artefacts.request.request import FRAME, PARTS, Request, RequestOptions, option_names
from leakgauge.artefacts.request.roles import Roles
from leakgauge.artefacts.request.stored import StoredRequest
from leakgauge.artefacts.request.terms import Budget, Coarsening, Declared, Limits, Reading

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
