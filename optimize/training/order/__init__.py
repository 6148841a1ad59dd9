"""The learned order: which of some passages answers a question. Trained by ``python -m optimize order``."""
