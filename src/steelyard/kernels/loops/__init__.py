"""Loops over bytes that numba compiles. Nothing here allocates, raises or calls Python: callers bring all memory.

Integers are 64 bits wide throughout, so that arithmetic on them never turns into floating point.
"""
