"""The protection effect graded from 28 indicators by an influence diagram."""
