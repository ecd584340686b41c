"""A run on its way to disk: its directory, its report, its line in the index."""
