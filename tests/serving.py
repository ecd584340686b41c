"""A scripted OpenAI-compatible server over real HTTP, in a thread of its own; the prompt says what it does."""

import asyncio
import json
import threading
from collections import Counter
from contextlib import contextmanager

from aiohttp import web


class Scripted:
    """Answers `echo <prompt>`; a prompt that starts with the name of a fault gets that fault instead."""

    def __init__(self, delay=0.0, hold=0.0):
        self.delay = delay
        self.hold = hold
        """Seconds that every request waits, faulty or not, so that those under way together can be counted."""
        self.seen = Counter()
        self.bodies = []
        self.headers = []
        self.address = ""
        self.under_way = 0
        self.most_under_way = 0

    async def handle(self, request):
        body = await request.json()
        prompt = body["messages"][-1]["content"]
        self.seen[prompt] += 1
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.hold)
            fault = getattr(self, "fault_" + prompt.split(" ")[0].replace("-", "_"), None)
            return await fault(request, prompt) if fault else await self.answer(prompt)
        finally:
            self.under_way -= 1

    async def answer(self, prompt, content=None):
        await asyncio.sleep(self.delay)
        message = {"role": "assistant", "content": f"echo {prompt}" if content is None else content}
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 2}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    def first(self, prompt):
        return self.seen[prompt] == 1

    async def fault_throttled(self, request, prompt):
        return web.Response(status=429, text="slow down") if self.first(prompt) else await self.answer(prompt)

    async def fault_throttled_after(self, request, prompt):
        if self.first(prompt):
            return web.Response(status=429, headers={"Retry-After": "0.3"}, text="slow down")
        return await self.answer(prompt)

    async def fault_broken_once(self, request, prompt):
        return web.Response(status=500, text="oops") if self.first(prompt) else await self.answer(prompt)

    async def fault_broken(self, request, prompt):
        return web.Response(status=500, text="oops")

    async def fault_unavailable(self, request, prompt):
        return web.Response(status=503, text="later") if self.first(prompt) else await self.answer(prompt)

    async def fault_overloaded(self, request, prompt):
        return web.Response(status=503, text="later")

    async def fault_reset(self, request, prompt):
        if self.first(prompt):
            request.transport.abort()
        return await self.answer(prompt)

    async def fault_half(self, request, prompt):
        if not self.first(prompt):
            return await self.answer(prompt)
        response = web.StreamResponse(headers={"Content-Length": "5000", "Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(b'{"choices": [{"message": {"content": "ha')
        request.transport.close()
        return response

    async def fault_garbage(self, request, prompt):
        return web.Response(text="<html>not JSON</html>")

    async def fault_shapeless(self, request, prompt):
        return web.json_response({"choices": []})

    async def fault_null(self, request, prompt):
        choice = {"message": {"content": None}, "finish_reason": "content_filter"}
        return web.json_response({"choices": [choice]})

    async def fault_endless(self, request, prompt):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    async def fault_drip(self, request, prompt):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.1)

    async def fault_silent(self, request, prompt):
        await asyncio.sleep(60)

    async def fault_redirect(self, request, prompt):
        return web.Response(status=302, headers={"Location": f"{self.address}/elsewhere"})

    async def fault_too_long(self, request, prompt):
        return web.json_response({"error": {"message": "context of 8 tokens exceeded"}}, status=400)

    async def fault_key(self, request, prompt):
        given = request.headers.get("Authorization", "")
        return web.json_response({"error": {"message": f"bad key {given}"}}, status=401)

    async def fault_forbidden(self, request, prompt):
        return web.Response(status=403, text="no")

    async def fault_unknown(self, request, prompt):
        return web.Response(status=404, text="no such model")

    async def fault_cut_off(self, request, prompt):
        message = {"content": "and so on and"}
        return web.json_response({"choices": [{"message": message, "finish_reason": "length"}]})


@contextmanager
def serving(script):
    """Serve a script on a free port of the loopback for the length of a block; gives its base URL."""
    loop = asyncio.new_event_loop()
    started = threading.Event()

    async def start():
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", script.handle)
        app.router.add_route("*", "/elsewhere", script.handle)
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        script.address = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
        started.set()
        return runner

    def run():
        asyncio.set_event_loop(loop)
        loop.runner = loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield f"{script.address}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(_stop(loop.runner), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _stop(runner):
    """End the server and every answer that is still under way, the endless ones too."""
    await runner.cleanup()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


@contextmanager
def serving_bytes(answers):
    """Serve raw bytes on the loopback: `answers` maps a prompt to what the socket says; gives the base URL.

    Every other prompt is answered `echo <prompt>`. Nothing here knows HTTP beyond where a request ends.
    """
    loop = asyncio.new_event_loop()
    started = threading.Event()
    place = {}

    async def handle(reader, writer):
        try:
            prompt = await _asked_for(reader)
            writer.write(answers.get(prompt) or _echo(prompt))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def start():
        place["server"] = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=512)
        place["port"] = place["server"].sockets[0].getsockname()[1]
        started.set()

    def run():
        asyncio.set_event_loop(loop)
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield f"http://127.0.0.1:{place['port']}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(_close(place["server"]), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _asked_for(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    return json.loads(await reader.readexactly(length))["messages"][-1]["content"]


def _echo(prompt):
    body = json.dumps({"choices": [{"message": {"content": f"echo {prompt}"}, "finish_reason": "stop"}]}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body)


async def _close(server):
    server.close()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
