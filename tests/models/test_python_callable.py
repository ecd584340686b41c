"""Python callables as models."""

import asyncio
import sys
import time

import pytest

from steelyard.models.opening import ModelOptions, open_model
from steelyard.records.models import Message, ModelReply, ModelRequest

SOURCE = """
import asyncio
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
    assert ask("reply") == ModelReply(output="x", prompt_tokens=7)
    assert ask("row") == ModelReply(output="y", confidence=0.5, latency_ms=2.0)


@pytest.mark.parametrize("name", ["nothing", "infinite", "broken"])
def test_whatever_goes_wrong_is_the_items_failure(name):
    reply = ask(name)
    assert reply.state == "failed"
    assert reply.error


def test_a_timeout_of_the_callable_is_a_timeout():
    assert ask("late").state == "timeout"


def test_async_callables_run_side_by_side_and_every_request_gets_its_own_reply():
    model = open_model("python:my_callables:slow", ModelOptions(concurrency=20))
    start = time.perf_counter()
    pairs = list(model.ask(request(str(number)) for number in range(60)))
    assert time.perf_counter() - start < 60 * 0.05 / 2
    assert sorted(pair[0].item_id for pair in pairs) == sorted(map(str, range(60)))
    assert all(reply.output == f"hi {asked.item_id}" for asked, reply in pairs)


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
