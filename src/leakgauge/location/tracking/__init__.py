"""What someone infers who sees reported places: from one report, with background, from repeats and from a trace."""
