"""Simulations that hold intervals, tests and gate rules to their error rates: `make calibration`."""
