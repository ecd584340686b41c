"""Fixtures that every tree of tests shares."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """A folder of the real data beside the checkout; a test that needs it says that it did not run without it."""

    def find(name: str) -> Path:
        folder = ROOT.parent / "shared" / "data" / name
        if not folder.exists():
            pytest.skip(f"shared/data/{name} is not beside this checkout")
        return folder

    return find
