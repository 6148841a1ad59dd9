"""What language models are asked: every prompt of the project is the docstring of a signature here."""
