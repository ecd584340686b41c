"""What the runs of `write_old_runs.py` are made from: small data, task files, models that answer by rule."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ITEMS = 12
KINDS = ("red", "blue")
CAPITALS = {"Peru": "Lima", "France": "Paris", "Kenya": "Nairobi", "Italy": "Rome"}
MODEL = '''"""Models that answer by rule, so that the runs can be made again."""

import os
import signal

def answer(item):
    """Answer two of three items."""
    return item["answer"] if int(item.id[1:]) % 3 else "no idea"


def better(item):
    """Answer all items but one."""
    return item["answer"] if item.id != "i4" else "no idea"


def failing(item):
    """Break on one item."""
    if item.id == "i3" and not os.path.exists("mended"):
        raise RuntimeError("out of luck")
    return item["answer"]


def dying(item):
    """End the process on one item."""
    if item.id == "i3" and not os.path.exists("mended"):
        os.kill(os.getpid(), signal.SIGKILL)
    return item["answer"]


def stopping(item):
    """Stop the process on one item, as Ctrl-C does."""
    if item.id == "i3" and not os.path.exists("mended"):
        os.kill(os.getpid(), signal.SIGINT)
    return item["answer"]


def solve(turn, history):
    """Answer the first two turns of a conversation."""
    return {"what was income in 2009?": 1500, "and in 2008?": 1200}.get(turn.question)
'''


def write_json(path: Path, content: Any) -> None:
    """Write JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSONL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_sums(folder: Path) -> None:
    """Write items with three sets of answers, one of them with rows that cannot be read."""
    numbers = range(ITEMS)
    tags = [{"kind": KINDS[n % 2], "level": ("easy", "hard")[n // 6]} for n in numbers]
    write_rows(
        folder / "items.jsonl",
        ({"id": f"i{n}", "prompt": f"{n} + {n}", "answer": str(2 * n), "tags": tags[n]} for n in numbers),
    )
    rows = [
        {"id": f"i{n}", "prompt": f"{n}?", "answer": str(n), "answer_type": ("number", "text")[n % 2]} for n in numbers
    ]
    write_rows(folder / "mixed.jsonl", rows)
    for name, step in (("first", 3), ("second", 5), ("third", 7)):
        answers = [{"id": f"i{n}", "prediction": str(2 * n) if n % step else "no idea"} for n in numbers]
        write_rows(folder / f"{name}.jsonl", answers)
    broken = (folder / "first.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    broken[4] = '{"id": "i4", "prediction": \n'
    (folder / "broken.jsonl").write_text("".join(broken), encoding="utf-8")


def write_labels(folder: Path) -> None:
    """Write items to classify, with losses."""
    for name, step in (("first", 3), ("second", 5)):
        write_rows(
            folder / f"labels-{name}.jsonl",
            (
                {
                    "id": f"c{n}",
                    "text": f"text {n}",
                    "label": KINDS[n % 2],
                    "prediction": KINDS[(n + (n % step == 0)) % 2],
                }
                for n in range(ITEMS)
            ),
        )


def write_events(folder: Path) -> None:
    """Write items with several fields, each for a metric of its own."""
    for name, step in (("first", 3), ("second", 5)):
        rows = [
            {
                "id": f"e{n}", "text": f"event {n}", "gt_mood": KINDS[n % 2], "gt_change": n / 2,
                "gt_topics": ["a", "b"], "pred_topics": ["b", "c"], "pred_change": n / 2 + n % step,
                "pred_mood": KINDS[(n + (n % step == 0)) % 2],
                "loss": 0.25 + n / 100, "n_tokens": 4 + n,
            }
            for n in range(ITEMS)
        ]  # fmt: skip
        write_rows(folder / f"events-{name}.jsonl", rows)


def conversation(number: int) -> dict[str, Any]:
    """Return a conversation of three turns in ConvFinQA's shape."""
    return {
        "id": f"c{number}",
        "doc": {
            "pre_text": "income rose .", "post_text": "",
            "table": {"2008": {"income": 1200.0}, "2009": {"income": 1500.0}},
        },
        "dialogue": {
            "conv_questions": ["what was income in 2009?", "and in 2008?", "what is the difference?"],
            "conv_answers": ["1500", "1200", "300"],
            "turn_program": ["1500", "1200", "subtract(1500, 1200)"],
            "executed_answers": [1500.0, 1200.0, 300.0],
            "qa_split": [False, False, False],
        },
        "features": {
            "num_dialogue_turns": 3, "has_type2_question": False, "has_duplicate_columns": False,
            "has_non_numeric_values": False,
        },
    }  # fmt: skip


def write_conversations(folder: Path) -> None:
    """Write conversations and two sets of traces."""
    write_json(folder / "conversations.json", {"dev": [conversation(n) for n in range(4)]})
    asked = conversation(0)["dialogue"]["conv_questions"]
    for name, step in (("first", 2), ("second", 3)):
        traces = [
            {
                "trace_id": f"trace-c{n}",
                "conversation_id": f"c{n}",
                "turns": [
                    {"turn_idx": turn, "question": asked[turn], "actual_answer": answer if (n + turn) % step else 7}
                    for turn, answer in enumerate((1500, 1200, 300))
                ],
            }
            for n in range(4)
        ]
        write_rows(folder / f"traces-{name}.jsonl", traces)


def write_research(folder: Path) -> None:
    """Write golden queries and the runs of an agent."""
    questions = ["How deep is it?", "How old is it?"]
    golden = [{"objective": q, "required_evidence_ids": ["E1"], "evidence_sufficient": True} for q in questions]
    write_json(folder / "golden.json", golden)
    cited = {
        "evidence_id": "E1", "chunk_id": "c1", "source_id": "s1", "quote": "reached clay",
        "span": {"start": 11, "end": 23},
    }  # fmt: skip
    for number, question in enumerate(questions):
        run = folder / "agent" / f"r{number}"
        claims = [{"claim_id": "k1", "claim_text": "clay", "status": "verified", "evidence": [cited]}]
        said = {"stop_reason": "OBJECTIVE_ACHIEVED", "summary": "", "claims": claims, "evidence": [], "metadata": {}}
        write_json(run / "research_output.json", {"run_id": f"r{number}", "objective": question} | said)
        step = {"run_id": f"r{number}", "step_id": "s0"}
        write_rows(run / "manifests.jsonl", [step])
        write_rows(run / "events.jsonl", [step | {"event_type": "ACT", "payload": {}}])


def write_training(folder: Path) -> None:
    """Write a base model of a few thousand parameters, and rows to train and test it on."""
    rows = [
        {"id": f"q{n}", "instruction": f"What is the capital of {land} ?", "input": "", "output": f"{city} ."}
        for n, (land, city) in enumerate(CAPITALS.items())
    ]
    write_rows(folder / "capitals" / "train.jsonl", rows)
    write_rows(folder / "capitals" / "test.jsonl", (row | {"id": f"t{n}"} for n, row in enumerate(rows)))
    words = " ".join(f"{row['instruction']} {row['output']}" for row in rows)
    make = f"""
import torch, transformers
from tokenizers import Tokenizer, models, pre_tokenizers
names = list(dict.fromkeys(["<pad>", "<s>", "</s>", "<unk>", *{words!r}.split()]))
tokenizer = Tokenizer(models.WordLevel(dict(zip(names, range(len(names)))), unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
transformers.PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
).save_pretrained("tiny")
torch.manual_seed(0)
transformers.LlamaForCausalLM(transformers.LlamaConfig(
    vocab_size=len(names), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
    num_key_value_heads=2, max_position_embeddings=32, initializer_range=0.2,
    pad_token_id=0, bos_token_id=1, eos_token_id=2,
)).save_pretrained("tiny")
"""
    (folder / "make_tiny.py").write_text(make, encoding="utf-8")
    training = {
        "base_model": "tiny", "task": "sft", "epochs": 2, "batch_size": 4, "lr": 2e-2, "lora_r": 2, "threads": 1,
        "device": "cpu", "generation": {"max_new_tokens": 4},
    }  # fmt: skip
    write_json(folder / "train.yaml", training)


def write_tasks(folder: Path) -> None:
    """Write task files; JSON is YAML."""
    sums = {"dataset": "items.jsonl", "fields": {"reference": "answer"}, "eval": {"slice_by_tags": ["kind", "level"]}}
    text = {"answer_type": "text", "metrics": ["exact_match", "f1", "rouge1"]}
    write_json(folder / "sums.yaml", {"task": "sums"} | sums | text)
    write_json(folder / "numbers.yaml", {"task": "numbers", "answer_type": "number"} | sums)
    write_json(
        folder / "mixed.yaml", {"task": "mixed"} | sums | {"dataset": "mixed.jsonl", "answer_type": "mixed", "eval": {}}
    )
    gates = [{"metric": "exact_match", "min": 0.1}]
    write_json(folder / "gated.yaml", {"task": "gated", "gates": gates} | sums | text)
    metrics = ["accuracy", "macro_f1", "weighted_f1", "precision_per_class", "recall_per_class", "confusion_matrix"]
    for name in ("first", "second"):
        labels = {"task": "labels", "dataset": f"labels-{name}.jsonl", "answer_type": "label", "metrics": metrics}
        write_json(folder / f"labels-{name}.yaml", labels)
        fields = [
            {"type": "exact_match", "pred_field": "mood", "label_field": "gt_mood"},
            {"type": "numeric_error", "pred_field": "change", "label_field": "gt_change", "tolerance_abs": 0.5},
            {"type": "list_overlap", "pred_field": "topics", "label_field": "gt_topics"},
        ]
        events = {
            "name": "events",
            "version": "v1",
            "prompt_version": "e.v1",
            "answer_type": "choice",
            "metrics": fields,
        }
        write_json(folder / f"events-{name}.yaml", events | {"dataset": f"events-{name}.jsonl"})
        part = {"dataset": "items.jsonl", "fields": {"reference": "answer"}, "predictions": f"{name}.jsonl"}
        for task in ("one", "two"):
            write_json(folder / f"{task}-{name}.yaml", {"task": task, "answer_type": "text"} | part)
        tasks = [f"one-{name}.yaml", f"two-{name}.yaml"]
        suite = {"suite": "release", "tasks": tasks, "gates": [{"metric": "exact_match", "min": 0.1}]}
        write_json(folder / f"suite-{name}.yaml", suite)
    write_json(folder / "policy.yaml", {"gates": [{"skipped": {"max_rate": 0.5}}]})


def write_inputs(folder: Path) -> None:
    """Write everything that the runs are made from."""
    folder.mkdir(parents=True)
    (folder / "models.py").write_text(MODEL, encoding="utf-8")
    for write in (
        write_sums,
        write_labels,
        write_events,
        write_conversations,
        write_research,
        write_training,
        write_tasks,
    ):
        write(folder)
    for number, name in ((1, "first"), (2, "second")):
        shutil.copyfile(folder / f"{name}.jsonl", folder / f"repeat-{number}.jsonl")
        shutil.copyfile(folder / f"{('second', 'third')[number - 1]}.jsonl", folder / f"again-{number}.jsonl")
