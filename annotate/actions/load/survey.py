"""The first pass over the files: every field checked, and what the second pass must know beforehand."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotate.importers import Layout, read_rows
from annotate.importers.rows import (
    AdjudicationRow,
    AnnotationRow,
    CriterionRow,
    EvaluatorRow,
    Header,
    Place,
    Problem,
    ResponseRow,
)
from annotate.models import Project
from annotate.scales import text_of

ITEM_FIELDS = ("question", "history", "references", "attributes")
MOST_CATEGORIES = 50
# A criterion made from its values needs to know which of them counts as 1.
USUALLY_POSITIVE = {
    "correct",
    "yes",
    "true",
    "entailed",
    "supported",
    "attributable",
    "faithful",
    "fully",
    "pass",
    "credited",
    "consistent",
    "factual",
    "good",
    "relevant",
}


@dataclass
class Survey:
    """What the first pass found. `late` holds item fields that only a later line of the item gives."""

    problems: list[Problem] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    declared: dict[str, CriterionRow] = field(default_factory=dict)
    evaluators: list[EvaluatorRow] = field(default_factory=list)
    values: dict[str, dict[object, None]] = field(default_factory=dict)
    levels: dict[str, set[str]] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    label_places: dict[str, Place] = field(default_factory=dict)
    digests: list[dict[str, str]] = field(default_factory=list)
    late: dict[str, dict[str, object]] = field(default_factory=dict)
    _lacking: dict[str, int] = field(default_factory=dict)

    def add_header(self, header: Header) -> None:
        for criterion in header.criteria:
            known = self.declared.setdefault(criterion.key, criterion)
            if known != criterion:
                self.problems.append(
                    Problem(header.place, "criteria", f"{criterion.key!r} differs between files.")
                )
        self.evaluators += header.evaluators

    def add_response(self, row: ResponseRow) -> None:
        self._note_item(row)
        entries: tuple[AnnotationRow | AdjudicationRow, ...] = (*row.annotations, *row.adjudications)
        for entry in entries:
            for key, value in entry.labels.items():
                level = "response" if entry.claim is None else "claim"
                self.levels.setdefault(key, set()).add(level)
                self.label_places.setdefault(key, row.place)
                values = self.values.setdefault(key, {})
                if len(values) <= MOST_CATEGORIES or isinstance(value, str):
                    values[value] = None

    def _note_item(self, row: ResponseRow) -> None:
        given = sum(1 << n for n, name in enumerate(ITEM_FIELDS) if getattr(row, name) is not None)
        lacking = self._lacking.get(row.item)
        if lacking is None:
            self._lacking[row.item] = ~given
            return
        for n, name in enumerate(ITEM_FIELDS):
            if lacking & given & 1 << n:
                self.late.setdefault(row.item, {})[name] = getattr(row, name)
        self._lacking[row.item] = lacking & ~given

    def criteria(self, project: Project, problems: list[Problem]) -> list[CriterionRow]:
        """The criteria that the files declare or use; less those that the project knows."""
        known = set(project.criteria.values_list("key", flat=True))
        rows = [self._with_level(row) for row in self.declared.values()]
        for key, values in self.values.items():
            if key not in self.declared and key not in known:
                row = _from_values(key, list(values))
                if row is None:
                    problems.append(
                        Problem(
                            self.label_places[key],
                            f"labels.{key}",
                            f"has more than {MOST_CATEGORIES} different texts; declare the criterion in the "
                            "first line, or name a --scheme.",
                        )
                    )
                else:
                    rows.append(self._with_level(row))
                    self.notes[_how_made(row)] = len(values)
        return rows

    def _with_level(self, row: CriterionRow) -> CriterionRow:
        if row.level is not None:
            return row
        used = self.levels.get(row.key, set())
        level = "any" if len(used) > 1 else next(iter(used), "response")
        return CriterionRow(**{name: getattr(row, name) for name in row.__slots__} | {"level": level})


def _from_values(key: str, values: list[object]) -> CriterionRow | None:
    """Numbers make a numeric criterion, anything else a nominal one."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return CriterionRow(key=key, scale="numeric", name=key)
    texts = sorted({text_of(value): value for value in values}.items())
    if len(texts) > MOST_CATEGORIES:
        return None
    categories = tuple(
        {"value": value, "label": text, "positive": text.lower() in USUALLY_POSITIVE} for text, value in texts
    )
    return CriterionRow(key=key, scale="nominal", name=key, categories=categories)


def _how_made(row: CriterionRow) -> str:
    if row.scale == "numeric":
        return f"different values of {row.key!r}, which was made from them as numeric"
    positive = (
        ", ".join(str(c["label"]) for c in row.categories if c["positive"]) or "none: declare it to correlate"
    )
    return f"different values of {row.key!r}, which was made from them as nominal (positive: {positive})"


def survey(sources: Sequence[tuple[Path, Layout]], most_problems: int) -> Survey:
    """Read every file once."""
    found = Survey()
    for path, layout in sources:
        found.places.append(Place(path.name, 0))
        for row in read_rows(path, layout, found.problems, found.notes):
            if isinstance(row, Header):
                found.add_header(row)
            else:
                found.add_response(row)
            if len(found.problems) >= most_problems:
                return found
    found.notes = Counter({note: count for note, count in found.notes.items() if count})
    return found
