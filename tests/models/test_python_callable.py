"""Python callables as models."""

import asyncio
import subprocess
import sys
import time

import pytest

from steelyard.models.opening import ModelOptions, open_model
from steelyard.records.models import Message, ModelReply, ModelRequest

SOURCE = """
import asyncio
import sys
import threading
import time
from steelyard.records.models import ModelReply

def upper(item): return item["q"].upper()
def by_attribute(item): return f"{item.id} {item.prompt} {item.tags['k']}"
def number(item): return 4
def reply(item): return ModelReply(output="x", prompt_tokens=7)
def row(item): return {"prediction": "y", "confidence": 0.5, "latency_ms": 2.0}
def nothing(item): return None
def infinite(item): return float("inf")
def broken(item): raise ValueError("no idea")
def late(item): raise TimeoutError("too late")
async def slow(item):
    await asyncio.sleep(0.05)
    return item["q"]
async def hangs(item): await asyncio.sleep(60)
def blocks(item):
    if item.id in ("1", "3"): time.sleep(3600)
    time.sleep(0.05)
    return item.id
def sleeps(item):
    time.sleep(0.2)
    return threading.get_ident()
async def inner(item): return "inner"
around = lambda item: inner(item)
def generator(item): yield 1
def deep(item):
    found = []
    for _ in range(60): found = [found]
    return found
def circular(item):
    found = []
    found.append(found)
    return found
class Text(str):
    def __str__(self): return "another"
    __repr__ = __len__ = None
def text(item): return Text("exact")
class Silent(Exception):
    def __str__(self): raise ValueError("no")
def silent(item): raise Silent
def leaves(item): sys.exit(0)
def interrupts(item): raise KeyboardInterrupt
def bare(item): raise BaseException("bare")
async def async_leaves(item): raise SystemExit(0)
async def async_interrupts(item): raise KeyboardInterrupt
async def async_cancels(item): raise asyncio.CancelledError
async def keeps_the_loop(item):
    await asyncio.sleep(0.01)
    if item.id in ("1", "3"): time.sleep(3600)
    return item.id
async def deaf(item):
    while item.id in ("1", "3"):
        try: await asyncio.sleep(3600)
        except asyncio.CancelledError: pass
    return item.id
async def stops_one(item):
    if item.id in ("1", "3"): raise SystemExit(0)
    await asyncio.sleep(0.01)
    return item.id
def surrogate(item): return "\\ud800"
def long(item): return "x" * (9 << 20)
def long_error(item): raise ValueError("x" * 10_000_000)
def digits(item): return 10**5000
def inner_nan(item): return {"a": [float("nan")]}
def bad_reply(item): return ModelReply(output=object())
def nan_reply(item): return ModelReply(output="x", confidence=float("nan"))
def state_reply(item): return ModelReply(state="odd")
def types_row(item): return {"prediction": "y", "latency_ms": "soon"}
def keys(item): return {object: 1}
def bytes_(item): return b"x"
def exits_hard(item): raise SystemExit("x" * 5)
class Counter:
    async def __call__(self, item): return "counted"
counter = Counter()
"""


@pytest.fixture(autouse=True)
def callables(tmp_path, monkeypatch):
    (tmp_path / "my_callables.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield
    sys.modules.pop("my_callables", None)


def request(item_id="a"):
    return ModelRequest(item_id, (Message("user", "p"),), fields={"q": f"hi {item_id}"}, tags={"k": "v"})


def ask(name):
    return open_model(f"python:my_callables:{name}").generate(request())


def test_the_item_is_its_row_and_has_its_parts_as_attributes():
    assert ask("upper").output == "HI A"
    assert ask("by_attribute").output == "a p v"


def test_any_json_value_is_an_output_and_a_reply_is_taken_as_it_is():
    assert ask("number").output == 4
    reply = ask("reply")
    assert reply == ModelReply(output="x", prompt_tokens=7, latency_ms=reply.latency_ms)
    assert ask("row") == ModelReply(output="y", confidence=0.5, latency_ms=2.0)


@pytest.mark.parametrize(("name", "least"), [("sleeps", 200), ("slow", 50), ("number", 0)])
def test_the_time_of_each_call_is_taken(name, least):
    assert ask(name).latency_ms >= least


@pytest.mark.parametrize(
    "name",
    [
        "nothing", "infinite", "broken", "generator", "deep", "circular", "silent", "leaves", "interrupts", "bare",
        "async_leaves", "async_interrupts", "async_cancels", "long", "long_error", "digits", "inner_nan", "bad_reply",
        "nan_reply", "state_reply", "types_row", "bytes_", "exits_hard",
    ],
)  # fmt: skip
def test_whatever_goes_wrong_is_the_items_failure(name):
    reply = ask(name)
    assert reply.state == "failed"
    assert 0 < len(reply.error) < 1100


def test_a_timeout_of_the_callable_is_a_timeout():
    assert ask("late").state == "timeout"


def test_async_callables_run_side_by_side_and_every_request_gets_its_own_reply():
    model = open_model("python:my_callables:slow", ModelOptions(concurrency=20))
    start = time.perf_counter()
    pairs = list(model.ask(request(str(number)) for number in range(60)))
    assert time.perf_counter() - start < 60 * 0.05 / 2
    assert sorted(pair[0].item_id for pair in pairs) == sorted(map(str, range(60)))
    assert all(reply.output == f"hi {asked.item_id}" for asked, reply in pairs)


def test_sync_callables_run_side_by_side_each_call_in_a_thread():
    model = open_model("python:my_callables:sleeps", ModelOptions(concurrency=8))
    start = time.perf_counter()
    threads = {reply.output for _, reply in model.ask(request(str(number)) for number in range(16))}
    assert time.perf_counter() - start < 16 * 0.2 / 2
    assert len(threads) == 8


def test_a_sync_callable_that_blocks_is_a_timeout_of_its_item_alone():
    model = open_model("python:my_callables:blocks", ModelOptions(concurrency=2, deadline=0.5))
    start = time.perf_counter()
    found = {asked.item_id: reply for asked, reply in model.ask(request(str(number)) for number in range(12))}
    assert time.perf_counter() - start < 5
    assert {item for item, reply in found.items() if reply.state == "timeout"} == {"1", "3"}
    assert [found[str(number)].output for number in range(12) if number not in (1, 3)] == [
        str(number) for number in range(12) if number not in (1, 3)
    ]


@pytest.mark.parametrize(
    ("name", "state"), [("keeps_the_loop", "timeout"), ("deaf", "timeout"), ("stops_one", "failed")]
)
def test_what_an_async_callable_does_to_one_item_no_other_suffers(name, state):
    model = open_model(f"python:my_callables:{name}", ModelOptions(concurrency=4, deadline=0.5))
    start = time.perf_counter()
    found = {asked.item_id: reply for asked, reply in model.ask(request(str(number)) for number in range(12))}
    assert time.perf_counter() - start < 12
    assert {item: reply.state for item, reply in found.items() if reply.state} == {"1": state, "3": state}
    assert all(reply.output == item for item, reply in found.items() if item not in ("1", "3"))


def test_a_reader_that_is_slow_lets_no_call_time_out():
    model = open_model("python:my_callables:upper", ModelOptions(concurrency=2, deadline=0.2))
    for _, reply in model.ask(request(str(number)) for number in range(4)):
        time.sleep(0.3)
        assert reply.state is None


def test_a_plain_function_around_an_async_one_is_awaited():
    assert ask("around").output == "inner"


def test_texts_are_taken_as_they_are_whatever_their_class_says():
    reply = ask("text")
    assert (reply.output, type(reply.output)) == ("exact", str)
    assert ask("surrogate").output == "\ud800"


def test_an_object_with_an_async_call_is_async():
    assert ask("counter").output == "counted"


def test_an_async_callable_that_hangs_is_a_timeout():
    model = open_model("python:my_callables:hangs", ModelOptions(deadline=0.05))
    assert model.generate(request()).state == "timeout"


def test_closing_the_stream_stops_the_asking():
    drawn = []

    def requests():
        for number in range(10_000):
            drawn.append(number)
            yield request(str(number))

    stream = open_model("python:my_callables:slow", ModelOptions(concurrency=4)).ask(requests())
    next(stream)
    stream.close()
    assert len(drawn) < 50


def test_sync_generate_works_inside_no_event_loop_only():
    assert asyncio.run(asyncio.to_thread(ask, "slow")).output == "hi a"


def test_a_process_whose_callables_never_end_ends_promptly(tmp_path):
    rows = "".join(f'{{"id": "{number}", "q": "x", "reference": "x"}}\n' for number in range(4))
    (tmp_path / "items.jsonl").write_text(rows)
    (tmp_path / "forever.py").write_text("import time\ndef answer(item): time.sleep(3600)\n")
    command = "eval --dataset items.jsonl --answer-type text --model python:forever:answer --deadline 1"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *command.split()],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert time.perf_counter() - start < 20
    assert done.returncode == 4, done.stderr
    assert "4 timeout" in done.stderr
    assert "such as '0': no answer within 1 s" in done.stderr
