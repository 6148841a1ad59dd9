"""Collections on a Qdrant server or cluster."""
