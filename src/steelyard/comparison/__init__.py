"""Runs to paired differences: contract, pairing, deltas, attribution, drift. Delta is candidate minus baseline."""
