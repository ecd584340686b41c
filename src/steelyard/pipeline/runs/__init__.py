"""Runs that are there already: opened, shown, paged through, made again."""
