"""What programs return, and how people and other programs read it."""
