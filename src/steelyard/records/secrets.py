"""Values that must not be written anywhere: known by value, whatever field or message they turn up in.

Whoever takes a secret from the environment or a secret file tells this ledger; whoever writes or prints asks it.
"""

from __future__ import annotations

import re
from typing import Any

REDACTED = "[redacted]"
SHORTEST = 6
"""Shorter values are not looked for: they would stand in honest text by chance."""

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:_|$)", re.IGNORECASE
)
_values: set[str] = set()


def is_secret_name(name: str) -> bool:
    """Return whether a variable or key of this name holds a secret.

    >>> is_secret_name("OPENAI_API_KEY"), is_secret_name("DATA_FOLDER")
    (True, False)
    """
    return _SECRET_NAME.search(name) is not None


def remember_secret(value: str, name: str = "") -> None:  # noqa: ARG001 - TEMPORARY
    """Keep a value out of everything that is written or printed from here on."""
    if len(value) >= SHORTEST:
        _values.add(value)


def forget_secrets() -> None:
    """Forget every value; for tests, which share one process."""
    _values.clear()


def has_secrets() -> bool:
    """Return whether there is anything to look for; columns of text are gone through only then."""
    return bool(_values)


def redact(text: str) -> str:
    """Return a text with every known secret replaced."""
    for value in sorted(_values, key=len, reverse=True):
        if value in text:
            text = text.replace(value, REDACTED)
    return text


def redact_bytes(content: bytes) -> bytes:
    """Return the content of a file with every known secret replaced."""
    for value in sorted(_values, key=len, reverse=True):
        content = content.replace(value.encode("utf-8", "surrogatepass"), REDACTED.encode())
    return content


def redacted(value: Any) -> Any:
    """Return a JSON value with every known secret replaced, in keys too."""
    if not _values:
        return value
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(key) if isinstance(key, str) else key: redacted(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(inner) for inner in value]
    return value
