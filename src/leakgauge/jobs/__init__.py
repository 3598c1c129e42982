"""Jobs put rooms together: they orchestrate, they compute nothing of their own."""
