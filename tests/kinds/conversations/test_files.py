"""Files of conversation runs: hostile ids and text stay inside their folder and can be read again."""

import json

from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.order import evaluate_conversations
from tests.conversation_rows import row, trace, turn

HOSTILE = "../../../evil"


def evaluated(folder, traces):
    (folder / "data.json").write_text(json.dumps([row("a"), row("b"), row(HOSTILE)]), encoding="utf-8")
    (folder / "traces.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in traces), encoding="utf-8")
    options = ConversationOptions(
        dataset=folder / "data.json", traces=folder / "traces.jsonl", name="x", runs_dir=folder / "runs", plots=False
    )
    return evaluate_conversations(options)


def test_ids_cannot_lead_out_of_the_folder(tmp_path):
    hostile = {**trace(HOSTILE, turn(0, "1500")), "trace_id": "/etc/../x"}
    finished = evaluated(tmp_path, [hostile])
    files = sorted(path.relative_to(finished.path / "eval/traces") for path in finished.path.rglob("traces/*"))
    assert len(files) == 3
    assert all(len(file.parts) == 1 for file in files)
    assert not (tmp_path / "evil.json").exists()


def test_two_traces_of_one_id_have_a_file_each(tmp_path):
    same = [{**trace(name, turn(0, "1500")), "trace_id": "same"} for name in ("a", "b")]
    finished = evaluated(tmp_path, same)
    found = [json.loads(path.read_bytes()) for path in (finished.path / "eval/traces").iterdir()]
    assert {entry["conversation_id"] for entry in found} == {"a", "b", HOSTILE}


def test_lone_surrogates_are_stored_and_read_again(tmp_path):
    finished = evaluated(tmp_path, [trace("a", turn(0, "1500 \ud800"))])
    (file,) = (path for path in (finished.path / "eval/traces").iterdir() if "trace-a" in path.name)
    assert json.loads(file.read_bytes())["turns"][0]["actual_answer"] == "1500 \ud800"
    assert "1500 \\ud800" in (finished.path / "eval/turns.csv").read_text(encoding="utf-8")
