"""Plans that no solver should write, through `steelyard evaluate` over real HTTP: each is the error of its own turn."""

import json

import pytest

from tests.conversation_rows import row, trace, turn
from tests.serving import Scripted, serving

VALUES = {
    "null": "null",
    "true": "true",
    "overflow": "1e400",
    "negative-overflow": "-1e400",
    "nan": "NaN",
    "long-whole": "9" * 400,
    "too-long-whole": "9" * 5000,
    "empty": '""',
    "surrogate": r'"\ud800"',
    "nul": r'"a\u0000b"',
    "list": "[[[]]]",
    "object": '{"a": 1}',
    "deep": "[" * 500 + "]" * 500,
    "deeper": "[" * 100_000 + "]" * 100_000,
    "itself": '"s1"',
    "no-step": '"#999999999999"',
    "no-constant": '"const_99999999999999999999999"',
    "long-text": json.dumps("x" * 100_000),
}
STEP = '{"steps": [{"step_id": "s1", "tool": %s, %s}]}'
COMPUTE = '{"steps": [{"step_id": "s1", "tool": "compute", "operation": %s, "operands": %s}]}'
PLACES = {
    "steps": lambda value: f'{{"steps": {value}}}',
    "step": lambda value: f'{{"steps": [{value}]}}',
    "tool": lambda value: STEP % (value, '"value": 1500'),
    "value": lambda value: STEP % ('"extract_value"', f'"value": {value}'),
    "another key": lambda value: STEP % ('"extract_value"', f'"value": 1500, "note": {value}'),
    "operation": lambda value: COMPUTE % (value, "[1500, 1200]"),
    "operands": lambda value: COMPUTE % ('"add"', value),
    "operand": lambda value: COMPUTE % ('"exp"', f"[{value}, {value}]"),
    "row": lambda value: COMPUTE % ('"table_sum"', f"[{value}]"),
}
PLANS = {f"{place} {name}": make(value) for place, make in PLACES.items() for name, value in VALUES.items()} | {
    "a circle": '{"steps": [{"step_id": "s1", "tool": "compute", "operation": "add", "operands": ["s1", "s1"]}]}',
    "a power of powers": COMPUTE % ('"exp"', "[9e99, 9e99]"),
    "a root of less than nothing": COMPUTE % ('"exp"', "[-8, 0.5]"),
    "nothing but brackets": "{" * 50_000,
}
LARGEST = 2**63 - 1


class Planner(Scripted):
    """Answers the plan that the document names, and one that overflows where it is sent back; counts all it can."""

    async def answer(self, prompt, content=None):
        _, found, named = prompt.partition("<")
        plan = PLANS[named.partition(">")[0] if found else "value overflow"]
        answered = await super().answer(prompt, content=plan)
        body = json.loads(answered.text) | {"usage": {"prompt_tokens": LARGEST, "completion_tokens": LARGEST}}
        answered.text = json.dumps(body)
        return answered


@pytest.mark.parametrize("more", ["--no-validation", "--max-retries 1"])
def test_every_hostile_plan_is_the_state_of_its_own_turn(command, write, tmp_path, more):
    first = {key: ["x"] for key in ("conv_questions", "conv_answers", "turn_program", "executed_answers")}
    rows = [row(f"c{number}", **first, qa_split=[False]) for number in range(len(PLANS))]
    for conversation, name in zip(rows, PLANS, strict=True):
        conversation["doc"]["pre_text"] = f"<{name}> income rose ."
    write("data.json", {"dev": rows})
    line = f"steelyard evaluate --dataset data.json --model openai:tiny --name one --deadline 20 {more}"
    with serving(Planner()) as url:
        done = command(line, OPENAI_BASE_URL=url)
    assert "internal" not in done.stderr
    lines = (tmp_path / "runs/one/predictions.jsonl").read_text().splitlines()
    assert len(lines) == len(PLANS)
    # What was written can be read: judged again, it is the same.
    before = (tmp_path / "runs/one/eval/turns.csv").read_bytes()
    command("steelyard rescore one")
    assert (tmp_path / "runs/one/eval/turns.csv").read_bytes() == before


@pytest.mark.parametrize("count", ["2**63", "10**30", "10**5000"])
def test_counts_that_no_column_holds_are_the_error_of_their_turn(command, write, tmp_path, count):
    write("data.json", {"dev": [row("c1")]})
    write("fn.py", f"def solve(turn):\n    return {{'answer': '1', 'prompt_tokens': {count}}}\n")
    command("steelyard evaluate --dataset data.json --model python:fn:solve --name one")
    assert len((tmp_path / "runs/one/eval/errors.csv").read_text().splitlines()) == 5


def test_a_trace_whose_count_no_column_holds_is_refused_with_its_line(command, write):
    write("data.json", {"dev": [row("c1")]})
    write("traces.jsonl", [trace("c1", turn(0, "1500", prompt_tokens=2**63))])
    done = command("steelyard evaluate --dataset data.json --traces traces.jsonl", code=3)
    assert "traces.jsonl:1: [bad-trace] `prompt_tokens` is a whole number of 64 bits" in done.stderr
