"""Datasets: versions that are kept, eval sets that are shipped and checked, what two of them share."""
