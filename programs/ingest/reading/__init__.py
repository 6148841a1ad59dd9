"""Reads many files: within a budget of seconds and memory each, in processes side by side."""
