"""Places: surveys of points, channels on areas, protected tables and tracks, each from a table to an artefact."""
