"""Successive releases of one secret: what they reveal together, and the next one that adds least."""

from leakgauge.design.rounds.designing import NextRound, leakage_by_round, next_round

__all__ = ["NextRound", "leakage_by_round", "next_round"]
