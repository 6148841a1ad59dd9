"""From questions and points to the passages that answers are written from."""
