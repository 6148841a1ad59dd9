"""The command line of ``python -m optimize``: one file a command."""
