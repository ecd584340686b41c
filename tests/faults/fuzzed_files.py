"""Broken files from a seed: mutations of good ones, and files that a grammar makes. The same seed, the same bytes."""

# ruff: noqa: E501 - tables of hostile values read better in long lines
from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

WORDS = [
    b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-0", b"9007199254740993", b"null", b"true", b'""', b"{}", b"[]",
    b'"\\ud800"', b"\\u0000", b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u2028".encode(), b"\r", b"\r\n",
    b"\n", b"\t", b'"', b"'", b"\\", b",", b":", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"!!python/object:os.system ",
    b"<<: ", b"---\n", b"...\n", b"${HOME}", b"${NOT_SET_ANYWHERE}", b"$${X}", b"|\n  ", b"- ", b"? ", b"# ", b"%YAML 9.9\n",
    b"\x1b[31m", b"::error::", b"##vso[task]", "\u202e".encode(), b"=1+1", b'"id"', b'"prediction"', b"_untagged",
    b"[" * 70, b"{\"a\":" * 70, b"9" * 5000, b"0x" + b"f" * 5000, b"a" * 3000, b"(a+)+$", b"1,2,3", b"<think>", "答案：".encode(),
]  # fmt: skip

TEXTS = [
    "9**9**9", "1e308 km", "12,5", "(1,234.5)", "百分之十", "１２３", "\u2212" * 500, "$" * 500, "1 m^99999999", "-", "+-1", "0x1F", "1/0", "１e9",
    "\ud800\udc00", "\ud800", "\x00", "\u202eabc", "e\u0301" * 300, "👩\u200d👩\u200d👧", "ﷺ" * 50, "a" * 20_000, " " * 20_000, "\n" * 5000,
    "<think>" * 300, "</think>", "<think>x</think>4", "Answer:" * 300, "答案：", r"\boxed{" * 300, r"\boxed{\frac{1}{2}}", "A or B", "(A)", "A" * 999,
    '{"value": 1e999}', '{"a":' * 300, "[1, 2", "```json\n{}\n```", "1, 2, 2, 2", "- a\n- b", ";".join("ab" * 500), "=cmd|' /C calc'!A0",
    "true", "yes", "null", "NaN", "inf", "-0", "00012", "1_000", "1 000", "１，０００", "3%", "300 bps", "5 万", "1" * 400, "0." + "0" * 400 + "1",
]  # fmt: skip

TYPES = ["choice", "number", "list", "text", "reasoning", "label", "mixed"]
REFERENCES: dict[str, list[Any]] = {
    "choice": ["A", "B", {"answer_type": "choice", "value": "A"}],
    "number": ["12.5%", 3, -0.5, "1,234 km", {"value": 3, "unit": "kg"}],
    "list": [["a", "b"], ["x"], {"items": ["a"], "ordered": True}],
    "text": ["Paris", "a longer text", "答案", {"value": "x", "keywords": ["x"]}],
    "reasoning": [{"final_answer": "4", "steps": ["add"]}, {"final_answer": {"value": 4}, "claims": []}],
    "label": ["pos", "neg"],
}
KEYS = ["id", "prompt", "expected_answer", "output", "prediction", "section", "tags", "answer_type", "error", "state",
        "confidence", "loss", "n_tokens", "eval_time_ms", "gt_x", "pred_x", "conversation_id", "turn_idx", "reference"]  # fmt: skip

TASK_KEYS = ["task", "name", "version", "dataset", "answer_type", "fields", "tag_fields", "choices", "aliases", "prompt",
             "prompt_version", "generation", "extract", "parse_schema", "scorers", "metrics", "scoring_profile", "eval",
             "cluster_by", "gates", "normalization", "unknown"]  # fmt: skip
TASK_VALUES: list[Any] = [
    "text", "number", "label", "mixed", "f1", ["f1", "exact_match"], ["accuracy"], ["answer_correctness@v1"], ["number@v1"],
    [{"name": "number@v1", "tolerance_rel": 0.02}], [{"name": "choice@v1", "aliases": ["x=A"]}], [{"name": "f1", "normalize": "squad"}],
    "answer_line", "last_number", "boxed", {"regex": "(a+)+$"}, {"json_field": "a.b"}, {"regex": "("}, {}, [], None, True, 0, 1.5, -1, "",
    {"id": "id", "reference": "expected_answer"}, {"reference": "gt_x"}, {"A": ["a", "x"], "B": ["x"]}, ["A", "B"],
    {"hard_examples": 3, "slice_by_tags": ["section", ["section", "answer_type"]]}, {"slice_by_tags": ["length_bucket"]},
    {"format_rules": [{"name": "r", "pattern": "(x+x+)+y"}]}, {"format_rules": [{"name": "r", "pattern": "["}]},
    {"format_rules": [{"name": "r", "max_tokens": 3}, {"name": "s", "json_schema": {"type": "object"}}]},
    [{"type": "exact_match", "pred_field": "output", "label_field": "expected_answer"}], "section", "profile.yaml", "../..", "/",
    {"lowercase": True, "unit_aliases": {"m": "metre"}}, {"text": {"pass_threshold": 2}}, 10**30, "é" * 200,
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One evaluation: the files it reads, of which one is broken, and the name of that one."""

    files: dict[str, bytes]
    broken: str
    bad_rows: str = "refuse"


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def items(chance: Random, kind: str) -> list[dict[str, Any]]:
    found = []
    for number in range(chance.randrange(1, 7)):
        own = chance.choice(list(REFERENCES)) if kind == "mixed" else kind
        row = {
            "id": f"i{number}",
            "prompt": "What?",
            "expected_answer": chance.choice(REFERENCES[own]),
            "section": "core",
        }
        found.append(row | ({"answer_type": own} if kind == "mixed" else {}))
    return found


def predictions(chance: Random, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    outputs: list[Any] = [
        "A",
        "12.5",
        "Paris",
        "a, b",
        "Answer: 4",
        "",
        None,
        True,
        3,
        ["a", "b"],
        {"value": 3},
        "<think>x",
    ]
    return [{"id": row["id"], "output": chance.choice(outputs)} for row in rows]


def csv_of(rows: list[dict[str, Any]], delimiter: str = ",") -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([str(row.get(name, "")) for name in names] for row in rows)]
    lines = (delimiter.join(f'"{cell}"' if "," in cell else cell for cell in line) for line in cells)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def yaml_of(value: Any) -> bytes:
    """JSON is YAML, and a top level in lines is what people write."""
    lines = (f"{key}: {json.dumps(inner, ensure_ascii=False)}\n" for key, inner in value.items())
    return "".join(lines).encode("utf-8", "surrogatepass")


def mutated(chance: Random, data: bytes) -> bytes:
    """Return the bytes with one to four changes."""
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + chance.choice([1, 3, 20, 200]))
        change = chance.randrange(8)
        if change == 0:
            data = data[:at]
        elif change == 1:
            data = data[:at] + data[to:]
        elif change == 2:
            data = data[:to] + data[at:]
        elif change == 3 and data:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif change == 4:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            data = b"\n".join(lines)
        else:
            data = data[:at] + chance.choice(WORDS) + data[at if change < 7 else to :]
    return data


def wild_value(chance: Random, depth: int = 0) -> Any:
    """Return any JSON value, and some that JSON has no words for."""
    kind = chance.randrange(12 if depth < 4 else 9)
    if kind == 9:
        return [wild_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind > 9:
        return {
            chance.choice([*KEYS, "x", "é", "\ud800"]): wild_value(chance, depth + 1)
            for _ in range(chance.randrange(4))
        }
    return chance.choice(
        [None, True, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", "A", "i1", "12,5", "\ud800", "\x00", "1e5 km"]
    )


def wild_row(chance: Random) -> dict[str, Any]:
    return {chance.choice(KEYS): wild_value(chance) for _ in range(chance.randrange(1, 7))} | (
        {"id": f"i{chance.randrange(5)}"} if chance.random() < 0.8 else {}
    )


def wild_task(chance: Random) -> dict[str, Any]:
    return {"task": "fuzz"} | {
        chance.choice(TASK_KEYS): chance.choice(TASK_VALUES) for _ in range(chance.randrange(1, 5))
    }


def case(seed: int) -> Case:
    """Return the evaluation of a seed."""
    chance = Random(seed)
    kind = chance.choice(TYPES)
    rows = items(chance, kind)
    found = predictions(chance, rows)
    task = {"task": "fuzz", "answer_type": kind, "eval": {"hard_examples": 2, "slice_by_tags": ["section"]}}
    profile = {"version": "v1", "normalization": {"lowercase": True}, "scorers": {"text": {"pass_threshold": 0.3}}}
    suffix = chance.choice(["jsonl", "jsonl", "csv", "json", "tsv"])
    files = {
        "task.yaml": yaml_of(task),
        "profile.yaml": yaml_of(profile),
        f"data.{suffix}": _written(rows, suffix),
        f"out.{suffix}": _written(found, suffix),
    }
    broken = chance.choice([*["task.yaml"] * 3, "profile.yaml", *[f"data.{suffix}"] * 3, *[f"out.{suffix}"] * 3])
    if not broken.endswith("yaml") and chance.random() < 0.3:
        hostile = [_hostile_row(chance, row) for row in (rows if broken.startswith("data") else found)]
        files[broken] = _written(hostile, suffix)
    else:
        files[broken] = _broken(chance, broken, files[broken])
    return Case(files, broken, chance.choice(["refuse", "quarantine"]))


def _hostile_row(chance: Random, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose form is good and one of whose values is what no author had in mind."""
    name = chance.choice([*(name for name in row if name != "id"), "tags", "conversation_id", "loss", "confidence"])
    return row | {name: chance.choice([chance.choice(TEXTS), wild_value(chance), [chance.choice(TEXTS), 1]])}


def _written(rows: list[dict[str, Any]], suffix: str) -> bytes:
    if suffix == "json":
        return json.dumps(rows, indent=1).encode()
    return json_lines(rows) if suffix == "jsonl" else csv_of(rows, "\t" if suffix == "tsv" else ",")


def _broken(chance: Random, name: str, good: bytes) -> bytes:
    if chance.random() < 0.55:
        return mutated(chance, good)
    if name == "task.yaml":
        made = yaml_of(wild_task(chance))
    elif name == "profile.yaml":
        made = yaml_of(
            {chance.choice(["version", "scorers", "normalization", "x"]): chance.choice(TASK_VALUES) for _ in range(2)}
        )
    else:
        made = _written([wild_row(chance) for _ in range(chance.randrange(6))], name.rpartition(".")[2])
    return mutated(chance, made) if chance.random() < 0.3 else made
