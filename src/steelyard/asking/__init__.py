"""Predictions from a model: requests, the journal that keeps their answers, the cache."""
