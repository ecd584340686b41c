"""The loop that numba compiles for the scan. It allocates nothing, raises nothing and calls no Python."""
