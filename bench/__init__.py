"""Benchmarks: ratios against named peers in the same run, printed, never asserted in tests."""
