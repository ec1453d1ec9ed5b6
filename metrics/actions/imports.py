"""Scores that were computed elsewhere, stored in the transaction of the load."""

from collections import Counter
from collections.abc import Mapping, Sequence

from annotate.importers.rows import EvaluatorRow, Problem, ResponseRow, ScoreRow
from annotate.models import Criterion, Project
from annotate.scales import text_of
from metrics.actions.versions import imported_version, response_hash
from metrics.models import EvaluatorVersion, Score

Key = tuple[int, int, int | None]


class ImportedScores:
    """Writes the scores of each batch; an equal one that is there already is left, another refused."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.versions: dict[str, EvaluatorVersion] = {}

    def declare(self, project: Project, evaluators: Sequence[EvaluatorRow]) -> None:
        self.project = project
        self.criteria: dict[str, Criterion] = {
            criterion.key: criterion for criterion in project.criteria.all()
        }
        for row in evaluators:
            defaults = {
                "kind": row.kind,
                "higher_is_better": row.higher_is_better,
                "name": row.name or row.key,
            }
            self.versions[row.key] = imported_version(project, row.key, defaults)

    def write(
        self,
        rows: Sequence[ResponseRow],
        units: Mapping[tuple[str, str, str, str | None], int],
        problems: list[Problem],
    ) -> None:
        scores: dict[Key, tuple[ResponseRow, str, Score]] = {}
        for row in rows:
            for number, entry in enumerate(row.scores):
                unit = units.get(row.unit_key(entry.claim))
                field = f"scores[{number}]"
                score = unit and self._score(row, field, unit, entry, problems)
                if score:
                    scores[score.unit_id, score.version_id, score.criterion_id] = row, field, score
        known = self._known(scores)
        new = []
        for key, (row, field, score) in scores.items():
            if key not in known:
                new.append(score)
            elif known[key] != (score.value, score.failure, score.label):
                problems.append(
                    Problem(row.place, field, "this evaluator has another score on this unit already.")
                )
        Score.objects.bulk_create(new)
        self.made["scores"] += len(new)

    def _score(
        self, row: ResponseRow, field: str, unit: int, entry: ScoreRow, problems: list[Problem]
    ) -> Score | None:
        criterion = self.criteria.get(entry.criterion) if entry.criterion else None
        if entry.criterion and criterion is None:
            known = ", ".join(self.criteria) or "none"
            message = f"{entry.criterion!r} is no criterion here; expected one of {known}."
            problems.append(Problem(row.place, f"{field}.criterion", message))
            return None
        if entry.evaluator not in self.versions:
            self.versions[entry.evaluator] = imported_version(self.project, entry.evaluator, {})
        value = entry.value if entry.value is not None or entry.failure else self._value_of(entry, criterion)
        if value is None and not entry.failure:
            of = "that" if criterion else "exactly one"
            message = f"{entry.label!r} is no category of {of} criterion; give a value."
            problems.append(Problem(row.place, f"{field}.label", message))
            return None
        return Score(
            unit_id=unit,
            version=self.versions[entry.evaluator],
            criterion=criterion,
            value=value,
            label=entry.label,
            failure=entry.failure[:60],
            response_hash=response_hash(row.response),
        )

    def _value_of(self, entry: ScoreRow, criterion: Criterion | None) -> float | None:
        """A verdict in words counts as its category does: its number, else 1 if positive and 0 if not."""
        choices = [criterion] if criterion else list(self.criteria.values())
        categories = [
            category
            for choice in choices
            for category in choice.categories
            if text_of(category["value"]) == entry.label
        ]
        if len(categories) != 1:
            return None
        return float(categories[0].get("number", 1.0 if categories[0]["positive"] else 0.0))

    def _known(self, scores: Mapping[Key, object]) -> dict[Key, tuple[float | None, str, str]]:
        found = Score.objects.filter(
            unit__in={unit for unit, _, _ in scores}, version__in={version for _, version, _ in scores}
        )
        return {
            (unit, version, criterion): (value, failure, label)
            for unit, version, criterion, value, failure, label in found.values_list(
                "unit", "version", "criterion", "value", "failure", "label"
            )
        }
