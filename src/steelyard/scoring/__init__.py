"""Two answers to a score, one file per family. Pure: no network, no clock, no model.

A module registers its scorers and metrics when it is imported, by the same decorators that a plugin uses; the room
`registry` imports it when one of its names is asked for.
"""
