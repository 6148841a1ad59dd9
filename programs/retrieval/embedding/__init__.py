"""Texts into vectors: the small runtime, sentence-transformers, or another machine."""
