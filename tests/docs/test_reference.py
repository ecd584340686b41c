"""Generated pages say what the registry and the command line say."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pages():
    spec = importlib.util.spec_from_file_location("write_reference", ROOT / "tools/write_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PAGES


@pytest.mark.parametrize("name", ["scorers.md", "metrics.md", "commands.md"])
def test_a_generated_page_is_up_to_date(name: str):
    page = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert page == pages()[name](), "run python tools/write_reference.py"
