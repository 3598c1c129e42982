"""The scores that decide: how much a release protects, whom it exposes, what it guarantees and what it is worth."""
