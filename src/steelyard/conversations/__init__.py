"""Multi-turn numeric question answering: turns, traces, solvers, and what seed 004 writes (page 40).

Rows come in from `kinds.conversations`, judged turns and tables go out to it; nothing here opens a file.
"""
