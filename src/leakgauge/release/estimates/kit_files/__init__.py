"""The files of a recipient's kit: templates, filled in from the release, its public record and declared words."""
