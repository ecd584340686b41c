"""Task files, scoring profiles and command-line overrides to one effective configuration."""
