"""From files to documents and their chunks: one reader a format."""
