"""Scores to metrics, slices and hard examples, by accumulators that merge."""
