"""OpenAI-compatible endpoints over real HTTP."""

import time

import pytest
from serving import Scripted, serving

from steelyard.errors import ConfigurationError, IncompleteError
from steelyard.models import ModelOptions, open_model
from steelyard.records.models import Generation, Message, ModelRequest
from steelyard.records.secrets import forget_secrets


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield
    forget_secrets()


@pytest.fixture
def script(monkeypatch):
    script = Scripted()
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        yield script


def request(prompt, **generation):
    return ModelRequest(prompt, (Message("user", prompt),), Generation(**generation))


def answer(prompt, **options):
    return open_model("openai:tiny", ModelOptions(**{"deadline": 5, **options})).generate(request(prompt))


def test_an_answer_comes_with_the_counts_of_the_server(script):
    reply = answer("two words")
    assert (reply.output, reply.prompt_tokens, reply.completion_tokens) == ("echo two words", 2, 2)
    assert reply.latency_ms > 0
    assert reply.finish_reason == "stop"


def test_the_request_says_everything_that_was_asked_for(script, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")
    model = open_model("openai:tiny")
    model.generate(request("hello", max_new_tokens=7, stop=("\n",), temperature=0.5, seed=3))
    assert script.bodies[0] == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "stop": ["\n"],
    }
    assert script.headers[0]["Authorization"] == "Bearer sk-planted-secret"


@pytest.mark.parametrize("fault", ["throttled", "throttled-after", "broken-once", "unavailable", "reset", "half"])
def test_a_passing_fault_is_asked_again(script, fault):
    reply = answer(fault)
    assert (reply.output, reply.attempts) == (f"echo {fault}", 2)


def test_retry_after_is_honoured(script):
    start = time.perf_counter()
    answer("throttled-after")
    assert time.perf_counter() - start >= 0.3


@pytest.mark.parametrize(
    ("fault", "state", "words"),
    [
        ("broken", "failed", "500: oops"),
        ("garbage", "failed", "not JSON"),
        ("shapeless", "failed", "no choices"),
        ("null", "failed", "no content (finish_reason 'content_filter')"),
        ("endless", "failed", "cut at 200000 bytes"),
        ("redirect", "failed", "not followed"),
        ("too-long", "failed", "context of 8 tokens exceeded"),
        ("drip", "timeout", "no answer within 1 s"),
        ("silent", "timeout", "no answer within 1 s"),
    ],
)
def test_a_lasting_fault_is_the_items_failure_within_its_deadline(script, fault, state, words):
    start = time.perf_counter()
    reply = answer(fault, deadline=1, max_answer_bytes=200_000)
    assert time.perf_counter() - start < 3
    assert (reply.output, reply.state) == (None, state)
    assert words in reply.error


def test_a_redirect_is_not_followed(script):
    answer("redirect")
    assert script.seen["redirect"] == 1


def test_an_answer_cut_at_the_token_limit_says_so(script):
    assert answer("cut-off").truncated


@pytest.mark.parametrize(
    ("fault", "hint"), [("key", "OPENAI_API_KEY"), ("forbidden", "permission"), ("unknown", "name")]
)
def test_what_every_item_would_get_stops_the_run_at_once(script, fault, hint):
    model = open_model("openai:tiny", ModelOptions(concurrency=8))
    with pytest.raises(IncompleteError, match=hint):
        list(model.ask(request(f"{fault} {number}") for number in range(500)))
    assert sum(script.seen.values()) <= 16


def test_a_key_in_an_error_message_is_redacted(script, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")
    with pytest.raises(IncompleteError) as caught:
        answer("key")
    assert "sk-planted-secret" not in str(caught.value)
    assert "[redacted]" in str(caught.value)


def test_what_is_secret_in_the_address_is_no_part_of_the_identity(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hunter22@localhost:1/v1?key=topsecret")
    assert open_model("openai:tiny").identity.endpoint == "http://localhost:1/v1"


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost/v1", "http://"])
def test_an_address_that_is_none_is_refused(monkeypatch, url):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        open_model("openai:tiny")


def test_a_key_can_come_from_a_secret_file(script, monkeypatch, tmp_path):
    (tmp_path / "key").write_text("sk-from-a-file\n")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "key"))
    answer("hello")
    assert script.headers[0]["Authorization"] == "Bearer sk-from-a-file"


def test_concurrency_is_bounded_and_used():
    script = Scripted(delay=0.02)
    with serving(script) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", url)
        model = open_model("openai:tiny", ModelOptions(concurrency=8))
        pairs = list(model.ask(request(f"q {number}") for number in range(100)))
    assert script.most_under_way == 8
    assert all(reply.output == f"echo {asked.prompt}" for asked, reply in pairs)
