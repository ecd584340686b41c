"""Intervals and paired tests: pure functions of numbers, seeded, the same on every machine."""
