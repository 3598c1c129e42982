"""Tables in Spark: files and tables of a cluster or of this machine, and frames of a session that runs already."""
