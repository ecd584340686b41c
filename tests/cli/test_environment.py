"""`.env` files and `STEELYARD_<OPTION>`."""

import os

import click
import pytest
from click.testing import CliRunner

from steelyard.cli.environment import asks_for_json, from_environment, load_environment_file, parse_environment
from steelyard.cli.main import COMMANDS, cli
from steelyard.errors import ConfigurationError
from steelyard.secrets import forget_secrets, redact


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=1", "1"),
        ("A = 1 ", "1"),
        ("export A=1", "1"),
        ('A="x # y"', "x # y"),
        ("A='x' # note", "x"),
        ("A=x#y", "x#y"),
        ("A=x # y", "x"),
        ("A=", ""),
        ("A=a=b", "a=b"),
        ("A=1\r", "1"),
        ("A=é", "é"),
        ('A="a\'b"', "a'b"),
    ],
)
def test_a_line_of_an_env_file_is_a_name_and_a_value(line, value):
    assert parse_environment(line) == {"A": value}


def test_notes_and_blank_lines_are_passed_over():
    assert parse_environment("# note\n\n  \nA=1\n  # more\nA=1\n") == {"A": "1"}


@pytest.mark.parametrize(
    ("text", "line"), [("A", 1), ("A=1\n1A=2", 2), ("A-B=1", 1), ("A='x", 1), ("A=1\n\nA=2", 3), ("A=\0", 1)]
)
def test_a_line_that_means_nothing_is_refused_with_its_number_and_without_its_value(text, line):
    with pytest.raises(ConfigurationError) as caught:
        parse_environment(text, file="x/.env")
    problem = caught.value.problems[0]
    assert (problem.code, problem.file, problem.line) == ("bad-configuration", "x/.env", line)


def test_the_nearest_env_file_upward_is_read_and_the_real_environment_wins(tmp_path, monkeypatch):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".env").write_text("STEELYARD_TEST_FAR=far\n")
    (tmp_path / "a" / ".env").write_text("STEELYARD_TEST_NEAR=near\nSTEELYARD_TEST_SET=file\nMY_TEST_TOKEN=abcd-efgh\n")
    monkeypatch.chdir(inner)
    monkeypatch.setenv("STEELYARD_TEST_SET", "real")
    for name in ("STEELYARD_TEST_NEAR", "STEELYARD_TEST_FAR", "MY_TEST_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    load_environment_file()
    found = [os.environ.pop(name, None) for name in ("STEELYARD_TEST_NEAR", "STEELYARD_TEST_FAR", "MY_TEST_TOKEN")]
    assert (found, os.environ["STEELYARD_TEST_SET"]) == (["near", None, "abcd-efgh"], "real")
    assert redact("abcd-efgh") == "[redacted]"
    forget_secrets()


def test_any_option_of_any_command_is_set_by_a_variable(monkeypatch):
    @click.group()
    def outer() -> None:
        """Do nothing."""

    @outer.command()
    @click.option("--min-items", "-m", type=int)
    @click.option("--json", "as_json", is_flag=True)
    def inner(min_items: int, as_json: bool) -> None:
        click.echo(f"{min_items} {as_json}")

    monkeypatch.setenv("STEELYARD_MIN_ITEMS", "7")
    monkeypatch.setenv("STEELYARD_JSON", "1")
    runner = CliRunner()
    assert runner.invoke(from_environment(outer), ["inner"]).output == "7 True\n"
    assert runner.invoke(outer, ["inner", "-m", "9"]).output == "9 True\n"


def test_every_command_there_is_takes_its_options_from_the_environment():
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        options = [option for option in command.params if isinstance(option, click.Option)]
        assert {str(option.envvar)[:10] for option in options} <= {"STEELYARD_"}


@pytest.mark.parametrize(
    ("arguments", "variables", "wanted"),
    [
        (["x"], {}, False),
        (["x", "--json"], {}, True),
        (["--format", "json"], {}, True),
        (["--format=json"], {}, True),
        (["--format", "csv"], {}, False),
        (["x"], {"STEELYARD_JSON": "true"}, True),
        (["x"], {"STEELYARD_FORMAT": "json"}, True),
    ],
)
def test_errors_are_json_where_output_is(arguments, variables, wanted, monkeypatch):
    for name in ("STEELYARD_JSON", "STEELYARD_FORMAT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert asks_for_json(arguments) is wanted
