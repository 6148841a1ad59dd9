"""The HTTP server: an API for programs, and a page for people."""
