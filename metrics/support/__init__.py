"""Whether a passage says what a claim says, without a model: see ``check``."""

from metrics.support.verdict import Support, check

__all__ = ["Support", "check"]
