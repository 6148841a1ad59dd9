"""Files that survive a crash and files of strangers."""
