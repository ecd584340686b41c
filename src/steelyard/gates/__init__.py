"""Policies to verdicts. A rule is decided from evidence alone; what cannot be decided is undecided, and blocks."""
