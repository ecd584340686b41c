"""Stored traces and flat rows to turns, and turns back to traces (page 40).

Both forms become one stream of rows, one per turn. Keys that are not known are left alone, so that a trace which this
product wrote, with its judgements, can be read again.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.conversations.dataset import answer_text
from steelyard.errors import excerpt
from steelyard.numbers.grammar import parse_number
from steelyard.numbers.quantity import NotANumber
from steelyard.numbers.units import resolve, table_unit
from steelyard.programs import ProgramError, expression_steps
from steelyard.records.conversations import TurnError, TurnTrace, ValidatorLog
from steelyard.records.measures import MEASURES
from steelyard.secrets import SECRET_IN_OUTPUT

_CONVERSATION_IDS = ("conversation_id", "record_id", "id")
_ANSWERS = ("actual_answer", "predicted_answer", "answer", "prediction")
_PROMPT_TOKENS, _COMPLETION_TOKENS = (
    measure.fields for measure in MEASURES if measure.name in ("prompt_tokens", "completion_tokens")
)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 120
LARGEST_COUNT = 2**63 - 1
"""What a column of counts can hold."""


class TraceError(ValueError):
    """A row that is no trace and no turn of one, with the reason."""


def trace_name(identity: str) -> str:
    """Return an id that can name a file; what had to change is told apart by a hash.

    >>> trace_name("Single_IPG/2009/page_85.pdf-3"), trace_name("c1")
    ('Single_IPG_2009_page_85.pdf-3-26274699', 'c1')
    """
    safe = _UNSAFE.sub("_", identity)[:_LONGEST_NAME]
    if safe == identity and safe.strip("."):
        return safe
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe.strip('.')}-{digest[:8]}"


def turn_rows(fields: Mapping[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield conversation id, turn index and fields of each turn that a row holds: a whole trace, or one flat turn."""
    conversation = _conversation_id(fields)
    turns = fields.get("turns")
    if turns is None:
        yield conversation, _turn_index(fields), dict(fields)
        return
    if not isinstance(turns, list):
        raise TraceError(f"`turns` is {excerpt(repr(turns))}, expected a list")
    for turn in turns:
        if not isinstance(turn, Mapping):
            raise TraceError(f"a turn is {excerpt(repr(turn))}, expected an object")
        yield conversation, _turn_index(turn), {**turn, "trace_id": fields.get("trace_id")}


def _conversation_id(fields: Mapping[str, Any]) -> str:
    for name in _CONVERSATION_IDS:
        found = fields.get(name)
        if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
            return str(found)
    raise TraceError("there is no `conversation_id` or `record_id`")


def _turn_index(fields: Mapping[str, Any]) -> int:
    found = fields.get("turn_idx")
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise TraceError(f"`turn_idx` is {excerpt(repr(found))}, expected a whole number from 0")
    return found


def read_turn(fields: Mapping[str, Any]) -> TurnTrace:
    """Return one turn of a trace from its fields, or raise TraceError."""
    plan, calculation = _plan(fields)
    trace_id = fields.get("trace_id")
    return TurnTrace(
        turn_idx=_turn_index(fields),
        actual_answer=_answer(fields),
        plan=plan,
        prompt_tokens=_count(fields, _PROMPT_TOKENS),
        completion_tokens=_count(fields, _COMPLETION_TOKENS),
        llm_calls=_calls(fields, "llm_calls"),
        tool_calls=_calls(fields, "tool_calls"),
        latency_ms=_latency(fields),
        validator_logs=tuple(map(_validator_log, _list(fields, "validator_logs"))),
        error=_error(fields),
        trace_id=None if trace_id is None else str(trace_id),
        calculation=calculation,
        held_key=fields.get(SECRET_IN_OUTPUT) is True,
    )


def _answer(fields: Mapping[str, Any]) -> str | None:
    for name in _ANSWERS:
        if name in fields:
            value = fields[name]
            if value is None or isinstance(value, str | int | float):
                return None if value is None else with_unit(answer_text(value), fields.get("predicted_unit"))
            raise TraceError(f"`{name}` is {excerpt(repr(value))}, expected a text or a number")
    return None


def with_unit(answer: str, unit: object) -> str:
    """Return an answer with the unit that a flat row names beside it (`predicted_unit`), where it has none of its own.

    Only units that are known count: `percent` and `million USD`, and not `raw`, `ratio` or `none`.

    >>> with_unit("10.82", "percent"), with_unit("10.82%", "percent"), with_unit("0.1", "ratio"), with_unit("no", "%")
    ('10.82%', '10.82%', '0.1', 'no')
    """
    if not isinstance(unit, str) or not unit.strip():
        return answer
    named, number = unit.strip(), parse_number(answer)
    if isinstance(number, NotANumber) or number.is_boolean or number.unit is not None:
        return answer
    known = resolve(named)
    if known.scale == 1 and (known.dimensionless or table_unit(named) is None):
        return answer
    return f"{answer.strip()}%" if known.name == "%" else f"{answer.strip()} {named}"


def _plan(fields: Mapping[str, Any]) -> tuple[tuple[Mapping[str, Any], ...] | None, str | None]:
    """Return the plan's steps; where there is only an infix calculation, the steps that it stands for."""
    plan = fields.get("plan")
    if plan is None:
        calculation = fields.get("predicted_calculation")
        return _calculated(calculation) if isinstance(calculation, str) and calculation.strip() else (None, None)
    steps = plan.get("steps") if isinstance(plan, Mapping) else plan
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise TraceError("`plan` is no object with a list of `steps`")
    return tuple(steps), None


def _calculated(calculation: str) -> tuple[tuple[Mapping[str, Any], ...] | None, str | None]:
    try:
        computed = expression_steps(calculation)
    except ProgramError:
        return None, calculation
    steps: list[Mapping[str, Any]] = [
        {"step_id": f"s{number}", "tool": "compute", "operation": operation, "operands": list(operands)}
        for number, (operation, operands) in enumerate(computed, start=1)
    ]
    value = calculation.split("=", maxsplit=1)[0].strip()
    return tuple(steps) or ({"step_id": "s1", "tool": "extract_value", "value": value},), None


def _count(fields: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = fields.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_COUNT:
            raise TraceError(f"`{name}` is {excerpt(_shown(value))}, expected a whole number from 0 to 2^63 - 1")
        return value
    return None


def _shown(value: Any) -> str:
    # Python prints no whole number of more than 4,300 digits.
    beyond = isinstance(value, int) and value > LARGEST_COUNT
    return f"a whole number of {value.bit_length()} bits" if beyond else repr(value)


def _calls(fields: Mapping[str, Any], name: str) -> tuple[Any, ...] | int | None:
    value = fields.get(name)
    if isinstance(value, list | tuple):
        return tuple(value)
    return _count(fields, (name,))


def _latency(fields: Mapping[str, Any]) -> float | None:
    value = fields.get("latency_ms")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise TraceError(f"`latency_ms` is {excerpt(repr(value))}, expected milliseconds")
    return float(value)


def _list(fields: Mapping[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise TraceError(f"`{name}` is {excerpt(repr(value))}, expected a list")
    return list(value)


def _validator_log(value: Any) -> ValidatorLog:
    if isinstance(value, ValidatorLog):
        return value
    if not isinstance(value, Mapping) or not isinstance(value.get("valid"), bool):
        raise TraceError(f"a validator log is {excerpt(repr(value))}, expected an object with `valid` true or false")
    confidence = value.get("confidence")
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, int | float)):
        raise TraceError(f"a validator's `confidence` is {excerpt(repr(confidence))}, expected a number")
    return ValidatorLog(
        retry_number=_count(value, ("retry_number",)) or 0,
        valid=value["valid"],
        confidence=None if confidence is None else float(confidence),
        failed_steps=tuple(map(str, _list(value, "failed_steps"))),
        issues=tuple(map(str, _list(value, "issues"))),
    )


def _error(fields: Mapping[str, Any]) -> TurnError | None:
    value = fields.get("error")
    if not value:
        return None
    if isinstance(value, Mapping):
        kind = str(value.get("type") or "Error")
        return TurnError(kind, str(value.get("message") or kind))
    return TurnError("Error", str(value))
