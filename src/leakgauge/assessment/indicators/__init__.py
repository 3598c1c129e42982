"""The 28 indicators, one file per family, measured from a release."""
