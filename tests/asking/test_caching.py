"""The key of a cached answer."""

import msgspec
import pytest

from steelyard.asking.caching import Answers, answer_key, cache_info, clear_cache
from steelyard.errors import MachineError
from steelyard.records.models import Generation, Message, ModelIdentity, ModelReply, ModelRequest
from steelyard.store.cache import AnswerCache

IDENTITY = ModelIdentity("openai:m", "openai", "m", "http://here/v1", "r1", "a1", "k1", "t1", "1.0")
REQUEST = ModelRequest("i", (Message("user", "2 + 2?"),), Generation(16, ("\n",), 0.5, 0.9, 3), reference="4")

CHANGES = [
    ("identity", "spec", "openai:n"),
    ("identity", "kind", "gguf"),
    ("identity", "name", "n"),
    ("identity", "endpoint", "http://there/v1"),
    ("identity", "revision", "r2"),
    ("identity", "adapter", "a2"),
    ("identity", "tokenizer", "k2"),
    ("identity", "template", "t2"),
    ("identity", "runtime", "1.1"),
    ("request", "messages", (Message("user", "2 + 3?"),)),
    ("request", "messages", (Message("system", "2 + 2?"),)),
    ("request", "messages", (Message("system", ""), Message("user", "2 + 2?"))),
    ("request", "reference", "5"),
    ("request", "json_schema", {"type": "object"}),
    ("generation", "max_new_tokens", 17),
    ("generation", "stop", ("\n", ".")),
    ("generation", "temperature", 0.6),
    ("generation", "top_p", 0.8),
    ("generation", "seed", 4),
]


def changed(part, field, value):
    identity, request = IDENTITY, REQUEST
    if part == "identity":
        identity = msgspec.structs.replace(identity, **{field: value})
    elif part == "request":
        request = msgspec.structs.replace(request, **{field: value})
    else:
        generation = msgspec.structs.replace(request.generation, **{field: value})
        request = msgspec.structs.replace(request, generation=generation)
    return identity, request


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STEELYARD_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: ".".join(change[:2]))
def test_a_change_of_any_part_misses(change):
    identity, request = changed(*change)
    Answers(IDENTITY, "p1", enabled=True).keep(REQUEST, ModelReply(output="4"))
    if identity.kind == "openai":
        assert Answers(identity, "p1", enabled=True).find(request) is None
    assert answer_key(identity, request, "p1") != answer_key(IDENTITY, REQUEST, "p1")


def test_every_part_of_the_identity_and_of_the_generation_is_in_the_list():
    named = {(part, field) for part, field, _ in CHANGES}
    assert {field for part, field in named if part == "identity"} == {*ModelIdentity.__struct_fields__}
    assert {field for part, field in named if part == "generation"} == {*Generation.__struct_fields__}


def test_another_prompt_template_misses():
    assert answer_key(IDENTITY, REQUEST, "p1") != answer_key(IDENTITY, REQUEST, "p2")


def test_the_same_question_hits_whatever_its_item_is_called():
    answers = Answers(IDENTITY, "p1", enabled=True)
    answers.keep(REQUEST, ModelReply(output="4 \ud800", prompt_tokens=3))
    renamed = msgspec.structs.replace(REQUEST, item_id="other", fields={"x": 1})
    assert answers.find(renamed) == ModelReply(output="4 \ud800", prompt_tokens=3)


@pytest.mark.parametrize(
    "reply", [ModelReply(state="failed"), ModelReply(state="timeout"), ModelReply(output="4", truncated=True)]
)
def test_only_complete_answers_are_kept(reply):
    answers = Answers(IDENTITY, "p1", enabled=True)
    answers.keep(REQUEST, reply)
    assert answers.find(REQUEST) is None


@pytest.mark.parametrize("kind", ["python", "replay", "mock"])
def test_answers_that_may_depend_on_anything_are_not_kept(kind):
    assert not Answers(msgspec.structs.replace(IDENTITY, kind=kind), "p1", enabled=True).enabled


def test_info_and_clear_tell_what_is_there():
    assert cache_info()["answers"] == 0
    Answers(IDENTITY, "p1", enabled=True).keep(REQUEST, ModelReply(output="4"))
    assert cache_info()["models"] == {"m": 1}
    assert clear_cache() == 1
    assert cache_info()["answers"] == 0


def test_a_broken_cache_costs_nothing_but_its_hits(folder):
    (folder / "answers.sqlite").write_bytes(b"not a database" * 100)
    answers = Answers(IDENTITY, "p1", enabled=True)
    answers.keep(REQUEST, ModelReply(output="4"))
    assert answers.find(REQUEST) is None
    with pytest.raises(MachineError, match="cannot be used"):
        AnswerCache(folder / "answers.sqlite").counts()
