"""Ways to make a run by verbs: every cell works, or is refused by one code that says what to do instead."""

import pytest

from tests.ways.kinds import WAYS
from tests.ways.known_red import KNOWN_RED, REFUSED
from tests.ways.places import inside, make_place
from tests.ways.tables import (
    ELSEWHERE,
    KEYS_ELSEWHERE,
    KINDS,
    MODELS,
    WITHOUT_EFFECT,
    commands,
    kinds,
    models,
    options,
    task_keys,
    tried,
    written_keys,
)
from tests.ways.verbs import COMMANDS, REFUSED_LINES, VERBS, WITHOUT_A_RUN, assert_refused

# What the commands warn of is what some ways are about, and a child that is killed is forked from a process of threads.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def cell(way, verb):
    reason = KNOWN_RED.get((way, verb))
    marks = [pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True)] if reason else []
    return pytest.param(way, verb, id=f"{way}-{verb}", marks=marks)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Return the folder of a way, whose runs are made when it is first asked for."""
    root, made = tmp_path_factory.mktemp("ways"), {}

    def place(name):
        if name not in made:
            made[name] = make_place(WAYS[name], root / name.replace(" ", "-"))
        return made[name]

    return place


@pytest.mark.parametrize(("way", "verb"), [cell(way, verb) for way in WAYS for verb in VERBS])
def test_a_verb_does_for_every_run_what_it_does(places, way, verb):
    place = places(way)
    with inside(place.folder):
        copy = place.copy(verb)
        if (way, verb) in REFUSED:
            assert_refused(copy, verb, REFUSED[way, verb])
        else:
            VERBS[verb](copy)


def test_every_cell_that_is_named_is_in_the_table():
    named = {*REFUSED, *KNOWN_RED}
    assert named <= {(way, verb) for way in WAYS for verb in VERBS}
    assert {verb for _, verb in REFUSED} <= {*REFUSED_LINES}


def test_every_command_is_a_verb_or_does_nothing_with_a_run():
    assert {*COMMANDS}.isdisjoint(WITHOUT_A_RUN)
    assert {*commands()} == {*COMMANDS, *WITHOUT_A_RUN}
    assert {verb for verbs in COMMANDS.values() for verb in verbs} | {"kind"} == {*VERBS}


def test_commands_without_a_run_take_none():
    takes = {name for name in WITHOUT_A_RUN if {"--run", "--runs", "--baseline", "--against"} & options(name)}
    assert not takes, f"name the verbs of {takes}"


@pytest.mark.parametrize("command", WITHOUT_EFFECT)
def test_every_option_that_changes_what_is_evaluated_is_tried(command):
    known = WITHOUT_EFFECT[command] | ELSEWHERE.get(command, set())
    found = options(command)
    assert known <= found
    homeless = {option for option in found - known if not tried(option, command)}
    assert not homeless, f"name {homeless} in the command of a way"


def test_every_kind_of_model_is_a_way():
    assert {*MODELS} == models()
    assert {*MODELS.values()} <= {*WAYS}


def test_every_kind_of_run_is_a_way():
    assert kinds() <= {*KINDS}
    assert {*KINDS.values()} <= {*WAYS}
    assert {way.kind for way in WAYS.values()} <= {*KINDS}


def test_every_key_of_a_task_file_is_tried(tmp_path):
    found = set(KEYS_ELSEWHERE)
    for name, way in WAYS.items():
        if way.kind == "task" and "trained" not in way.command:
            folder = tmp_path / name
            folder.mkdir()
            with inside(folder):
                found |= written_keys(way)
    assert task_keys() - {"eval"} - found == set()


COLLECTION = {
    "show": "runs show base",
    "items": "runs items base",
    "rescore": "rescore base",
    "verify": "gate good --against base --verify",
    "compare": "compare --runs base,good",
    "attribute": "compare --runs base,good --attribute",
    "reproduce": "reproduce --run base",
    "reproduce_verify_only": "reproduce --run base --verify-only",
    "report": "report base --output suite.html",
    "baseline": "baseline set main base",
    "calibrate": "calibrate --baseline base --flip-rate 0.1 --simulations 20",
    "plan": "plan --effect 0.1 --baseline base",
}
"""What is typed for a whole suite: a verb maps over its runs, or is refused."""


@pytest.mark.parametrize(
    "verb",
    COLLECTION,
)
def test_a_verb_maps_over_a_suite_or_is_refused(places, verb):
    place = places("suite member")
    with inside(place.folder):
        done = place.copy(f"suite-{verb}").call(COLLECTION[verb])
    refused = done.code in (2, 3) and "[not-for-this-kind]" in done.err and "hint: " in done.err
    assert done.code == 0 or refused, done
