"""Asking models: the overhead per item beside `inspect eval` with a mock model, and the rate at an endpoint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time

from measure import Cost, interleaved, run_command
from setting import Result, Setting

from steelyard.models import ModelOptions
from steelyard.models.endpoint import EndpointModel
from steelyard.records.models import ModelRequest

ITEMS = 2000
FEW = 20
DELAY = 0.05
CONCURRENCY = 64
REQUESTS = 4000

INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate
import json

def answer(*arguments, **named):
    # With its usage given, the mock counts no tokens: to do that it would download an encoding.
    output = ModelOutput.from_content("mockllm/model", "Default output from mockllm/model")
    output.usage = ModelUsage(input_tokens=8, output_tokens=6, total_tokens=14)
    return output

@task
def asked():
    rows = [json.loads(line) for line in open("asked.jsonl")]
    samples = [Sample(id=row["id"], input=row["input"], target=row["reference"]) for row in rows]
    model = get_model("mockllm/model", custom_outputs=answer)
    return Task(dataset=samples, solver=generate(), scorer=match(), model=model)
"""
INSPECT_CHECK = """
import pathlib, sys
from inspect_ai.log import read_eval_log
(path,) = pathlib.Path("logs").glob("*.eval")
log = read_eval_log(str(path), header_only=True)
done = log.results.completed_samples if log.status == "success" else 0
sys.exit(0 if done == int(sys.argv[1]) else f"{log.status}, {done} samples: {log.error}")
"""
CALLABLE = "def answer(item):\n    return 'Default output from mockllm/model'\n"
SERVER = """
import asyncio, sys
from aiohttp import web
async def answer(request):
    await request.read()
    await asyncio.sleep(float(sys.argv[1]))
    choice = {"message": {"content": "hello"}, "finish_reason": "stop"}
    return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
async def main():
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


def measure(setting: Setting) -> list[Result]:
    inspect = setting.peer("inspect")
    return [_rate(setting), *(_overhead(setting, inspect) if inspect else [])]


def _rate(setting: Setting) -> Result:
    """Return our time for requests that take 50 ms each, 64 at a time, beside the time that an ideal client takes."""
    (setting.folder / "server.py").write_text(SERVER)
    server = subprocess.Popen(
        [sys.executable, "server.py", str(DELAY)], cwd=setting.folder, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        model = EndpointModel("bench", url, ModelOptions(concurrency=CONCURRENCY))
        count = setting.size(REQUESTS, REQUESTS // 2)
        started, cpu = time.perf_counter(), time.process_time()
        answered = sum(1 for _ in model.ask(ModelRequest.of("hello", item_id=str(n)) for n in range(count)))
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
    finally:
        server.terminate()
    assert answered == count
    ideal = Cost(count * DELAY / CONCURRENCY)
    note = f"{count / took:,.0f} a second; {1000 * cpu / count:.2f} ms of CPU time each"
    work = f"{count:,} requests, 64 at a time, to a server that takes 50 ms"
    return Result(work, "an ideal client", 0.8, Cost(took), ideal, unit="wall", note=note)


def _prepare(setting: Setting) -> None:
    rows = [{"id": str(n), "input": f"What is {n} + {n}?", "reference": str(2 * n)} for n in range(ITEMS)]
    lines = [json.dumps(row) + "\n" for row in rows]
    (setting.folder / "bench_callable.py").write_text(CALLABLE)
    for name, count in (("many", ITEMS), ("few", FEW)):
        (setting.folder / f"{name}.jsonl").write_text("".join(lines[:count]))
        (setting.folder / f"{name}.py").write_text(INSPECT_TASK.replace("asked.jsonl", f"{name}.jsonl"))


def _overhead(setting: Setting, inspect: str) -> list[Result]:
    """Return the overhead of an item: what 2,000 items take beyond what 20 do, whose cost is that of the process."""
    _prepare(setting)
    rounds = 1 if setting.quick else 3
    many = interleaved(lambda: _ours(setting, "many"), lambda: _theirs(setting, inspect, "many"), rounds)
    few = interleaved(lambda: _ours(setting, "few"), lambda: _theirs(setting, inspect, "few"), rounds)
    each = [Cost(whole.seconds - start.seconds) for whole, start in zip(many, few, strict=True)]
    rates = ", ".join(f"{(ITEMS - FEW) / cost.seconds:,.0f}" for cost in each)
    work, peer = f"{ITEMS:,} items asked of a mock and judged", "`inspect eval`, mock model"
    whole = f"items a CPU second: {rates}; with process start {many[1].seconds / many[0].seconds:.1f}x"
    return [
        Result(f"{work}: overhead beyond {FEW}", peer, 10, *each, note=whole),
        Result(work, peer, 1, *many, unit="memory"),
    ]


def _ours(setting: Setting, name: str) -> Cost:
    shutil.rmtree(setting.folder / "runs", ignore_errors=True)
    given = ["--dataset", f"{name}.jsonl", "--answer-type", "text", "--model", "python:bench_callable:answer"]
    return run_command(
        [setting.command, "eval", *given, "--name", "bench", "--runs-dir", "runs"], folder=setting.folder
    )


def _theirs(setting: Setting, inspect: str, name: str) -> Cost:
    shutil.rmtree(setting.folder / "logs", ignore_errors=True)
    cost = run_command([inspect, "eval", f"{name}.py", "--display", "none", "--log-dir", "logs"], folder=setting.folder)
    # `inspect eval` exits with 0 where every sample has failed, and a peer that did nothing is no measure.
    python = str(setting.peers / "python")
    run_command([python, "-c", INSPECT_CHECK, str(ITEMS if name == "many" else FEW)], folder=setting.folder)
    return cost
