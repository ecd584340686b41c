"""The limits of page 80, and that every message about one names the option that raises it."""

import dataclasses

import pytest

from steelyard.cli.eval import eval_command
from steelyard.reading.limits import MIB, Limits


def test_the_limits_are_those_of_the_specification():
    assert (Limits().max_line_bytes, Limits().max_depth, Limits().max_yaml_bytes) == (32 * MIB, 64, MIB)


@pytest.mark.parametrize("name", ["max_line_bytes", "max_depth", "max_unpacked_bytes"])
def test_a_limit_that_names_an_option_has_it(name):
    option = f"--{name.replace('_', '-')}"
    assert name in {field.name for field in dataclasses.fields(Limits)}
    assert option in {spelling for found in eval_command.params for spelling in found.opts}
