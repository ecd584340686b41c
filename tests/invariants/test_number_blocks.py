"""Numbers as blocks: every figure, tag and sentence is the item form's, whatever is written."""

import json
import random
import subprocess
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import InputError
from steelyard.items import scan
from steelyard.judging.items import Judge
from steelyard.judging.labelling import raw_references
from steelyard.kernels.plain_numbers import UNIT_NAMES, numbers_block
from steelyard.numbers.grammar import NotANumber, parse_number
from steelyard.records.answers import Number
from steelyard.records.blocks import TextColumn
from steelyard.registry import bind_scorer
from steelyard.scoring.number_blocks import answer_texts, number_block, number_block_fits
from tests.invariants.test_block_forms import FILES, assert_same_bytes, both_ways  # noqa: F401 - a fixture

ROOT = Path(__file__).resolve().parents[2]
PIECES = [
    "0",
    "1",
    "12",
    "005",
    "999",
    ",",
    ",000",
    ".",
    ".5",
    ".25",
    "-",
    "+",
    "$",
    "%",
    " ",
    "\t",
    "(",
    ")",
    "e5",
    "k",
    "−",
    "１",
    "€",
]
SPELLINGS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
TOLERANCES = [
    {},
    {"tolerance_abs": 0.5},
    {"tolerance_rel": 0.01},
    {"tolerance_abs": 0.001, "tolerance_rel": 0.02},
    {"tolerance_abs": 0.0},
]
TASK = {
    "task": "numbers",
    "answer_type": "number",
    "metrics": ["exact_match", "f1"],
    "eval": {
        "format_rules": [{"name": "digit", "pattern": r"\d"}],
        "slice_by_tags": ["source"],
        "hard_examples": 5,
    },
}


@settings(max_examples=300)
@given(st.lists(SPELLINGS | st.text(max_size=6), min_size=1, max_size=20))
def test_what_is_read_as_a_plain_number_is_that_number_in_the_grammar(texts):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    column = numbers_block(TextColumn.of(texts))
    for row in np.flatnonzero(column.plain).tolist():
        found, value = parse_number(texts[row]), column.values[row].item()
        value = value if column.decimals[row] else int(value)
        assert not isinstance(found, NotANumber)
        assert (repr(found.value), found.unit) == (repr(value), UNIT_NAMES[column.units[row]])


@pytest.mark.parametrize(
    "text", ["42", "-1,234.50", " +5 ", "$3.20", "-$1,000", "$-7", "12.5%", "0.0001", "000", "1,234,567%"]
)
def test_ordinary_spellings_are_plain(text):
    assert numbers_block(TextColumn.of([text])).plain.all()


@pytest.mark.parametrize(
    "text", ["", "12,5", "1,2,3", "0,123", "5.", ".5", "$5%", "1e3", "5 %", "-0", "1234567890123456", "٣"]
)
def test_other_spellings_are_left_to_the_grammar(text):
    assert not numbers_block(TextColumn.of([text])).plain.any()


def assert_equal_rows(scorer, predicted, expected):
    """Hold every row that the block form decides against the item form; return how many it decides."""
    found, wanted = (numbers_block(TextColumn.of(texts)) for texts in (predicted, expected))
    plain = found.plain & wanted.plain
    block = number_block(scorer, found.kept(plain), wanted.kept(plain))
    sure = np.flatnonzero(~block.unsure).tolist()
    rows = np.flatnonzero(plain).tolist()
    for place in sure:
        answers = [parse_number(texts[rows[place]]) for texts in (predicted, expected)]
        card = scorer(*(Number(answer.value, answer.unit) for answer in answers))
        parts = {name: values[place].item() for name, values in block.scores.sub_scores.items()}
        assert {name: None if np.isnan(value) else value for name, value in parts.items()} == dict(card.sub_scores)
        assert block.scores.primary[place] == card.primary_score
        assert block.scores.passed[place] == card.passed
        assert block.scores.error_tags[place] == card.error_tags
        assert block.scores.explain[place] == card.explain
    return len(sure)


AMOUNTS = st.decimals(min_value=-(10**9), max_value=10**9, allow_nan=False, places=3) | st.integers(-2000, 2000)
FACTORS = st.sampled_from(["1", "-1", "100", "0.01", "1.01", "0.99", "1.004", "1.000000001", "1.3", "0"])
SPELLED = st.sampled_from(["{:f}", "{:,f}", "{:f}%", "${:f}", "{:,.0f}", "{:.1f}%"])


@st.composite
def pairs(draw):
    amount = draw(AMOUNTS)
    other = draw(AMOUNTS) if draw(st.booleans()) else amount
    missed = Decimal(other) * Decimal(draw(FACTORS))
    return draw(SPELLED).format(missed), draw(SPELLED).format(Decimal(amount))


@settings(max_examples=150)
@given(st.lists(pairs(), min_size=1, max_size=30), st.sampled_from(TOLERANCES))
def test_the_block_form_of_numbers_equals_the_item_form(rows, tolerance):
    assert_equal_rows(bind_scorer("number@v1", tolerance), *zip(*rows, strict=True))


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_numbers_on_both_sides_of_every_limit_equal_the_item_form(tolerance):
    near = [
        "0",
        "1",
        "1.01",
        "1.0100001",
        "0.99",
        "1.001",
        "1.00001",
        "0.001",
        "0.00001",
        "-1",
        "100",
        "0.01",
        "1.02",
        "1.5",
    ]
    spelled = [form.format(text) for text in near for form in ("{}", "{}%", "${}")]
    pairs_of = [(first, second) for first in spelled for second in spelled]
    decided = assert_equal_rows(bind_scorer("number@v1", tolerance), *zip(*pairs_of, strict=True))
    assert decided > len(pairs_of) // 2


def test_the_conformance_table_holds_in_the_block_form():
    decided = 0
    for line in (ROOT / "tests/conformance/number@v1.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        spelled = [_spelled(row[side]) for side in ("predicted", "expected")]
        given = row["expected"]
        if None in spelled or row.get("parameters"):
            continue
        scorer = bind_scorer(
            "number@v1", {name: given[name] for name in ("tolerance_abs", "tolerance_rel") if name in given}
        )
        columns = [numbers_block(TextColumn.of([text])) for text in spelled]
        if not (columns[0].plain.all() and columns[1].plain.all()):
            continue
        block = number_block(scorer, *columns)
        if block.unsure[0]:
            continue
        decided += 1
        parts = {name: None if np.isnan(values[0]) else values[0] for name, values in block.scores.sub_scores.items()}
        assert parts == row["sub_scores"], line
        assert (block.scores.primary[0], list(block.scores.error_tags[0])) == (row["primary"], row["error_tags"]), line
    assert decided > 10


def _spelled(answer):
    value, unit = answer.get("value"), answer.get("unit")
    if isinstance(value, bool) or not isinstance(value, int | float) or unit not in (None, "%"):
        return None
    return f"{value}{unit or ''}"


def test_aliases_of_the_two_units_take_the_item_form():
    assert number_block_fits(bind_scorer("number@v1", {"unit_aliases": ("pct=%",)}))
    assert not number_block_fits(bind_scorer("number@v1", {"unit_aliases": ("%=bp",)}))


def test_a_whole_number_with_decimals_reads_without_them():
    assert answer_texts(numbers_block(TextColumn.of(["5.0", "5.50%", "-$1,250"]))) == ["5", "5.5 %", "-1250 $"]


WRITTEN = [
    "5", "-5", "5.0", "5.00%", "0.05", "500", "$5", "$5.00", "1,250", "12,5", "five", "", " ", "5 kg", "五", "yes",
    "(5)", "5k", "1e3", "−5", "５", "$5$", "5.", "The answer is 5.", "<think>5</think> 6", "nan", "9" * 20, "no",
    "0", "-0", "0.0", "-0.0", "1.01", "1.0100000001", "0.000001", "\\", '"', "x\n5", "\ud800",
]  # fmt: skip


def made_rows(seed, count=250):
    """Numbers as text and as JSON numbers, in several shapes, with rows that no column can judge."""
    chance = random.Random(seed)
    for number in range(count):
        expected = chance.choice(
            [text for text in WRITTEN[:10] if text != "12,5"] + ["1.01", "0", "(5)", "5 kg", "yes"]
        )
        row = {"id": f"n{number}", "input": f"q{number}é", "prediction": chance.choice(WRITTEN), "reference": expected}
        row["tags"] = {"source": chance.choice(["human", "web"])}
        match number % 7:
            case 1:
                row["reference"] = chance.choice([5, 0.5, -1.25, 10**20, 1e-7, True])
            case 2:
                row["prediction"] = chance.choice(
                    [5, 0.50, -1.25, 10**20, 1e-7, True, None, ["5"], {"value": 5, "unit": "%"}]
                )
            case 3:
                row["reference"] = {"value": 5, "tolerance_abs": 0.5}
            case 4:
                row["latency_ms"] = chance.choice([1, 2.50])
            case 5:
                del row["prediction"]
        yield row


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("more", [{}, {"metrics": None}, {"scorers": [{"name": "number@v1", "tolerance_rel": 0.01}]}])
def test_files_of_numbers_leave_the_same_bytes(both_ways, seed, more):  # noqa: F811
    task = {name: value for name, value in (TASK | more).items() if value is not None}
    assert_same_bytes(*both_ways(made_rows(seed), task))


def test_numbers_as_they_are_spelled_in_json_leave_the_same_bytes(both_ways):  # noqa: F811
    spelled = ["12.50", "-0", "-0.0", "0.10", "1.0", "5", "-7", "100000000000000000000000.5", "0.00001", "3.14"]
    lines = [
        f'{{"id":"{number}-{place}","prediction":{text},"reference":{other}, "eval_time_ms": {text}, '
        f'"tags":{{"source":"web"}}}}\n'.encode()
        for number, text in enumerate(spelled)
        for place, other in enumerate(spelled)
    ]
    assert_same_bytes(*both_ways(lines, TASK))


def test_a_reference_that_is_no_number_is_the_same_error_either_way(both_ways):  # noqa: F811
    lines = [{"id": str(number), "prediction": "5", "reference": "5" if number % 9 else "12,5"} for number in range(60)]
    rows, columns = both_ways(lines, TASK)
    assert isinstance(rows, InputError)
    assert rows.as_dict() == columns.as_dict()


@pytest.mark.parametrize("kind", ["number", "text"])
@pytest.mark.parametrize("extraction", ["answer_line", {"regex": "[0-9.]{1,3}"}])
def test_references_inside_worked_solutions_leave_the_same_bytes(both_ways, kind, extraction):  # noqa: F811
    lines = [{"id": str(n), "prediction": f"{n % 5}", "reference": f"9876 so\nAnswer: {n % 3}"} for n in range(40)]
    assert_same_bytes(*both_ways(lines, {"task": "worked", "answer_type": kind, "extract_reference": extraction}))


def test_confidences_under_a_name_of_their_own_leave_the_same_bytes(both_ways):  # noqa: F811
    lines = [{"id": str(n), "label": "ab"[n % 2], "prediction": "ab"[n % 3 == 0], "p": n % 10 / 10} for n in range(60)]
    assert_same_bytes(*both_ways(lines, {"task": "sure", "answer_type": "label", "fields": {"confidence": "p"}}))


def test_labels_are_the_same_whichever_way_they_are_collected(both_ways, monkeypatch):  # noqa: F811
    chance = random.Random(4)
    labels = ["a", "A ", "b", "é", "\u200b", "<think>", "5", " c", "d\n"]
    lines = [
        {"id": str(n), "label": chance.choice([*labels, 5, True, {"value": "f", "aliases": ["g"]}]), "prediction": "a"}
        for n in range(150)
    ]
    task = {"task": "labels", "answer_type": "label"}
    rows, _ = both_ways(lines, task)
    by_rows = {name: (rows / name).read_bytes() for name in FILES}
    smallest_zero = partial(raw_references, smallest=0)
    monkeypatch.setattr("steelyard.kinds.task.streaming.raw_references", smallest_zero)
    (rows.parent).rename(rows.parent.with_name("before"))
    for found in both_ways(lines, task):
        assert {name: (found / name).read_bytes() for name in FILES} == by_rows


@pytest.mark.parametrize("kind", ["num", "list", "cls"])
def test_the_workloads_of_the_bench_leave_the_same_bytes(both_ways, tmp_path, monkeypatch, kind):  # noqa: F811
    script = ROOT.parent / "shared" / "bench" / "workload.py"
    if not script.exists():
        pytest.skip("shared/bench is not beside this checkout")
    made = [sys.executable, str(script), str(tmp_path), kind, "1500"]
    subprocess.run(made, check=True, capture_output=True)
    lines = (tmp_path / f"{kind}_1500.jsonl").read_bytes().splitlines(keepends=True)
    monkeypatch.setattr(scan, "BLOCK_BYTES", 1 << 18)
    counted = []
    judge = Judge.judge
    monkeypatch.setattr(Judge, "judge", lambda self, block: counted.append(len(block)) or judge(self, block))
    answer_type = {"num": "number", "list": "list", "cls": "label"}[kind]
    task = {"task": kind, "answer_type": answer_type, "eval": {"slice_by_tags": ["source"], "hard_examples": 9}}
    assert_same_bytes(*both_ways(lines, task))
    by_rows, by_columns = 1500, sum(counted) - 1500
    assert by_columns < 0.6 * by_rows
