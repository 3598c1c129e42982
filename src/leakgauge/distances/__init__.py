"""Distortion operators and grids; they arrive with the room `design`."""
