"""What a run may cost, what it is doing, and when it ends: budget, circuit breaker, progress, narration."""
