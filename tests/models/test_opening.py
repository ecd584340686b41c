"""Model specs."""

import json

import pytest

from steelyard.errors import ConfigurationError, InputError, UsageError
from steelyard.models import Model, open_model
from steelyard.records.models import ModelRequest


def ask(spec, item_id="a"):
    return open_model(spec).generate(ModelRequest.of("2 + 2?", item_id=item_id))


@pytest.mark.parametrize("spec", ["", "gpt", "embeded", "gguf:", "openai", "mock:x", "hf:"])
def test_what_is_no_model_is_a_usage_error_that_lists_the_kinds(spec):
    with pytest.raises(UsageError, match="replay:FILE"):
        open_model(spec)


def test_a_mistyped_kind_gets_a_suggestion():
    with pytest.raises(UsageError, match="did you mean 'embedded'"):
        open_model("embeded")


def test_the_mock_gives_no_answer_and_says_that_it_is_a_mock():
    model = open_model("mock")
    assert isinstance(model, Model)
    assert model.identity.is_mock
    reply = ask("mock")
    assert (reply.output, reply.state) == (None, "failed")


def test_replay_gives_the_stored_answer_by_id(tmp_path):
    file = tmp_path / "stored.jsonl"
    rows = [{"id": "a", "output": "4", "prompt_tokens": 3}, {"id": "b", "state": "timeout"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert ask(f"replay:{file}").output == "4"
    assert ask(f"replay:{file}").prompt_tokens == 3
    assert ask(f"replay:{file}", "b").state == "timeout"
    assert ask(f"replay:{file}", "c").state == "failed"


def test_a_replayed_file_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        open_model(f"replay:{tmp_path / 'none.jsonl'}")


@pytest.mark.parametrize("spec", ["python:nowhere:f", "python:json:nothing", "python:json", "python:json:__name__"])
def test_a_callable_that_cannot_be_loaded_is_a_configuration_error(spec):
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        open_model(spec)
