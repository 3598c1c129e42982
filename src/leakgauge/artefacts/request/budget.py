"""What the release draws on: a ledger, a bought histogram, or a seed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, TypedDict

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import ON_PAGE, Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import Dataset
from leakgauge.errors import OptionError


class Budget(RequestPart, frozen=True):
    """What the release draws on.

    Attributes:
        accounted: an ε in nats for which a noisy histogram is bought, from which the channel is then designed.
        ledger: the ledger that counts the spend against a limit, and ``dataset`` the account there.
        simulate: a seed, for a rehearsal that protects nobody.
    """

    accounted: Annotated[
        float | None, Origin.DECLARED, Option("Design from a noisy histogram paid from the ledger.", "EPS")
    ] = None
    ledger: Annotated[
        str | None, Names.PLACE, ON_PAGE, Option("The ledger that counts the cost against a limit.", "PATH|ADDRESS")
    ] = None
    dataset: Dataset = None
    simulate: Annotated[int | None, Option("A rehearsal that protects nobody.", "SEED", least=0)] = None

    def require_possible(self) -> None:
        """Refuse a budget that nothing counts, and a simulation that spends."""
        if self.accounted is not None and not 0 < self.accounted < math.inf:
            raise OptionError(
                "An ε of {epsilon} is not a finite number above 0; give one that is.", epsilon=self.accounted
            )
        if self.accounted is not None and (self.ledger is None or self.simulate is not None):
            raise OptionError(
                "--accounted buys a noisy histogram to design from; give a --ledger, and no --mechanism or --simulate."
            )
        if self.dataset is not None and self.ledger is None:
            raise OptionError(
                "--dataset {found!r} names an account, but no ledger is given; name it with --ledger.",
                found=self.dataset,
            )
        if self.simulate is not None and self.ledger is not None:
            raise OptionError("A simulation uses no budget and is not a release; leave the ledger out.")


class BudgetOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    accounted: float | None
    ledger: str | Path | None
    dataset: str | None
    simulate: int | None
