"""Scores to metrics, slices and hard examples, by accumulators that merge."""

from steelyard.aggregate.report import Report

__all__ = ["Report"]
