"""Whether a YAML file is a suite, told without the machinery that evaluates one."""

from __future__ import annotations

from pathlib import Path

from steelyard.reading.yaml_file import read_yaml


def is_suite_file(path: Path | None) -> bool:
    """Return whether a YAML file names a suite."""
    return path is not None and path.is_file() and "suite" in read_yaml(path)
