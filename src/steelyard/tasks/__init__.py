"""A task made ready: its judgements, its metrics, what a run of it says about itself."""
