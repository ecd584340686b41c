"""Datasets with versions."""

import json

import pytest

from steelyard.datasets.overlap import count_overlap
from steelyard.datasets.paths import data_path
from steelyard.datasets.versions import add_dataset, check_dataset, diff_datasets, find_version, list_datasets
from steelyard.errors import InputError, UsageError
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STEELYARD_DATASETS_DIR", raising=False)
    return tmp_path


def rows(count, *, source="human", start=0):
    return [
        {
            "id": f"r{n}",
            "instruction": f"What is {n} times {n + 7}?",
            "input": "",
            "output": str(n * (n + 7)),
            "prediction": str(n * (n + 7)),
            "tags": {"source": source},
        }
        for n in range(start, start + count)
    ]


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in content))
    return path


def add(train=(), test=(), name="ds_abc", place="data"):
    from pathlib import Path

    if train:
        write(Path(place) / "train.jsonl", train)
    write(Path(place) / "test.jsonl", test)
    return add_dataset(Path(place), name)


def test_a_manifest_has_exactly_the_specified_keys():
    manifest, is_new = add(rows(6), rows(4, source="synthetic", start=10))
    found = manifest.as_dict()
    assert is_new
    assert [*found] == [
        "dataset_id", "version", "format", "task", "num_rows", "content_hash", "created_at", "files", "tag_keys",
        "tag_schema", "tag_distribution", "format_version", "overlap",
    ]  # fmt: skip
    assert (found["dataset_id"], found["version"], found["format"], found["task"]) == ("ds_abc", "v1", "jsonl", "sft")
    assert [(f["path"], f["split"], f["num_rows"]) for f in found["files"]] == [
        ("test.jsonl", "test", 4),
        ("train.jsonl", "train", 6),
    ]
    assert found["tag_schema"] == {"source": ["human", "synthetic"]}
    assert found["tag_distribution"] == {"source": {"human": 6, "synthetic": 4}}


def test_the_same_content_is_the_same_version_and_other_content_the_next():
    first, _ = add(test=rows(3))
    again, is_new = add(test=rows(3))
    assert (again, is_new) == (first, False)
    second, is_new = add(test=rows(4))
    assert (second.version, is_new) == ("v2", True)
    assert [manifest.reference for manifest in list_datasets()] == ["ds_abc@v1", "ds_abc@v2"]


def test_a_version_is_found_by_number_and_by_content():
    manifest, _ = add(test=rows(3))
    by_number = data_path("ds_abc@v1")
    assert by_number == data_path(f"ds_abc@{manifest.content_hash}") == data_path("ds_abc@v1#test")
    assert by_number.read_text().count("\n") == 3


def test_a_changed_byte_is_refused(folder):
    add(test=rows(3))
    file = folder / ".steelyard" / "datasets" / "ds_abc" / "v1" / "test.jsonl"
    file.chmod(0o644)
    file.write_text(file.read_text().replace("21", "22", 1) + " ")
    with pytest.raises(InputError, match="hash-mismatch") as caught:
        data_path("ds_abc@v1")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("reference", ["ds_abc@v9", "nothing@v1", "ds_abc@sha256:123456", "ds_abc@v1#val"])
def test_what_is_not_there_is_named(reference):
    add(test=rows(3))
    with pytest.raises(InputError, match="dataset-not-found"):
        data_path(reference)


def test_a_name_with_a_path_in_it_is_refused():
    with pytest.raises(UsageError, match="cannot name"):
        add(test=rows(3), name="../up")


def test_an_evaluation_takes_a_reference_and_keeps_its_manifest():
    manifest, _ = add(rows(2, start=40), rows(3))
    run = evaluate(EvaluateOptions(dataset="ds_abc@v1", answer_type="text", name="first"))
    assert run.results["scorecard"]["primary_score"] == 1
    assert json.loads((run.path / "manifest.json").read_text()) == manifest.as_dict()


def test_a_task_file_takes_a_reference(folder):
    add(test=rows(3))
    (folder / "tasks").mkdir()
    (folder / "tasks" / "task.yaml").write_text("task: t\ndataset: ds_abc@v1\n")
    run = evaluate(EvaluateOptions(task_file=folder / "tasks" / "task.yaml", name="first"))
    assert run.results["scorecard"]["n_items"] == 3


def test_a_diff_lists_rows_and_the_shift_of_tags():
    add(test=rows(4))
    changed = [*rows(3), {**rows(1)[0], "id": "new", "tags": {"source": "synthetic"}}]
    changed[1] = changed[1] | {"output": "other"}
    add(test=changed)
    found = diff_datasets("ds_abc@v1", "ds_abc@v2")
    assert (found.added, found.removed, found.changed) == (["test:new"], ["test:r3"], ["test:r1"])
    assert found.tag_shift == {"source": {"human": (4, 3), "synthetic": (0, 1)}}


def test_rows_without_an_id_are_known_by_their_content():
    plain = [{"text": f"film {n}", "label": "good"} for n in range(3)]
    add(test=plain)
    add(test=[*plain[1:], {"text": "film 9", "label": "bad"}, plain[1]])
    found = diff_datasets("ds_abc@v1", "ds_abc@v2")
    assert (len(found.added), len(found.removed), len(found.changed)) == (2, 1, 0)


def test_overlap_between_train_and_test_is_found_exactly_and_nearly():
    train = [{"id": "a", "text": "The quick brown fox jumps over the lazy dog.", "label": "x"}, *rows(1)]
    test = [
        {"id": "exact", "text": "the quick  brown fox jumps over the lazy dog.", "label": "y"},
        {"id": "near", "text": "The quick brown fox jumped over the lazy dog.", "label": "x"},
        {"id": "other", "text": "An entirely different sentence about ships.", "label": "x"},
    ]
    with pytest.warns(UserWarning, match="1 stand exactly among 2 rows to train on, 1 nearly"):
        add(train, test)
    found = check_dataset("ds_abc@v1", threshold=0.8).as_dict()
    assert (found["exact"], found["near"]) == (1, 1)
    assert [(entry["test"], entry["train"]) for entry in found["overlaps"]] == [
        ("test.jsonl:exact", "train.jsonl:a"),
        ("test.jsonl:near", "train.jsonl:a"),
    ]
    grams = [
        {text[i : i + 3] for i in range(len(text) - 2)} for text in (train[0]["text"].lower(), test[1]["text"].lower())
    ]
    assert found["overlaps"][1]["similarity"] == len(grams[0] & grams[1]) / len(grams[0] | grams[1])


def test_overlap_needs_both_splits():
    add(test=rows(3))
    with pytest.raises(InputError, match="needs both"):
        check_dataset("ds_abc@v1", threshold=0.8)


def test_broken_rows_make_no_version(folder):
    write(folder / "data" / "test.jsonl", rows(2))
    with (folder / "data" / "test.jsonl").open("a") as stream:
        stream.write("{broken\n")
    with pytest.raises(InputError, match=r"bad-json|truncated"):
        add_dataset(folder / "data", "ds_abc")
    assert not (folder / ".steelyard").exists()


def test_a_lone_file_becomes_the_split_that_is_tested_on(folder):
    write(folder / "numbers.jsonl", rows(2))
    manifest, _ = add_dataset(folder / "numbers.jsonl", "numbers")
    assert manifest.files[0].split == "test"
    assert find_version("numbers@v1").file().name == "numbers.jsonl"


def test_nothing_is_made_beside_the_code_of_people(folder):
    add(rows(3, start=40), rows(3))
    assert not (folder / "datasets").exists()
    assert (folder / ".steelyard" / "datasets" / "ds_abc" / "v1" / "manifest.json").is_file()


def moved_to_the_old_place(folder):
    (folder / ".steelyard" / "datasets").rename(folder / "datasets")


def test_versions_in_the_old_place_are_read_and_go_on_in_the_new_one(folder):
    first, _ = add(test=rows(3))
    moved_to_the_old_place(folder)
    assert find_version("ds_abc@v1").manifest == first
    assert add(test=rows(3)) == (first, False)
    second, is_new = add(test=rows(4))
    assert (second.version, is_new) == ("v2", True)
    assert data_path("ds_abc@v1").parts[0] == "datasets"
    assert data_path("ds_abc@v2").parts[:2] == (".steelyard", "datasets")
    assert [manifest.reference for manifest in list_datasets()] == ["ds_abc@v1", "ds_abc@v2"]


def test_a_folder_called_datasets_that_is_not_ours_is_left_alone(folder):
    (folder / "datasets" / "squad" / "v2").mkdir(parents=True)
    (folder / "datasets" / "__init__.py").touch()
    assert list_datasets() == []
    add(test=rows(3), name="squad")
    assert [manifest.reference for manifest in list_datasets()] == ["squad@v1"]


def test_a_damaged_manifest_is_told_and_passed_over(folder):
    add(test=rows(3))
    add(test=rows(4))
    (folder / ".steelyard" / "datasets" / "ds_abc" / "v1" / "manifest.json").write_text("{")
    with pytest.warns(UserWarning, match="v1 is passed over"):
        assert [manifest.reference for manifest in list_datasets()] == ["ds_abc@v2"]


def test_a_manifest_of_a_newer_format_is_refused(folder):
    add(test=rows(3))
    file = folder / ".steelyard" / "datasets" / "ds_abc" / "v1" / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format_version": 2}))
    with pytest.raises(InputError, match="newer-format"):
        find_version("ds_abc@v1")


def test_overlap_stands_in_the_report_of_a_run(folder):
    with pytest.warns(UserWarning, match="of 3 rows to test on 2 stand exactly"):
        add(rows(2), rows(3))
    run = evaluate(EvaluateOptions(dataset="ds_abc@v1", answer_type="text", name="first"))
    page = (run.path / "eval" / "report.html").read_text()
    assert "of 3 rows to test on 2 stand exactly among 2 rows to train on" in page
    assert "test.jsonl:r0 ~ train.jsonl:r0" in page
    clean = evaluate(EvaluateOptions(dataset="data/test.jsonl", answer_type="text", name="second"))
    assert "Trained and tested on" not in (clean.path / "eval" / "report.html").read_text()


def test_large_sets_are_looked_through_for_equal_rows_only():
    train = [(f"a{n}", f"row {n} of a set") for n in range(1000)]
    found = count_overlap(train, [(f"b{n}", f"ROW {n}  of a set") for n in range(999, 1999)])
    assert (found.exact, found.near, found.examples) == (1, None, (("b999", "a999"),))
