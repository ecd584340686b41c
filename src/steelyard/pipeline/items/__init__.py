"""Rows of a dataset and of predictions to items, row by row."""
