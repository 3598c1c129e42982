"""Mechanisms on areas of the earth: each an exact channel with its claims, and the areas that its outputs stand for."""
