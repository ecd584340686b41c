"""Runs that another tool made and judged: its own scores, under its own signatures."""
