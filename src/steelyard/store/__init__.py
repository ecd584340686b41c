"""Run directories and the run index. Complete means that run.json says so."""
