"""Ids of papers as they are printed."""

import re

PMCID = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
