"""Drawings of a report as plain geometry, in the units of their own view box; a template writes them as SVG."""
