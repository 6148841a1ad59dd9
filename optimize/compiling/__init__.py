"""From a program to a better one: candidates, the choice among them, the report on test, the state that is kept."""
