"""Ways to make a run of every other kind: conversations, research, training, and a hand-made imported run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml

from tests import conversation_rows as talks
from tests import research_artifacts as agents
from tests.ways.places import BASE, GOOD, Way, read_json, steelyard, write_rows
from tests.ways.task_files import WRONG, files
from tests.ways.tasks import SOURCES, VARIATIONS

TALKS = 6
ANSWERS = ["1500", "1200", "300", "25%"]
CALLABLES = """
import os, signal

RIGHT = {"what was income in 2009?": "1500", "and in 2008?": "1200", "what is the difference?": "300"}

def _answer(turn, every):
    number = int(turn["conversation_id"][1:])
    if (number, turn["turn_idx"]) == (3, 1) and os.path.exists("deadly"):
        os.kill(os.getpid(), signal.SIGKILL)
    said = RIGHT.get(turn["question"], "25%") if number % every else "7"
    return {"answer": said, "latency_ms": 3.5, "prompt_tokens": 4, "completion_tokens": 2}

def base(turn):
    return _answer(turn, 2)

def good(turn):
    return _answer(turn, 4)
"""


def conversations() -> None:
    """Write conversations, traces of both runs, and callables that answer turns."""
    names = [f"c{n}" for n in range(TALKS)]
    Path("talks.json").write_text(json.dumps([talks.row(name) for name in names]))
    Path("answering.py").write_text(CALLABLES)
    for run, every in ((BASE, 2), (GOOD, 4)):
        traces = [
            talks.trace(name, *(talks.turn(i, text if n % every else "7") for i, text in enumerate(ANSWERS)))
            for n, name in enumerate(names)
        ]
        write_rows(f"{run}.jsonl", traces)


def unknown_conversations() -> None:
    """Write traces of conversations that are in no dataset, too, and one with a turn that is lacking."""
    conversations()
    for run in (BASE, GOOD):
        rows = [json.loads(line) for line in Path(f"{run}.jsonl").read_text().splitlines()]
        rows[1]["turns"] = rows[1]["turns"][:3]
        write_rows(f"{run}.jsonl", [*rows, talks.trace("nobody", talks.turn(0, "1500"))])


def research() -> None:
    """Write golden queries and the artifacts of two agents; what is wrong lacks the evidence that is asked for."""
    names = [f"r{n}" for n in range(12)]
    entries = [agents.golden(f"Why {name}?", "E1") | {"tags": {"source": "ab"[n % 2]}} for n, name in enumerate(names)]
    agents.write_golden(Path("golden.json"), *entries)
    Path("thresholds.yaml").write_text("evidence_coverage_rate: 0.4\ngolden_recall: 0.9\n")
    for run in (BASE, GOOD):
        for n, name in enumerate(names):
            record = agents.evidence("E1" if n % WRONG[run] else "E2")
            content = agents.output(name, f"Why {name}?", claims=[agents.claim("k1", record)], evidence=[record])
            given = {"events": [agents.event(name, 1)], "manifests": [agents.step(name, 1)]}
            chunks = [{"chunk_id": "c1", "source_id": "s1", "text": agents.TEXT}]
            agents.write_run(Path(run), name, content, chunks=chunks, **given)


CAPITALS = {"peru": "lima", "france": "paris", "kenya": "nairobi", "italy": "rome"}
TRAINING = {
    "base_model": "tiny", "dataset": "data", "batch_size": 8, "lr": 0.02, "threads": 1, "device": "cpu",
    "generation": {"max_new_tokens": 2}, "eval": {"slice_by_tags": ["source"], "hard_examples": 3},
}  # fmt: skip


def training() -> None:
    """Write a model of a few thousand parameters, rows to train and to test on, and one training for each run."""
    from tests.tiny_models import make_causal

    make_causal(Path("tiny"))
    rows = [
        {"instruction": f"what is the capital of {land} ?", "input": "", "output": city, "tags": {"source": "human"}}
        for land, city in CAPITALS.items()
    ]
    Path("data").mkdir()
    write_rows("data/train.jsonl", rows * 2)
    write_rows("data/test.jsonl", rows)
    for run, epochs in ((BASE, 1), (GOOD, 8)):
        Path(f"{run}.yaml").write_text(json.dumps(TRAINING | {"epochs": epochs}))


def trained_before() -> None:
    """Train both models in another folder of runs, and write rows for them to be evaluated on."""
    training()
    write_rows("other.jsonl", [json.loads(line) for line in Path("data/test.jsonl").read_text().splitlines()[::-1]])
    for run in (BASE, GOOD):
        assert steelyard(f"train --config {run}.yaml --name {run} --runs-dir trained").code == 0


FOREIGN = "inspect:match@0.3.2"


def imported() -> None:
    """Write what the hand-made run begins as: an evaluation of stored outputs with one scorer and no metric beside."""
    files(metrics=[])


def make_imported(path: Path) -> None:
    """Turn a finished run into one that another tool judged, by hand, as its importer is to write it.

    The scores that the other tool recorded stand with the outputs in the journal, under the tool's own signature;
    `config.yaml` says where they come from; nothing names a scorer of ours. What is derived is then derived anew.
    """
    scores = {f"i{n}": float(n % WRONG[path.name] > 0) for n in range(24)}
    lines = [json.loads(line) for line in (path / "predictions.jsonl").read_text().splitlines()]
    write_rows(
        str(path / "predictions.jsonl"), [one | {"recorded": {"match": scores[one["item_id"]]}} for one in lines]
    )
    config = yaml.safe_load((path / "config.yaml").read_text())
    for name in ("scorers", "metrics", "predictions", "prompt"):
        config.pop(name, None)
    config["imported"] = {"from": "inspect", "log": "words.eval", "version": "0.3.2", "scorers": {"match": FOREIGN}}
    (path / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    change_record(path, kind="imported", started_as="imported", scorer_version=FOREIGN, primary_metric="match")
    change_record(path, signatures={"scorers": [FOREIGN], "metrics": [], "canonical": []})
    done = steelyard(f"rescore {path.name} --runs-dir {path.parent}")
    assert done.code == 0, done
    (path / "eval/rescored.json").unlink(missing_ok=True)
    reseal_derived(path)
    change_record(path, primary_score=sum(scores.values()) / len(scores))


def change_record(path: Path, **facts: Any) -> None:
    """Write other facts into `run.json`, with the hashes of what now stands beside it."""
    hashes = read_json(path / "hashes.json") | {"items": read_json(path / "eval/hashes.json")["items"]}
    hashes |= {"config": digest(path / "config.yaml"), "journal": digest(path / "predictions.jsonl")}
    hashes["reproducibility"] = text_digest("\n".join(hashes[name] for name in ("config", "data", "environment")))
    hashes["fingerprint"] = text_digest(f"{hashes['config']}\n{hashes['items']}\n{hashes['journal']}")
    write_json(path / "hashes.json", hashes)
    record = read_json(path / "run.json") | facts | {"fingerprint": hashes["fingerprint"]}
    write_sealed(path / "run.json", record | {"files": {name: digest(path / name) for name in record["files"]}})


def reseal_derived(path: Path) -> None:
    """Write the hashes of what is under `eval/` anew, as whoever forges it would."""
    hashes = read_json(path / "eval/hashes.json")
    write_sealed(
        path / "eval/hashes.json", hashes | {"files": {name: digest(path / "eval" / name) for name in hashes["files"]}}
    )


def write_sealed(file: Path, content: dict[str, Any]) -> None:
    """Write a JSON object with the hash of all of it but its seal."""
    kept = {name: value for name, value in content.items() if name != "seal"}
    write_json(file, kept | {"seal": text_digest(json.dumps(kept, sort_keys=True, separators=(",", ":")))})


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Write a JSON file as a run has them."""
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def change_json(file: Path, **changes: Any) -> None:
    """Write other values into a JSON file."""
    write_json(file, read_json(file) | changes)


def digest(file: Path) -> str:
    """Return the hash of a file."""
    return "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()


def text_digest(text: str) -> str:
    """Return the hash of a text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


TRACES = "evaluate --dataset talks.json --traces {answers}.jsonl"
TURNS = "evaluate --dataset talks.json --model python:answering:{answers}"
RESEARCH = "research --golden golden.json --outputs {answers}"


def talk(name: str, command: str, write: Any = conversations) -> Way:
    """Return a way to make a run of conversations."""
    more = {"again": "{line} --resume", "asks": True} if "python:" in command else {}
    return Way(name=name, kind="conversations", command=command, write=write, **more)


OTHERS = (
    talk("conversations by traces", f"{TRACES} --no-plots"),
    talk("conversations by a model", f"{TURNS} --no-plots"),
    talk("conversations, sampled", f"{TRACES} --no-plots --sample-size 4 --seed 3"),
    talk("conversations, unknown", f"{TRACES} --no-plots --model-name tiny", unknown_conversations),
    talk("conversations, gold history", f"{TURNS} --no-plots --history gold --sample-size 5"),
    Way(name="research", kind="research", command=RESEARCH, write=research, codes=(0, 1)),
    Way(
        name="research, own thresholds",
        kind="research",
        command=f"{RESEARCH} --gates thresholds.yaml --min-golden-recall 0.5 --min-manifest-integrity 0.9"
        " --min-abstention-accuracy 0.3 --min-evidence-coverage-rate 0.35 --slice-by source --agent tiny",
        write=research,
        codes=(0, 1, 3),
    ),
    Way(
        name="training",
        kind="training",
        command="train --config {answers}.yaml",
        write=training,
        again="train --resume {run} --runs-dir {runs_dir}",
        timed=True,
    ),
    Way(
        name="trained, other data",
        kind="task",
        command="eval --run trained/{answers} --test-data other.jsonl",
        write=trained_before,
        again="{line} --resume",
        timed=True,
    ),
    Way(
        name="imported",
        kind="imported",
        command="eval task.yaml --predictions {answers}.jsonl",
        write=imported,
        remake=make_imported,
    ),
)
WAYS = {way.name: way for way in (*SOURCES, *VARIATIONS, *OTHERS)}
"""Every row of the table."""
