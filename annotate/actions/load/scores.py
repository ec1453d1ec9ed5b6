"""What a load asks of the room that keeps scores: `annotate` itself holds none."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from annotate.importers.rows import EvaluatorRow, Problem, ResponseRow
from annotate.models import Project

UnitIds = Mapping[tuple[str, str, str, str | None], int]  # (item, system, context, claim) -> unit id


class ScoreWriter(Protocol):
    """Stores the scores of a batch in the transaction of the load."""

    made: Counter[str]

    def declare(self, project: Project, evaluators: Sequence[EvaluatorRow]) -> None: ...

    def write(self, rows: Sequence[ResponseRow], units: UnitIds, problems: list[Problem]) -> None: ...
