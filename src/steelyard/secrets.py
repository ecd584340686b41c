"""Values that must not be written anywhere: known by value, whatever field or message they turn up in.

Whoever takes a secret from the environment or a secret file tells this ledger; whoever writes or prints asks it.

What we say (configuration, errors, logs, headers, traces) is told without any of them: `redact` and `redacted`. Items
and outputs are data, where a value such as `postgres` is an answer like any other: there only values that look like
keys are replaced, `hidden`, before anything is judged, and the others are named in one warning.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

REDACTED = "[redacted]"
SECRET_IN_OUTPUT = "secret_in_output"  # noqa: S105 - a tag's name, and that of its field in the journal
SHORTEST = 6
"""Shorter values are not looked for anywhere: they would stand in honest text by chance."""
SHORTEST_KEY = 16
FEWEST_LETTERS = 3
"""A value with fewer is a number, a date or a time."""

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:_|$)", re.IGNORECASE
)
_PLACE_NAME = re.compile(r"_(?:FILE|PATH|DIR|FOLDER|SOCK|SOCKET)$", re.IGNORECASE)
_PLACE = re.compile(r"(?:~|\.{0,2})/(?:\S*[._~-]\S*|(?:[A-Z]?[a-z]{1,15}/?)+)")
"""A path in the file system; base64 may begin with a slash too, and has neither such signs nor words alone."""
_SETTING = re.compile(r"|true|false|yes|no|on|off|none|null|empty|disabled|enabled", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{1,15}|\d{1,8}")
"""What stands in honest text for its own sake, and so is replaced nowhere."""
_WORDS = re.compile(r"(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15}|\d+)(?:[-_./~:=+](?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15}|\d+))*")
_KEY = re.compile(rf"[A-Za-z0-9_\-./+=~:]{{{SHORTEST_KEY},}}")
_ISSUED = re.compile(r"(?:sk|pk|rk|hf|gh[oprsu]|github_pat|glpat|xox[abeoprs]|AKIA|ASIA|ya29)[-_.A-Z0-9]")
_ESCAPES = (b"\\/", *(b"\\u00%d" % row for row in range(2, 8)))
"""The other spellings that JSON has for the characters of a key."""

_values: tuple[str, ...] = ()
"""Every value to keep out of what we say, longest first, so that one inside another goes with it."""
_keys: tuple[str, ...] = ()
"""Those of them that are replaced in data too."""
_plain: dict[str, None] = {}
"""The names of variables whose values stay in data."""
_told: set[str] = set()


def is_secret_name(name: str) -> bool:
    """Return whether a variable or key of this name holds a secret.

    >>> is_secret_name("OPENAI_API_KEY"), is_secret_name("DATA_FOLDER")
    (True, False)
    """
    return _SECRET_NAME.search(name) is not None


def looks_like_a_key(value: str) -> bool:
    """Return whether a value is so long and so mixed that no honest answer has it by chance.

    >>> looks_like_a_key("hb5x0Qm2LpA81zTt"), looks_like_a_key("postgres"), looks_like_a_key("correct-horse-battery")
    (True, False, False)
    """
    if not _KEY.fullmatch(value) or "://" in value or _PLACE.fullmatch(value):
        return False
    if _ISSUED.match(value):
        return True
    letters = sum(sign.isalpha() for sign in value)
    return letters >= FEWEST_LETTERS and (not _WORDS.fullmatch(value) or any(sign.isdigit() for sign in value))


def remember_secret(value: str, name: str = "") -> None:
    """Keep a value out of everything that is said from here on, and out of data where it looks like a key."""
    global _values, _keys  # noqa: PLW0603 - one ledger for the process
    if _SETTING.fullmatch(value) or value in _values:
        return
    if not looks_like_a_key(value):
        _plain.setdefault(name)
    elif value not in _keys:
        _keys = tuple(sorted((*_keys, value), key=len, reverse=True))
    if len(value) >= SHORTEST and not _WORD.fullmatch(value):
        _values = tuple(sorted((*_values, value), key=len, reverse=True))


def remember_environment(environment: Mapping[str, str] | None = None) -> None:
    """Take up the value of every variable that is named like a secret; one that says where a secret lies is none."""
    for name, value in (os.environ if environment is None else environment).items():
        if is_secret_name(name) and not _PLACE_NAME.search(name) and not _PLACE.fullmatch(value):
            remember_secret(value, name)


def warn_of_plain_secrets() -> None:
    """Take up the environment, and name, once, the variables whose values are not looked for in data."""
    remember_environment()
    names = [name for name in _plain if name and name not in _told]
    if names:
        _told.update(names)
        warnings.warn(
            f"the value of {', '.join(names)} looks like no key, so it stays where items and outputs have it: "
            f"only values of {SHORTEST_KEY} or more mixed letters and digits are taken out of data",
            stacklevel=2,
        )


def forget_secrets() -> None:
    """Forget every value; for tests, which share one process."""
    global _values, _keys
    _values, _keys = (), ()
    _plain.clear()
    _told.clear()


def redact(text: str) -> str:
    """Return a text that we say with every known secret replaced."""
    for value in _values:
        text = text.replace(value, REDACTED)
    return text


def redacted(value: Any) -> Any:
    """Return a JSON value that we say with every known secret replaced, in keys too."""
    return _replaced(value, _values) if _values else value


def hidden(value: Any) -> Any:
    """Return a JSON value of data with every key replaced; the very same value where it holds none."""
    return _replaced(value, _keys) if _keys else value


def hidden_bytes(content: bytes) -> bytes:
    """Return the content of a file with every key replaced."""
    for value in _keys:
        content = content.replace(value.encode(), REDACTED.encode())
    return content


def has_keys() -> bool:
    """Return whether there is anything to look for in data."""
    return bool(_keys)


def may_hold_key(content: bytes) -> bool:
    """Return whether JSON may hold a key, in whatever spelling."""
    return bool(_keys) and any(sign in content for sign in _signs())


def places_of_keys(content: bytes) -> list[int]:
    """Return where a file of JSON may hold a key; few places, and none in nearly every file."""
    found: list[int] = []
    for sign in _signs():
        place = content.find(sign)
        while place >= 0:
            found.append(place)
            place = content.find(sign, place + len(sign))
    return found


def _signs() -> tuple[bytes, ...]:
    return (*(value.encode() for value in _keys), *_ESCAPES)


def _replaced(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return a JSON value without secrets; what holds none is returned as it is, so that nothing is copied for it."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, dict):
        pairs = [(_replaced(key, secrets), _replaced(inner, secrets)) for key, inner in value.items()]
        same = all(new is key and now is value[key] for key, (new, now) in zip(value, pairs, strict=True))
        return value if same else dict(pairs)
    if isinstance(value, (list, tuple)):
        entries = [_replaced(inner, secrets) for inner in value]
        same = all(new is inner for new, inner in zip(entries, value, strict=True))
        return value if same else entries
    return value
