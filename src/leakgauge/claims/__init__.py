"""Statements of privacy notions as frozen data; they arrive with the room `notions`."""
