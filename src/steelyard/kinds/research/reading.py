"""Research artifacts from disk: the golden queries, the folders of runs, and one run's files at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, Problems, SteelyardError
from steelyard.reading.ids import sha256_file
from steelyard.reading.json_files import read_document
from steelyard.reading.limits import Limits
from steelyard.reading.rows import read_rows
from steelyard.records.encoded import refuse_not_utf8
from steelyard.research.faults import ArtifactError
from steelyard.research.golden import GoldenEntry, Requirement, parse_golden
from steelyard.research.runs import RunJudgement, RunUnderJudgement
from steelyard.secrets import hidden

OUTPUT_FILE = "research_output.json"
EVENTS_FILE = "events.jsonl"
MANIFESTS_FILE = "manifests.jsonl"
MANIFESTS_FOLDER = "manifests"
CHUNKS_FILE = "chunks.jsonl"
RUN_PREFIX = "run_"


class RequirementError(InputError):
    """An evaluation that cannot begin: which requirements are not met (status SYSTEM_ERROR)."""

    def __init__(self, faults: list[tuple[Requirement, Problem]]) -> None:
        self.faults = faults
        super().__init__([problem for _, problem in faults])


def read_golden(path: Path, limits: Limits) -> list[GoldenEntry]:
    """Return the golden queries, or raise RequirementError with everything that is wrong with them."""
    try:
        value = hidden(read_document(path, limits=limits))
    except SteelyardError as error:
        raise RequirementError([(_requirement(problem, path), problem) for problem in error.problems]) from None
    entries, faults = parse_golden(value)
    if faults:
        hint = "`steelyard schema golden-queries` shows the format"
        problems = [Problem("bad-golden", fault.message, hint=hint, file=str(path)) for fault in faults]
        requirements = [fault.requirement for fault in faults]
        raise RequirementError(list(zip(requirements, problems, strict=True)))
    return entries


def _requirement(problem: Problem, path: Path) -> Requirement:
    """Return which requirement a file breaks that is no JSON value."""
    match problem.code:
        case "empty-file":
            return "golden_queries.not_empty"
        case "missing-file" if not path.exists():
            return "golden_queries.present"
        case "missing-file" | "machine" | "not-utf8" | "file-too-large":
            return "golden_queries.readable"
        case _:
            return "golden_queries.json"


def find_runs(outputs: Path) -> tuple[list[str], list[str]]:
    """Return the names of the run folders in order, and of what else lies there."""
    runs: list[str] = []
    others: list[str] = []
    try:
        for path in outputs.iterdir():
            refuse_not_utf8(path, "the path")
            (runs if _is_run(path) else others).append(path.name)
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "give the folder that holds the run folders"
        problem = Problem("missing-file", f"the outputs cannot be listed: {reason}", hint=hint, file=str(outputs))
        raise RequirementError([("outputs.present", problem)]) from None
    if not runs:
        raise RequirementError([("outputs.has_runs", _no_runs(outputs))])
    return sorted(runs), sorted(others)


def _is_run(path: Path) -> bool:
    return path.is_dir() and (path.name.startswith(RUN_PREFIX) or (path / OUTPUT_FILE).exists())


def _no_runs(outputs: Path) -> Problem:
    hint = f"each run is a folder {RUN_PREFIX}<id> with a {OUTPUT_FILE}"
    if (outputs / OUTPUT_FILE).exists():
        hint = "this is the folder of one run: give the folder above it"
    return Problem("no-runs", "the outputs folder has no runs, expected at least one", hint=hint, file=str(outputs))


class RunReader:
    """Reads one run folder after the other and judges it; of a run that was read, only its id is kept."""

    def __init__(self, outputs: Path, limits: Limits) -> None:
        self._outputs = outputs
        self._limits = limits
        self._digest = hashlib.sha256()
        self._folder_of: dict[str, str] = {}

    @property
    def sha256(self) -> str:
        """The hash over the names and contents of every artifact so far."""
        return "sha256:" + self._digest.hexdigest()

    def read(self, folder: Path) -> RunJudgement:
        """Return a run, judged. Whatever cannot be read is a problem of the run, and the rest is read all the same."""
        run = RunUnderJudgement(folder.name)
        for part in (self._output, self._events, self._manifests, self._chunks):
            try:
                part(folder, run)
            except SteelyardError as error:
                run.problems += [_relative(problem, folder) for problem in error.problems]
        self._refuse_duplicate(run)
        return run.judgement()

    def _output(self, folder: Path, run: RunUnderJudgement) -> None:
        self._document(folder / OUTPUT_FILE, _taking(run, run.add_output))

    def _events(self, folder: Path, run: RunUnderJudgement) -> None:
        self._lines(folder / EVENTS_FILE, _taking(run, run.steps.add_event))

    def _manifests(self, folder: Path, run: RunUnderJudgement) -> None:
        self._lines(folder / MANIFESTS_FILE, _taking(run, run.steps.add_manifest))
        for path in sorted((folder / MANIFESTS_FOLDER).glob("*.json")):
            self._document(path, _taking(run, run.steps.add_manifest))

    def _chunks(self, folder: Path, run: RunUnderJudgement) -> None:
        if _is_there(folder / CHUNKS_FILE):
            run.expect_chunks()
            self._lines(folder / CHUNKS_FILE, _taking(run, run.add_chunk))

    def _document(self, path: Path, take: Callable[[Any], None]) -> None:
        self._hash(path)
        try:
            take(read_document(path, limits=self._limits))
        except ArtifactError as error:
            raise InputError(_misshapen(error, path)) from None

    def _lines(self, path: Path, take: Callable[[Any], None]) -> None:
        """Hand over each row of a file that need not be there and may be empty."""
        if not _is_there(path):
            return
        self._hash(path)
        problems = Problems()
        line = 0
        try:
            for row in read_rows(path, problems, limits=self._limits):
                line = row.line
                take(row.fields)
        except ArtifactError as error:
            problems.add(_misshapen(error, path, line))
        except InputError as error:
            problems.extend(problem for problem in error.problems if problem.code != "empty-file")
        problems.raise_if_any()

    def _hash(self, path: Path) -> None:
        name = path.relative_to(self._outputs).as_posix()
        self._digest.update(f"{name}\0{sha256_file(path)}\n".encode("utf-8", "surrogateescape"))

    def _refuse_duplicate(self, run: RunUnderJudgement) -> None:
        """Refuse a run that is there twice, because it would count twice."""
        if run.output is None:
            return
        first = self._folder_of.setdefault(run.output.run_id, run.folder)
        if first != run.folder:
            message = f"the run_id {run.output.run_id!r} is also that of {first}, expected each run once"
            hint = "remove the copy, or give the run its own id"
            run.problems.append(Problem("duplicate-id", message, hint=hint, file=f"{run.folder}/{OUTPUT_FILE}"))


def _taking(run: RunUnderJudgement, take: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return what takes up a value without its keys, and marks a run that had one."""

    def taken(value: Any) -> None:
        found = hidden(value)
        run.held_key |= found is not value
        take(found)

    return taken


def _is_there(path: Path) -> bool:
    """Return whether a file has to be read: one that may not even be looked at is there, and cannot be read."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _misshapen(error: ArtifactError, path: Path, line: int | None = None) -> Problem:
    hint = "`steelyard schema research-output` shows the form; the other artifacts have schemas too"
    return Problem("bad-artifact", str(error), hint=hint, file=str(path), line=line)


def _relative(problem: Problem, folder: Path) -> Problem:
    """Name the file from the outputs folder on, so that a report does not depend on where that stands."""
    if problem.file is None:
        return problem
    return replace(problem, file=f"{folder.name}/{Path(problem.file).relative_to(folder).as_posix()}")
