"""Traces: how they are released step by step, what a window of them tells, and simulated ones whose truth is known."""
