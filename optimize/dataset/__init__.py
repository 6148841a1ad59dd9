"""Questions with their gold data and papers: read, checked, split; text of the test split kept out of all else."""
