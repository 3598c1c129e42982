"""Tables in an engine that speaks SQL: the same few queries, and what each engine spells its own way."""
