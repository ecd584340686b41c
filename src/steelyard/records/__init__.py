"""Frozen types that rooms hand to each other. Stages meet here and nowhere else."""
