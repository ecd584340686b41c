"""A training that ends in an evaluation: its order and its data."""
