"""Evidence gates over many research runs of 50 steps each: CPU time per run, and peak memory against a tenth of them.

The peer is the loop people write: `json.loads` on every line, sets and counters, no check of form, no quotes, no run.
It holds nothing either, so it is the floor that strict reading, quote checks and a stored run are measured from.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from measure import Cost, interleaved, run_command
from setting import Result, Setting

STEPS = 50
TEXT = " ".join(f"word{number}" for number in range(400))
PEER = """
import json, sys
from pathlib import Path
golden = {entry["objective"].casefold(): entry for entry in json.loads(Path(sys.argv[1]).read_text())}
covered = verified = matched = steps = recorded = 0
for folder in sorted(Path(sys.argv[2]).iterdir()):
    output = json.loads((folder / "research_output.json").read_text())
    ledger = {record["evidence_id"]: record for record in output["evidence"]}
    chunks = [json.loads(line) for line in (folder / "chunks.jsonl").open()]
    for claim in output["claims"]:
        verified += 1
        covered += any(ledger[name].get("quote") and ledger[name].get("span") for name in claim["evidence"])
    required = golden[output["objective"].casefold()]["required_evidence_ids"]
    matched += sum(name in ledger for name in required)
    happened = {(row["run_id"], row["step_id"]) for row in map(json.loads, (folder / "events.jsonl").open())}
    manifests = {(row["run_id"], row["step_id"]) for row in map(json.loads, (folder / "manifests.jsonl").open())}
    steps += len(happened | manifests)
    recorded += len(manifests)
print(json.dumps([covered, verified, matched, recorded, steps]))
"""


def measure(setting: Setting) -> list[Result]:
    many, few = setting.size(10_000, 1_000), setting.size(1_000, 100)
    large, small = _artifacts(setting.folder, many), _artifacts(setting.folder, few)
    (setting.folder / "research_peer.py").write_text(PEER)
    costs = interleaved(lambda: _ours(setting, large), lambda: _peer(setting, large), 1)
    _compare(setting, large)
    tenth = _ours(setting, small)
    each = 1000 * costs[0].seconds / many
    work = f"evidence gates, {many:,} runs of {STEPS} steps, {each:.2g} ms a run"
    memory = f"the same, peak memory against {few:,} runs"
    return [
        Result(work, "a loop over json.loads that checks nothing", 5, *costs, at_most=True),
        Result(memory, "itself", 1.25, costs[0], tenth, at_most=True, unit="memory"),
    ]


def _ours(setting: Setting, folder: Path) -> Cost:
    shutil.rmtree(setting.folder / "research-runs", ignore_errors=True)
    given = ["--golden", str(folder / "golden.json"), "--outputs", str(folder / "outputs"), "--name", "bench"]
    # Half of the required ids are not in the ledgers, so that the golden gate has something to count.
    lenient = ["--min-golden-recall", "0.5", "--runs-dir", "research-runs"]
    return run_command([setting.command, "research", *given, *lenient], folder=setting.folder)


def _peer(setting: Setting, folder: Path) -> Cost:
    arguments = [setting.python, "research_peer.py", str(folder / "golden.json"), str(folder / "outputs")]
    return run_command(arguments, folder=setting.folder)


def _compare(setting: Setting, folder: Path) -> None:
    _peer(setting, folder)
    theirs = json.loads((setting.folder / "output.txt").read_text())
    results = json.loads((setting.folder / "research-runs/bench/eval/eval_results.json").read_bytes())
    facts = [results["research"]["metrics"][name] for name in ("evidence_coverage_rate", "manifest_integrity")]
    recall = results["research"]["metrics"]["golden_recall"]["numerator"]
    ours = [facts[0]["numerator"], facts[0]["denominator"], recall, facts[1]["numerator"], facts[1]["denominator"]]
    assert ours == theirs, (ours, theirs)


def _artifacts(folder: Path, count: int) -> Path:
    """Write golden queries and that many runs, once."""
    target = folder / f"research-{count}"
    if (target / "golden.json").exists():
        return target
    for number in range(count):
        _run(target / "outputs" / f"run_{number:05d}", number)
    golden = [
        {
            "objective": f"Objective number {number}",
            "required_evidence_ids": [f"e{number}-0", f"e{number}-absent"],
            "evidence_sufficient": True,
        }
        for number in range(count)
    ]
    (target / "golden.json").write_text(json.dumps(golden))
    return target


def _run(folder: Path, number: int) -> None:
    run_id = f"{number:05d}"
    evidence = [_evidence(number, place) for place in range(6)]
    claims = [_claim(place, [evidence[place], evidence[5 - place]]) for place in range(5)]
    output = {
        "run_id": run_id,
        "objective": f"objective number {number}",
        "stop_reason": "OBJECTIVE_ACHIEVED",
        "summary": "",
        "claims": claims,
        "evidence": evidence,
        "metadata": {},
    }
    steps = [{"run_id": run_id, "step_id": f"s{step}"} for step in range(STEPS)]
    types = ("PLAN", "ACT", "OBSERVE")
    events = [step | {"event_type": kind, "payload": {"note": "x" * 40}} for step in steps for kind in types]
    chunks = [{"chunk_id": f"c{place}", "source_id": f"s{number}", "text": TEXT} for place in range(8)]
    folder.mkdir(parents=True)
    (folder / "research_output.json").write_text(json.dumps(output))
    _lines(folder / "events.jsonl", events)
    _lines(folder / "manifests.jsonl", [step | {"context": ["notes"] * 8} for step in steps])
    _lines(folder / "chunks.jsonl", chunks)


def _evidence(number: int, place: int) -> dict[str, object]:
    start = place * 10
    span = {"start": start, "end": start + 120}
    names = {"evidence_id": f"e{number}-{place}", "chunk_id": f"c{place}", "source_id": f"s{number}"}
    return names | {"quote": TEXT[start : start + 120], "span": span}


def _claim(place: int, cited: list[dict[str, object]]) -> dict[str, object]:
    ids = [record["evidence_id"] for record in cited]
    return {"claim_id": f"k{place}", "claim_text": f"claim {place}", "status": "verified", "evidence": ids}


def _lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
