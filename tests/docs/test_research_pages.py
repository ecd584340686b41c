"""The reference of research artifacts names everything that the code knows."""

from pathlib import Path

from steelyard.research.evidence import FAULTS, MISSING
from steelyard.research.golden import REQUIREMENTS
from steelyard.research.outputs import CLAIM_STATUSES, EVENT_TYPES, STOP_REASONS
from steelyard.research.schemas import SCHEMAS

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/research-artifacts.md").read_text(encoding="utf-8")


def test_every_requirement_stands_there_with_its_meaning():
    assert [name for name, meaning in REQUIREMENTS.items() if f"| `{name}` | {meaning} |" not in PAGE] == []


def test_every_word_of_the_formats_stands_there():
    words = (*STOP_REASONS, *CLAIM_STATUSES, *EVENT_TYPES, *FAULTS, *MISSING)
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_every_schema_stands_there():
    listed = [name for name in SCHEMAS if name != "research-evidence"]
    assert [name for name in listed if f"`{name}`" not in PAGE] == []
