"""The command line: one file a command, results on stdout, everything else on stderr."""
