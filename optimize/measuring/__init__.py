"""Numbers about answers: scores of each question, of all together, and what chance leaves of a difference."""
