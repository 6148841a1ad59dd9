"""How programs get better: data, optimizers, evaluation, statistics, reports."""
