"""The sections of a report, one file each; every one is left out where a job has nothing to say in it."""
