"""The embedded store: Qdrant Edge over a folder, with whole states side by side."""
