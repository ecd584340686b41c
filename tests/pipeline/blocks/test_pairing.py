"""Whether two files are in step, line by line."""

import json

import pytest

from steelyard.pipeline.blocks.pairing import are_in_step, contents_of
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.items.sampling import Selection
from steelyard.reading.columns import scan
from steelyard.records.fields import FieldNames

IDS = [*"abc", 7, "é", "x y", *(f"long id {number}" for number in range(200))]


@pytest.fixture
def source(tmp_path, monkeypatch):
    def made(items, predictions):
        for name, rows in (("items", items), ("predictions", predictions)):
            content = "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)
            (tmp_path / f"{name}.jsonl").write_text(content, encoding="utf-8")
        return Source(tmp_path / "items.jsonl", tmp_path / "predictions.jsonl", FieldNames(), (), Selection())

    monkeypatch.setattr(scan, "BLOCK_BYTES", 256)
    return made


def rows(ids, **more):
    return [{"id": item_id, **more} for item_id in ids]


def test_the_same_ids_in_the_same_order_are_in_step(source):
    shuffled = [{"prediction": [1, {"deep": 2}], "item_id": str(item_id)} for item_id in IDS]
    assert are_in_step(source(rows(IDS, reference="r"), shuffled))


@pytest.mark.parametrize(
    "predictions",
    [rows(IDS[::-1]), rows(IDS[:-1]), rows([*IDS, "more"]), [*rows(IDS[:-1]), "not json\n"],
     [*rows(IDS[:-1]), {"no": 1}],
     ["\n", *rows(IDS)], [*rows(IDS[:5]), "\n", *rows(IDS[5:])], []],
)  # fmt: skip
def test_anything_else_is_not(source, predictions):
    assert not are_in_step(source(rows(IDS), predictions))


def test_contents_have_as_many_lines_of_both(source):
    found = list(contents_of(source(rows(IDS, reference="r" * 20), rows(IDS, prediction="p"))))
    assert len(found) > 3
    assert all(content.items.lines == content.predictions.lines for content in found)
    assert [content.items.first_line for content in found] == [content.predictions.first_line for content in found]
