"""Parse, call the pipeline, print, exit."""
