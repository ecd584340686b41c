"""Runs against each other: compared, gated, planned for."""
