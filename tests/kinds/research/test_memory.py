"""What an evaluation of research runs keeps in memory: one or two kilobytes an objective, whatever its runs hold."""

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

from steelyard.kinds.research.order import ResearchOptions, evaluate_research
from tests.research_artifacts import claim, event, evidence, golden, output, step, write_run

ROOT = Path(__file__).resolve().parents[3]
MOST_BYTES = 2200
"""It takes 1,600 here, text of the objective and its evidence ids included; a set for every kind of id took 3,100."""


def kept(folder, count):
    """Return how many bytes are held at the end of an evaluation of so many objectives, each with one run."""
    folder.mkdir()
    for number in range(count):
        cited = [evidence(f"E{number}-{place}", quote="what it says " * 20) for place in range(4)]
        content = output(f"r{number}", objective=f"objective {number}", claims=[claim("a", *cited)], evidence=cited)
        events = [event(f"r{number}", place) for place in range(5)]
        write_run(folder / "outputs", f"run_{number:04d}", content, events=events, manifests=[step(f"r{number}", 0)])
    entries = [golden(f"objective {number}", f"E{number}-0", f"E{number}-9") for number in range(count)]
    (folder / "golden.json").write_text(json.dumps(entries))
    options = ResearchOptions(golden=folder / "golden.json", outputs=folder / "outputs", runs_dir=folder)
    with evaluate_research(options) as found:
        assert len(found.objectives) == count
        gc.collect()
        return tracemalloc.get_traced_memory()[0]


def test_an_objective_takes_one_or_two_kilobytes(tmp_path):
    # In a process of its own: what other tests have made and remembered must not count.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    done = subprocess.run([sys.executable, __file__, tmp_path], env=environment, capture_output=True, check=True)
    few, many = json.loads(done.stdout)
    assert (many - few) / 300 < MOST_BYTES


if __name__ == "__main__":
    place = Path(sys.argv[1])
    tracemalloc.start()
    # As many as are counted below: tables of the interpreter that double once have then done so.
    kept(place / "warm", 420)
    print(json.dumps([kept(place / "few", 120), kept(place / "many", 420)]))
