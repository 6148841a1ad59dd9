"""Summaries of papers: written when papers are indexed, and read to choose papers by."""
