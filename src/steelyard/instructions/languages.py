"""The language of a text by langdetect, with a fixed seed: the same text is always the same language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from steelyard.instructions.libraries import library

Language: TypeAlias = Literal[
    "af", "ar", "bg", "bn", "ca", "cs", "cy", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu", "he", "hi",
    "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "mk", "ml", "mr", "ne", "nl", "no", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "so", "sq", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "zh-cn", "zh-tw",
]  # fmt: skip
"""The languages that can be told from each other."""


def language(text: str) -> str | None:
    """Return the language of a text, None where nothing in it belongs to one."""
    detector = _factory().create()
    detector.append(text)
    try:
        return str(detector.detect())
    except library("langdetect").LangDetectException:
        return None


@cache
def _factory() -> Any:
    detecting = library("langdetect.detector_factory")
    factory = detecting.DetectorFactory()
    # By name: the library would take them in the order of the file system, and sums depend on it in their last bits.
    factory.load_json_profile(
        [file.read_text("utf-8") for file in sorted(Path(detecting.PROFILES_DIRECTORY).iterdir())]
    )
    factory.seed = 0
    return factory
