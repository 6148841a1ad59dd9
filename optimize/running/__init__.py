"""A run: its folder, the answers in it, what it will cost and has cost. Nothing here knows metrics or optimizers."""
