"""Tables for people, JSON for machines."""

import json

import pytest

from steelyard.cli.output import plain, print_json, print_table
from steelyard.secrets import forget_secrets, remember_secret


def test_json_is_exact_whatever_the_text(capfd):
    value = {"text": "\x1b[31m \ud800 é \u202e", "n": 2**70}
    print_json(value)
    out = capfd.readouterr().out
    assert json.loads(out) == value
    assert "\\ud800" in out


def test_tables_escape_foreign_text_and_know_no_secret(capsys):
    remember_secret("hunter2hunter2")
    try:
        print_table(["name", "value"], [["\x1b[31mred", "[bold]x"], ["key", "hunter2hunter2"]])
    finally:
        forget_secrets()
    assert capsys.readouterr().out.split("\n")[1:3] == ["\\x1b[31mred  [bold]x   ", "key          [redacted]"]


@pytest.mark.parametrize("name", ["NO_COLOR", "CI"])
def test_logs_have_no_colours(name, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for variable in ("NO_COLOR", "CI"):
        monkeypatch.delenv(variable, raising=False)
    assert plain() is False
    monkeypatch.setenv(name, "1")
    assert plain() is True
