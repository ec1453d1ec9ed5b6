"""Start runs, compute and store scores, cancel. Each verb is one transaction or several short ones."""
