"""The life of a run on disk: recorded, sealed, indexed, opened, shown, verified."""
