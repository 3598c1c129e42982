"""A page on this machine: look at a table, choose, protect. Loopback only, behind a token."""
