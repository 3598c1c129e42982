"""Attacks on a release: what an attacker gets right with it, without it, and at most under the claim."""
