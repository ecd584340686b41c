"""What every kind of run gives the verbs: the recipe that it is made from, and that recipe made ready to be judged.

Verbs (make, resume, rescore, verify, attribute, reproduce) are written once, over these two. A verb that a kind has no
use for is refused by one code, `not-for-this-kind`, which says what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar

from steelyard.errors import Problem, UsageError
from steelyard.records.plans import ReportPlan
from steelyard.records.runs import Reading, RunKind, RunRecord
from steelyard.runs.places import Place, Watching

if TYPE_CHECKING:
    from steelyard.runs.recording import Derivation, Recorder, RunIdentity

Taking: TypeAlias = "Recorder | Derivation"
"""What takes up judged blocks: a run that is made, or what is derived anew from one that is there."""


@dataclass(frozen=True, slots=True)
class Found:
    """What judging found beside the items."""

    extra: Mapping[str, Any] = field(default_factory=dict)
    """What the kind adds to the results."""
    reading: Reading = field(default_factory=Reading)
    flags: tuple[str, ...] = ()
    unknown_ids: tuple[tuple[str, int], ...] = ()
    """The first predictions for ids that are not in the dataset, with their lines."""


class Evaluation(Protocol):
    """A recipe made ready: what the run says of itself is settled, and its answers can be judged, again and again."""

    @property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""

    @property
    def plan(self) -> ReportPlan:
        """What is reported over its items."""

    @property
    def group_rows(self) -> int | None:
        """How many items at a time are held for `items.parquet`; None for the usual number."""

    @property
    def judged_by(self) -> dict[str, Any] | None:
        """By what items are judged, whatever their data; None where that is the kind's own."""

    def config(self) -> dict[str, Any]:
        """Return the recipe as the run keeps it."""

    def manifest(self, taking: Taking, found: Found) -> dict[str, Any]:
        """Return the manifest of the data."""

    def judge(self, taking: Taking, watching: Watching) -> Found:
        """Judge every answer: blocks in the order of the dataset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherJudges:
    """What a run is to be judged by instead of what it was made with. None means: as it was."""

    scorer: str | None = None
    task_file: Path | None = None
    metrics: tuple[str, ...] | None = None
    slice_by: tuple[str | tuple[str, ...], ...] | None = None
    hard_examples: int | None = None

    @property
    def are_others(self) -> bool:
        """Whether numbers may be others: then names without a version mean the newest."""
        return self.scorer is not None or self.task_file is not None or self.metrics is not None


AS_IT_WAS = OtherJudges()


class Recipe(Protocol):
    """Everything that a run is made from; the only thing that turns into `config.yaml` and back."""

    kind: ClassVar[RunKind]

    def config(self) -> dict[str, Any]:
        """Return all that decides a number, as `config.yaml` has it."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Return the recipe that a `config.yaml` holds: the inverse of `config`."""

    def data(self) -> Path | None:
        """Return the file of the items, where there is one."""

    def judged_by(self, config: Mapping[str, Any]) -> Self:
        """Return the same data under the judges of another configuration."""

    def crossed(self, outputs: Self, data: Self) -> Self:
        """Return these judges over the outputs of one run and the items of another."""


R = TypeVar("R", bound=Recipe)


class Kind(Protocol[R]):
    """What the verbs ask of a kind of run."""

    recipe: type[R]

    def again(
        self, recipe: R, run: Path, record: RunRecord, judges: OtherJudges = AS_IT_WAS, *, aside: bool = False
    ) -> Evaluation:
        """Return a run's own answers ready to be judged again; `aside` where nothing of the run may change."""

    def anew(self, recipe: R, run: Path, record: RunRecord, place: Place, watching: Watching) -> Path:
        """Make the run again at another place, and return where it is."""

    def spec(self, recipe: R, run: Path) -> str | None:
        """Return where the model of a run is today; None where no model was asked."""


def not_for_this_kind(verb: str, kind: str, hint: str) -> UsageError:
    """Return the one error of a verb that a kind of run has no use for."""
    return UsageError(Problem("not-for-this-kind", f"{verb} is not for {kind}", hint=hint))
