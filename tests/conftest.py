"""Fixtures that every tree of tests shares."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Machines differ and share their cores, so no single example is held to a time; tests of time say so themselves.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")

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
