"""Charts as data (Vega-Lite), one file per chart; the same chart everywhere it is shown.

Each takes the fields of the files that a job leaves, and a language; numbers are the same in every language.
"""
