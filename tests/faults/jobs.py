"""The commands that the campaign kills and starves of room, each with a folder to work in and what must hold after."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.tamper.worlds import KINDS, made

BESIDE = Path("runs/.steelyard")
OTHER = "gate good --against low"
"""A verdict that no job touches: it is the same whatever became of the job."""


@dataclass(frozen=True)
class Job:
    """One command, and where its result stands."""

    line: str
    kind: str
    """The folder that it works in: one of those that the campaign against forgery makes, or `train`."""
    target: str
    """The run that it writes, or writes into."""
    ends: bool = True
    """Whether the target is a run that the command makes; else it was there, complete."""
    fails: tuple[str, ...] = ()
    """What the target's verdict may name besides, where a stop left it between two states."""

    holds: tuple[str, ...] = ()
    """What ends as it did before where the command found no room: it says so, and nothing has come of it."""


JOBS = {
    "gate": Job("gate worse --against main --junit gates.xml", "stored", "worse", ends=False),
    "baseline": Job(
        "baseline set main good",
        "stored",
        "good",
        ends=False,
        holds=("gate worse --against main", "baseline show main"),
    ),
    "rescore": Job("rescore worse", "stored", "worse", ends=False, fails=("`steelyard rescore",)),
    "rescore by another": Job(
        "rescore worse --scorer text@v2", "stored", "worse", ends=False, fails=("`steelyard rescore", "--allow")
    ),
    "eval": Job("eval task.yaml --predictions good.jsonl --name new", "stored", "new"),
    "suite": Job("eval good.yaml --name new", "suite", "new"),
    "evaluate": Job("evaluate --dataset talks.json --traces good.jsonl --name new --no-plots", "conversations", "new"),
    "research": Job("research --golden golden.json --outputs agent-good --name new", "research", "new"),
    "train": Job("train --config train.yaml --name new", "train", "new"),
}


def make_training() -> None:
    """Runs of a model that was trained on the spot, small enough to be trained again two hundred times."""
    from tests.tiny_models import make_causal

    make_causal(Path("causal"))
    rows = [
        {"instruction": f"what is the capital of {land} ?", "input": "", "output": city}
        for land, city in (("peru", "lima"), ("france", "paris"), ("kenya", "nairobi"))
    ]
    Path("data").mkdir()
    for split in ("train", "test"):
        Path(f"data/{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("train.yaml").write_text(
        "base_model: causal\ndataset: data\ntask: sft\nepochs: 2\nbatch_size: 2\nmax_length: 32\n"
        "prompt: '{instruction} {input}'\ngeneration: {max_new_tokens: 4, max_attempts: 1}\n"
    )
    for name in ("base", "good"):
        made(f"train --config train.yaml --name {name}")
    for name in ("worse", "weak"):
        shutil.copytree("runs/base", f"runs/{name}")


WORLDS: dict[str, Callable[[], None]] = {**KINDS, "train": make_training}
