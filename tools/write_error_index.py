"""Write `docs/errors/index.md` from the list of error codes: `python tools/write_error_index.py`."""

from pathlib import Path

from steelyard.errors import CODES

INDEX = Path(__file__).resolve().parents[1] / "docs" / "errors" / "index.md"

HEAD = """# Errors

Every error has one shape, for people and as JSON: where it is (file, line, column, item), its code in brackets, what
was found and what was expected, and a hint what to do. With `--json` the same stands on standard output as an object
with `error`, `exit_code`, `problems` and `total`. At most 20 problems are listed, then how many more there are.
Foreign text is quoted with at most 80 characters, control characters spelled out.

| exit code | meaning |
| ---: | --- |
| 0 | it went well |
| 1 | a gate failed |
| 2 | the command line or a configuration file cannot be used |
| 3 | data cannot be read, two runs cannot be compared, or a gate is undecided |
| 4 | a run is not complete |
| 5 | the machine: disk, permission, lock, memory, database |
| 70 | a bug of ours, with a crash report |
| 129, 130, 143 | stopped by SIGHUP, SIGINT or SIGTERM |
| 141 | the reader of the output left |

| code | what it says |
| --- | --- |
"""


def index() -> str:
    """Return the page."""
    rows = (f"| [{code.name}]({code.name}.md) | {code.title} |\n" for _, code in sorted(CODES.items()))
    return HEAD + "".join(rows)


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
