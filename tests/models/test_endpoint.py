"""OpenAI-compatible endpoints over real HTTP."""

import asyncio
import os
import socket
import time
from contextlib import ExitStack, contextmanager

import aiohttp
import pytest

from steelyard.errors import ConfigurationError, IncompleteError
from steelyard.models import ModelOptions, open_model
from steelyard.models.back_off import BackOff, retry_after
from steelyard.models.endpoint_address import connection_fault
from steelyard.records.models import Generation, Message, ModelRequest
from steelyard.secrets import forget_secrets
from tests.serving import Scripted, serving


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


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000", "ftp://localhost/v1", "http://", "http://[::1/v1", "http://host:99999/v1", "http://a b/v1",
        "http://a..b/v1", "http://.a/v1", f"http://{'a' * 300}.com/v1",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(monkeypatch, url):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        open_model("openai:tiny")


def test_a_key_can_come_from_a_secret_file(script, monkeypatch, tmp_path):
    (tmp_path / "key").write_text("sk-from-a-file\n")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "key"))
    answer("hello")
    assert script.headers[0]["Authorization"] == "Bearer sk-from-a-file"


def many(prompt, count, **options):
    model = open_model("openai:tiny", ModelOptions(**{"deadline": 30, **options}))
    return list(model.ask(request(f"{prompt} {number}") for number in range(count)))


def dead_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@pytest.mark.parametrize("count", [1, 3, 500])
def test_a_dead_port_stops_the_run_within_seconds(monkeypatch, count):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{dead_port()}/v1")
    start = time.perf_counter()
    with pytest.raises(IncompleteError, match=r"(?s)cannot be reached.*is the server running"):
        many("hello", count)
    assert time.perf_counter() - start < 3


def test_a_host_that_nobody_knows_stops_the_run(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://nobody.invalid/v1")
    with pytest.raises(IncompleteError, match="has a host that nobody knows"):
        many("hello", 40)


def test_tls_that_fails_stops_the_run(script, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", script.address.replace("http:", "https:") + "/v1")
    with pytest.raises(IncompleteError, match=r"(?s)over TLS.*http:// address"):
        many("hello", 40)


@pytest.mark.parametrize("address", ["http://1.2.3.4.5/v1", "http://256.256.256.256/v1"])
def test_a_host_that_can_be_no_address_stops_the_run(monkeypatch, address):
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(IncompleteError, match="is no address"):
        many("hello", 40)


@pytest.mark.parametrize("proxy", ["garbage", "http://[::1", "http://a:99999999", "socks5://127.0.0.1:9"])
def test_a_proxy_that_is_no_address_is_refused_where_it_would_be_asked(monkeypatch, proxy):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(ConfigurationError, match="HTTP_PROXY is"):
        open_model("openai:tiny")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert open_model("openai:tiny").identity.endpoint == "http://127.0.0.1:9/v1"


@contextmanager
def full_port():
    """A port whose queue is full, so that nothing more is connected and nothing refused."""
    with socket.socket() as held, ExitStack() as waiting:
        held.bind(("127.0.0.1", 0))
        held.listen(0)
        for _ in range(4):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(held.getsockname())
        yield held.getsockname()[1]


@pytest.mark.parametrize(("deadline", "said"), [(2, "0.8"), (30, "10")])
def test_a_connection_that_does_not_come_about_stops_the_run_and_says_after_how_long(monkeypatch, deadline, said):
    start = time.perf_counter()
    with full_port() as port:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        with pytest.raises(IncompleteError, match=rf"no connection within {said} s \(16 requests"):
            many("hello", 40, deadline=deadline, concurrency=16)
    assert time.perf_counter() - start < float(said) + 2


@pytest.mark.parametrize(
    "error", [aiohttp.ServerDisconnectedError(), ConnectionResetError(), aiohttp.ClientPayloadError()]
)
def test_what_breaks_on_the_way_is_no_refusal(error):
    assert connection_fault(error).refusal is None


@pytest.mark.parametrize("count", [1, 5, 200])
def test_requests_that_are_all_refused_stop_the_run_with_what_the_endpoint_says(script, count):
    with pytest.raises(IncompleteError, match="answers 400: context of 8 tokens exceeded"):
        many("too-long", count)
    assert sum(script.seen.values()) <= 32


def test_after_an_answer_a_refused_request_is_its_items_own_failure(script):
    model = open_model("openai:tiny", ModelOptions(concurrency=1))
    pairs = list(model.ask(map(request, ["fine", *(f"too-long {number}" for number in range(40))])))
    assert [reply.state for _, reply in pairs] == [None, *["failed"] * 40]


def test_in_a_resumed_run_refused_requests_are_their_items_own_failures(script):
    model = open_model("openai:tiny", ModelOptions(concurrency=4))
    model.resumed()
    assert {reply.state for _, reply in model.ask(request(f"too-long {number}") for number in range(40))} == {"failed"}


def test_waiting_for_an_overloaded_endpoint_is_told_once(script, monkeypatch):
    monkeypatch.setattr("steelyard.models.back_off.TOLD_AFTER", 0.5)
    with pytest.warns(UserWarning, match="has answered nothing for 0.5 s but 503: later") as told:
        many("overloaded", 6, deadline=4)
    assert len(told) == 1


def test_a_shared_pause_that_is_begun_anew_for_ever_holds_nobody_for_ever():
    """Who wakes first begins the next pause: all others would wait for as many pauses as there are items."""

    async def waited():
        back_off = BackOff(longest=0.1)
        back_off.throttled(None)

        async def others():
            while True:
                back_off.throttled(0.1)
                await asyncio.sleep(0.02)

        renewing = asyncio.create_task(others())
        await asyncio.wait_for(back_off.wait(), 20)
        renewing.cancel()

    asyncio.run(waited())


def test_openai_itself_is_not_asked_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"):
        open_model("openai:tiny")


@pytest.mark.parametrize("key", ["two\nlines", "schl\u00fcssel", "\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(monkeypatch, key):
    monkeypatch.setattr("os.environ", {**os.environ, "OPENAI_API_KEY": key})
    with pytest.raises(ConfigurationError, match="no header can carry") as caught:
        open_model("openai:tiny")
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0.3", 0.3),
        ("7", 7.0),
        *((value, None) for value in ("1e400", "nan", "-5", "²", "", "Fri, 31 Dec 9999 23:59:59 -2359")),
    ],
)
def test_a_wait_that_cannot_be_is_not_waited(value, seconds):
    assert retry_after(value) == seconds


def test_concurrency_is_bounded_and_used():
    script = Scripted(delay=0.02)
    with serving(script) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", url)
        model = open_model("openai:tiny", ModelOptions(concurrency=8))
        pairs = list(model.ask(request(f"q {number}") for number in range(100)))
    assert script.most_under_way == 8
    assert all(reply.output == f"echo {asked.prompt}" for asked, reply in pairs)
