"""Orders candidates anew by nine signals, or by the learned order alone, and marks duplicates."""
