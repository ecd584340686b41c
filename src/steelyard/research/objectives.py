"""Runs gathered by objective: what was expected, what was found, and the counts that metrics are made of.

One run is taken up at a time and let go: what stays is a few counts, the names of its runs and which required ids
were found, about a kilobyte for each objective, whatever the number of claims, pieces of evidence or steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from steelyard.research.golden import GoldenEntry, objective_key
from steelyard.research.measures import COUNTS
from steelyard.research.runs import RunJudgement
from steelyard.secrets import SECRET_IN_OUTPUT

NO_RUN = "no_run"
UNREADABLE_RUN = "unreadable_run"
UNCOVERED_CLAIM = "uncovered_claim"
MISSING_EVIDENCE_ID = "missing_evidence_id"
NO_ABSTENTION = "no_abstention"
FALSE_ASSERTION = "false_assertion"
OVER_ABSTENTION = "over_abstention"
MISSING_MANIFEST = "missing_manifest"
NOTHING_TO_JUDGE = "nothing_to_judge"


_NONE: frozenset[str] = frozenset()
"""One for all: an empty set of its own would take 216 bytes for each of thousands of objectives."""
_PLACES = {name: place for place, name in enumerate(COUNTS)}


class Counts(Mapping[str, int]):
    """The counts that metrics are made of, eight bytes each."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values = array("q", bytes(8 * len(COUNTS)))

    def __getitem__(self, name: str) -> int:
        return self._values[_PLACES[name]]

    def __setitem__(self, name: str, count: int) -> None:
        self._values[_PLACES[name]] = count

    def __iter__(self) -> Iterator[str]:
        return iter(COUNTS)

    def __len__(self) -> int:
        return len(COUNTS)


def _united(known: frozenset[str], found: Set[str]) -> frozenset[str]:
    return known if found <= known else known | found


@dataclass(slots=True)
class Objective:
    """One objective with everything its runs add up to."""

    identity: str
    """What the item is called: the normalised objective, or `RUN` and the folder where no objective can be read."""
    text: str
    entry: GoldenEntry | None
    runs: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    """Where the line of each run begins in the file of details."""
    counts: Counts = field(default_factory=Counts)
    matched: frozenset[str] = _NONE
    inline: frozenset[str] = _NONE
    defective: frozenset[str] = _NONE
    abstained_runs: int = 0
    faults: frozenset[str] = _NONE
    """What was wrong with evidence that verified claims cite: `no_quote`, `quote_mismatch` and so on; and whether a key
    was taken out of an artifact."""

    def __post_init__(self) -> None:
        if self.entry is not None:
            self.counts["required_ids"] = len(self.entry.required_ids)

    @property
    def insufficient(self) -> bool:
        """Whether its evidence is labelled insufficient, so that its runs ought to abstain."""
        return self.entry is not None and not self.entry.sufficient

    def add(self, run: RunJudgement, place: int) -> None:
        """Take up one run."""
        self.runs += (run.folder,)
        self.places += (place,)
        self.abstained_runs += run.abstained
        if run.held_key:
            self.faults = _united(self.faults, {SECRET_IN_OUTPUT})
        if run.readable:
            self._add_readable(run)
        else:
            self.unreadable += (run.folder,)
            self.counts["verified_claims"] += max(1, len(run.verified))
            self.counts["steps"] += max(1, run.steps.total)

    def _add_readable(self, run: RunJudgement) -> None:
        self._add_claims(run)
        self.counts["steps"] += run.steps.total
        self.counts["recorded_steps"] += len(run.steps.recorded)
        if self.entry is None:
            return
        if self.entry.sufficient:
            self.counts["sufficient_runs"] += 1
            self.counts["over_abstained_runs"] += run.abstained
        else:
            self.counts["insufficient_runs"] += 1
            self.counts["asserting_runs"] += bool(run.verified)
        required = frozenset(self.entry.required_ids)
        self.matched = _united(self.matched, required & run.ledger_ids)
        self.inline = _united(self.inline, required & run.inline_ids)
        self.defective = _united(self.defective, required & run.defective_ids)

    def _add_claims(self, run: RunJudgement) -> None:
        for judgement in run.verified:
            self.counts["verified_claims"] += 1
            self.counts["covered_claims"] += judgement.covered
            for piece in judgement.evidence:
                self.faults = _united(self.faults, {*piece.faults, *(f"no_{name}" for name in piece.missing)})

        cited = run.cited_pieces
        self.counts["citations"] += len(cited)
        self.counts["good_citations"] += sum(cited.values())

    def close(self) -> None:
        """Set what is known only once every run was taken up."""
        self.counts["matched_ids"] = len(self.matched)
        if self.insufficient:
            # Without a run there is one miss: nobody abstained.
            self.counts["runs_to_abstain"] = max(1, len(self.runs))
            self.counts["abstaining_runs"] = self.abstained_runs

    @property
    def abstains(self) -> bool:
        """Whether there are runs and every one abstained."""
        return bool(self.runs) and self.abstained_runs == len(self.runs)

    @property
    def missing_ids(self) -> list[str]:
        """Required ids that no ledger has, in the order of the golden queries."""
        return [found for found in self.entry.required_ids if found not in self.matched] if self.entry else []

    @property
    def decision(self) -> float | None:
        """Whether every run was right to abstain or not; None without an entry."""
        if self.entry is None:
            return None
        if not self.runs or self.unreadable:
            return 0.0
        right = not self.abstained_runs if self.entry.sufficient else self.abstains
        return float(right)

    def parts(self) -> dict[str, float | None]:
        """Return the four parts of the objective's score; None where a part does not apply."""
        return {
            "decision": self.decision,
            "coverage": self._share("covered_claims", "verified_claims"),
            "recall": self._share("matched_ids", "required_ids"),
            "integrity": self._share("recorded_steps", "steps"),
        }

    def _share(self, numerator: str, denominator: str) -> float | None:
        return self.counts[numerator] / self.counts[denominator] if self.counts[denominator] else None

    @property
    def score(self) -> float:
        """The mean of the parts that apply; 0 without a run, with one that cannot be read, or where nothing applies."""
        found = [value for value in self.parts().values() if value is not None]
        return sum(found) / len(found) if found and self.runs and not self.unreadable else 0.0

    @property
    def passed(self) -> bool:
        """Whether every part that applies is whole."""
        return self.score == 1.0

    @property
    def error_tags(self) -> tuple[str, ...]:
        """What went wrong, by name."""
        counts = self.counts
        found = {
            NO_RUN: not self.runs,
            UNREADABLE_RUN: bool(self.unreadable),
            UNCOVERED_CLAIM: counts["covered_claims"] < counts["verified_claims"],
            MISSING_EVIDENCE_ID: bool(self.missing_ids),
            NO_ABSTENTION: self.insufficient and not self.abstains,
            FALSE_ASSERTION: counts["asserting_runs"] > 0,
            OVER_ABSTENTION: counts["over_abstained_runs"] > 0,
            MISSING_MANIFEST: counts["recorded_steps"] < counts["steps"],
            NOTHING_TO_JUDGE: bool(self.runs) and all(value is None for value in self.parts().values()),
        }
        return (*(tag for tag, wrong in found.items() if wrong), *sorted(self.faults))


class Objectives:
    """All objectives of an evaluation: those of the golden queries, and whatever else runs were for."""

    def __init__(self, entries: Sequence[GoldenEntry]) -> None:
        self._expected = {entry.key: Objective(entry.key, entry.objective, entry) for entry in entries}
        self._others: dict[str, Objective] = {}

    def has_entry(self, run: RunJudgement) -> bool:
        """Return whether the golden queries have the run's objective."""
        return run.output is not None and objective_key(run.output.objective) in self._expected

    def add(self, run: RunJudgement, place: int) -> None:
        """Take up one run under its objective."""
        if run.output is None:
            identity = f"RUN {run.folder}"
            found = self._others.setdefault(identity, Objective(identity, "", None))
        else:
            key = objective_key(run.output.objective)
            known = self._expected.get(key)
            found = known or self._others.setdefault(key, Objective(key, run.output.objective, None))
        found.add(run, place)

    def closed(self) -> list[Objective]:
        """Return golden entries in their order, then the rest by name, all with their counts complete."""
        found = [*self._expected.values(), *(self._others[key] for key in sorted(self._others))]
        for objective in found:
            objective.close()
        return found
