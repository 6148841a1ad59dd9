"""The signals: small pure functions that return a number in [0, 1], higher is better (for a duplicate: worse)."""
