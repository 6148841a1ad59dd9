"""From answers to a report, and what is done with reports: evaluate, measure again, compare, sweep, gate."""
