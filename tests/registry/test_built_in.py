"""The table of built-in names is what the modules register."""

import pkgutil
from importlib import import_module

import steelyard
from steelyard.registry import metrics, scorers
from steelyard.registry.built_in import MODULE_OF, MODULES


def own():
    return [each for each in (*metrics(), *scorers()) if each.module.startswith("steelyard.")]


def test_every_name_stands_in_the_module_that_registers_it():
    assert {each.name: each.module for each in own()} == {
        name: module for name, module in MODULE_OF.items() if name in {each.name for each in own()}
    }


def test_every_part_stands_with_the_first_scorer_that_has_it():
    first = {}
    for each in own():
        for part in getattr(each, "sub_scores", ()):
            first.setdefault(part, each.module)
    names = {each.name for each in own()}
    assert {part: first[part] for part in first if part not in names} == {
        name: module for name, module in MODULE_OF.items() if name not in names
    }


def test_no_module_registers_that_is_not_in_the_table():
    for found in pkgutil.walk_packages(steelyard.__path__, "steelyard."):
        room = found.name.split(".")[1]
        if room in ("scoring", "aggregate", "research", "conversations", "judging"):
            import_module(found.name)
    assert {each.module for each in own()} == {*MODULES}
