"""Write `evalsets/conversations_v1.traces.json`: traces of a made solver over the conversations that ship.

No model wrote them. The solver follows each turn's program and goes wrong at places that are named here, so that every
part of the report of `steelyard evaluate` has something to show.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SETS = Path(__file__).resolve().parents[1] / "evalsets"
CALL = re.compile(r"(\w+)\(([^,]+), ([^)]+)\)")

# Conversation and turn: what goes wrong there.
SCALED = {("Single_aldermoor_2008", 3), ("Double_cantle_2010", 3), ("Double_inchkeith_2011", 3)}
SWAPPED = {("Single_dunmore_2011", 2), ("Single_kestrel_2008", 2)}
ROUNDED = {("Single_garnet_2009", 2), ("Double_lowfield_2009", 5)}
ANOTHER_YEAR = {("Double_fenwick_2008", 4): "59.1", ("Single_juniper_2012", 1): "367.6"}
STOPS_EARLY = {("Double_fenwick_2008", 3): "-201.7"}
TIMED_OUT = {("Single_eastgate_2012", 3)}
MISSING = {("Single_holloway_2010", 3)}
SENT_BACK = {("Double_fenwick_2008", 5), ("Single_brightwater_2009", 3)}


def steps(program: str, *, swapped: bool) -> list[dict[str, Any]]:
    """Return the plan of a program; a swapped one subtracts the other way round."""
    found: list[dict[str, Any]] = []
    calls = CALL.findall(program)
    if not calls:
        return [{"step_id": "s1", "tool": "extract_value", "value": float(program)}]
    for number, (operation, *operands) in enumerate(calls, start=1):
        values = [f"s{int(one[1:]) + 1}" if one.startswith("#") else float(one) for one in operands]
        if swapped and operation == "subtract":
            values.reverse()
        found.append({"step_id": f"s{number}", "tool": "compute", "operation": operation, "operands": values})
    return found


def answer(key: tuple[str, int], displayed: str, executed: float | str) -> str:
    """Return what the solver says in a turn."""
    if key in ANOTHER_YEAR or key in STOPS_EARLY:
        return (ANOTHER_YEAR | STOPS_EARLY)[key]
    if key in SCALED:
        return displayed.removesuffix("%")
    if key in SWAPPED:
        return str(-float(executed))
    if key in ROUNDED:
        return str(round(float(executed)))
    return displayed


def turn(key: tuple[str, int], displayed: str, program: str, executed: float | str) -> dict[str, Any]:
    """Return one turn of a trace."""
    _, index = key
    calls = 2 if key in SENT_BACK else 1
    said = {"turn_idx": index, "actual_answer": answer(key, displayed, executed)}
    planned = steps(program, swapped=key in SWAPPED)
    plan = {"plan": {"steps": planned[:1] if key in STOPS_EARLY else planned}}
    cost = {"prompt_tokens": calls * (420 + 35 * index), "completion_tokens": calls * (18 + 9 * len(program) // 8)}
    cost |= {"llm_calls": calls, "latency_ms": calls * (310 + 40 * index)}
    if key in TIMED_OUT:
        error = {"type": "TimeoutError", "message": "no answer within 60 s"}
        return {"turn_idx": index, "actual_answer": None, **cost, "latency_ms": 60_000, "error": error}
    if key not in SENT_BACK:
        return said | plan | cost
    failed = {"retry_number": 0, "valid": False, "confidence": 0.4, "failed_steps": ["s1"]}
    passed = {"retry_number": 1, "valid": True, "confidence": 0.9, "failed_steps": [], "issues": []}
    logs = [failed | {"issues": ["s1 takes a number that the document does not have"]}, passed]
    return said | plan | cost | {"validator_logs": logs}


def trace(conversation: dict[str, Any]) -> dict[str, Any]:
    """Return the trace of a conversation."""
    name, dialogue = conversation["id"], conversation["dialogue"]
    columns = (dialogue[key] for key in ("conv_answers", "turn_program", "executed_answers"))
    turns = [turn((name, index), *row) for index, row in enumerate(zip(*columns, strict=True))]
    kept = [entry for entry in turns if (name, entry["turn_idx"]) not in MISSING]
    return {"trace_id": f"made-{name}", "conversation_id": name, "turns": kept}


def main() -> None:
    """Write the file."""
    conversations = json.loads((SETS / "conversations_v1.json").read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(trace(one), ensure_ascii=False) for one in conversations)
    (SETS / "conversations_v1.traces.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
