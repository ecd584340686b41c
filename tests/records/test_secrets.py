"""Secrets are known by value and kept out of whatever is written."""

import pytest

from steelyard.records.secrets import forget_secrets, is_secret_name, redact, redact_bytes, redacted, remember_secret


@pytest.fixture(autouse=True)
def _no_secrets_before_and_after():
    forget_secrets()
    yield
    forget_secrets()


def test_a_secret_is_replaced_wherever_it_stands():
    remember_secret("s3cr3t-value")
    assert redact("Bearer s3cr3t-value!") == "Bearer [redacted]!"
    assert redact_bytes(b"<b>s3cr3t-value</b>\xff") == b"<b>[redacted]</b>\xff"
    content = {"a": ["s3cr3t-value", 1, None], "s3cr3t-value": {"b": "x"}}
    assert redacted(content) == {"a": ["[redacted]", 1, None], "[redacted]": {"b": "x"}}


def test_a_secret_inside_another_goes_with_it():
    for value in ("abcdef", "abcdef-123456"):
        remember_secret(value)
    assert redact("abcdef-123456 abcdef") == "[redacted] [redacted]"


def test_short_values_are_not_looked_for():
    remember_secret("cat")
    assert redact("a cat sat") == "a cat sat"


@pytest.mark.parametrize(
    ("name", "secret"),
    [("OPENAI_API_KEY", True), ("api_key", True), ("HF_TOKEN", True), ("password", True),
     ("AWS_SECRET_ACCESS_KEY", True),
     ("MONKEY", False), ("max_tokens", False), ("prompt_tokens", False), ("KEYBOARD", False), ("DATA", False)],
)  # fmt: skip
def test_names_that_hold_secrets_are_told_from_those_that_do_not(name, secret):
    assert is_secret_name(name) is secret
