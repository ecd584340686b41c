"""Secrets are known by value: kept out of all that is said, and out of data where they look like keys."""

import warnings

import pytest

from steelyard.secrets import (
    forget_secrets,
    hidden,
    hidden_bytes,
    is_secret_name,
    looks_like_a_key,
    may_hold_key,
    places_of_keys,
    redact,
    redacted,
    remember_environment,
    remember_secret,
    warn_of_plain_secrets,
)

KEY = "sk-Zt81hb5x0Qm2/LpA"


@pytest.fixture(autouse=True)
def _no_secrets_before_and_after(monkeypatch):
    monkeypatch.setattr("os.environ", {})
    forget_secrets()
    yield
    forget_secrets()


def test_a_secret_is_replaced_wherever_we_say_it():
    remember_secret("s3cr3t-value")
    assert redact("Bearer s3cr3t-value!") == "Bearer [redacted]!"
    content = {"a": ["s3cr3t-value", 1, None], "s3cr3t-value": {"b": "x"}}
    assert redacted(content) == {"a": ["[redacted]", 1, None], "[redacted]": {"b": "x"}}


def test_data_loses_keys_alone_and_is_the_same_object_without_one():
    remember_secret(KEY)
    remember_secret("s3cr3t-value")
    answer = {"output": "it is s3cr3t-value", "tokens": [1, 2.5, None, True]}
    assert hidden(answer) is answer
    assert hidden({"output": f"it is {KEY}."}) == {"output": "it is [redacted]."}
    assert hidden_bytes(f"<b>{KEY}</b>s3cr3t-value".encode() + b"\xff") == b"<b>[redacted]</b>s3cr3t-value\xff"


def test_a_secret_inside_another_goes_with_it():
    for value in ("abcde1", "abcde1-123456"):
        remember_secret(value)
    assert redact("abcde1-123456 abcde1") == "[redacted] [redacted]"


@pytest.mark.parametrize("value", ["cat", "postgres", "Password", "1234", "true"])
def test_words_and_short_values_are_replaced_nowhere(value):
    remember_secret(value)
    assert redact(f"a {value} sat") == f"a {value} sat"


@pytest.mark.parametrize(
    ("value", "key"),
    [(KEY, True), ("hb5x0Qm2LpA81zTt", True), ("0123456789abcdef", True), ("thisisaverylongsecret", True),
     ("qWxZpLmNvBtRyUiO", True), ("sk-my-own-secret-key", True), ("/xA0bC1dE2fG3hI4/jK5lM6nO7pQ8rS9tU0v", True),
     ("hunter2hunter2", False), ("correct-horse-battery-staple", False), ("1234567890123456", False),
     ("2026-11-19T01:02:03", False), ("postgresql://me:pass0word@db/x", False), ("/run/secrets/token", False),
     ("a text with 16 and more", False), ("~/keys/x1.json/aaaaaaa", False)],
)  # fmt: skip
def test_a_key_is_long_and_mixed_and_neither_words_nor_a_place(value, key):
    assert looks_like_a_key(value) is key


def test_the_other_spellings_of_json_are_looked_at_too():
    remember_secret(KEY)
    spelled = [KEY.encode(), KEY.replace("/", "\\/").encode(), KEY.replace("Z", "\\u005a").encode()]
    assert [may_hold_key(b'{"a": "%b"}' % text) for text in spelled] == [True, True, True]
    assert not may_hold_key(b'{"a": "sk-", "b": "\\u00e9\\n"}')
    assert places_of_keys(b"__%b_%b" % (KEY.encode(), KEY.encode())) == [2, 3 + len(KEY)]


def test_a_variable_that_says_where_a_secret_lies_holds_none():
    places = {"SSH_AUTH_SOCK": "/run/ssh-1/agent.17", "API_KEY_FILE": "key0.txt", "TOKEN": "/run/tokens/x.y"}
    remember_environment(places)
    assert redact(str(places)) == str(places)


def test_plain_values_are_named_in_one_warning_and_never_quoted(monkeypatch):
    monkeypatch.setattr(
        "os.environ", {"POSTGRES_PASSWORD": "postgres", "PIN_TOKEN": "12", "API_KEY": KEY, "USE_AUTH": "true"}
    )
    remember_environment()
    with pytest.warns(UserWarning, match=r"POSTGRES_PASSWORD, PIN_TOKEN looks like no key") as told:
        warn_of_plain_secrets()
    assert len(told) == 1
    assert "postgres" not in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_plain_secrets()


@pytest.mark.parametrize(
    ("name", "secret"),
    [("OPENAI_API_KEY", True), ("api_key", True), ("HF_TOKEN", True), ("password", True),
     ("AWS_SECRET_ACCESS_KEY", True),
     ("MONKEY", False), ("max_tokens", False), ("prompt_tokens", False), ("KEYBOARD", False), ("DATA", False)],
)  # fmt: skip
def test_names_that_hold_secrets_are_told_from_those_that_do_not(name, secret):
    assert is_secret_name(name) is secret
