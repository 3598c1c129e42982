"""The items of an assessment that an officer walks through: one file per jurisdiction, and what a job answers."""
