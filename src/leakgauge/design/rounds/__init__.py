"""Releases of one secret after each other: what they tell together, and the next one that adds least."""

from leakgauge.design.rounds.designing import NextRound, leakage_by_round, next_round

__all__ = ["NextRound", "leakage_by_round", "next_round"]
