"""Orders candidates anew by eight signals, marks duplicates, and chooses passages of several papers."""
