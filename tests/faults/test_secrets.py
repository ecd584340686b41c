"""No secret in anything written: keys planted in environment, configuration, address and error messages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars
import pytest
from aiohttp import web

from tests.serving import Scripted, serving

SECRETS = {
    "OPENAI_API_KEY": "sk-planted-key-0001",
    "PLANTED_TOKEN": "planted-token-0002",
    "DOTENV_SECRET": "planted-dotenv-0003",
}
PASSWORD, QUERY = "planted-password-0004", "planted-query-0005"
PLANTED = (*SECRETS.values(), PASSWORD, QUERY)


class Leaky(Scripted):
    """Puts the key that it was given into answers and errors."""

    async def fault_leaky(self, request, prompt):
        return await self.answer(prompt, content=f"your key is {request.headers['Authorization']}")

    async def fault_leaky_error(self, request, prompt):
        message = f"bad request with {request.headers['Authorization']} and {QUERY} and {SECRETS['PLANTED_TOKEN']}"
        return web.json_response({"error": {"message": message}}, status=400)


def steelyard(folder, *arguments, **environment):
    given = {**os.environ, **environment, "STEELYARD_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
    command = [sys.executable, "-m", "steelyard", *arguments]
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False, timeout=120)


def everything_written(folder, *results):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in (".env", "task.yaml"):
            yield str(path), path.read_bytes().decode("utf-8", "replace")
            if path.suffix == ".parquet":
                yield f"{path} (unpacked)", str(polars.read_parquet(path).to_dicts())
    for number, result in enumerate(results):
        yield f"output {number}", result.stdout + result.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tmp").mkdir()
    kinds = ("fine", "leaky", "leaky-error")
    rows = [{"id": f"{kind}-{n}", "prompt": f"{kind} {n}", "expected_answer": "x"} for n in range(3) for kind in kinds]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / ".env").write_text(f"DOTENV_SECRET={SECRETS['DOTENV_SECRET']}\n")
    (tmp_path / "task.yaml").write_text(
        "task: leaks\ndataset: items.jsonl\n"
        'prompt: "{prompt} ${PLANTED_TOKEN} ${DOTENV_SECRET}"\nprompt_version: "${PLANTED_TOKEN}"\n'
    )
    return tmp_path


def test_no_planted_secret_is_in_any_byte_that_is_written(folder):
    with serving(Leaky()) as url:
        address = url.replace("http://", f"http://me:{PASSWORD}@") + f"?key={QUERY}"
        given = {"OPENAI_BASE_URL": address, **SECRETS}
        del given["DOTENV_SECRET"]
        task = ("eval", "task.yaml", "--model", "openai:tiny", "--name")
        first = steelyard(folder, *task, "first", "--error-budget", "3", "--deadline", "5", **given)
        over = steelyard(folder, *task, "over", "--json", "--deadline", "5", **given)
        wrong = Path(folder / "task.yaml")
        wrong.write_text(wrong.read_text().replace("leaks", "leaks2").replace("{prompt}", "key {prompt}"))
        refused = steelyard(folder, *task, "refused", "--deadline", "5", **given)
        bad = steelyard(folder, "eval", "task.yaml", "--model", f"python:{SECRETS['PLANTED_TOKEN']}:f", **given)
        listed = steelyard(folder, "reindex", **given)
    assert (first.returncode, over.returncode, refused.returncode, bad.returncode) == (0, 4, 4, 2), (
        first.stderr + over.stderr + refused.stderr + bad.stderr
    )
    journal = (folder / "runs" / "first" / "predictions.jsonl").read_text()
    assert "[redacted]" in journal
    places = [
        (place, secret)
        for place, text in everything_written(folder, first, over, refused, bad, listed)
        for secret in PLANTED
        if secret in text
    ]
    assert not places
