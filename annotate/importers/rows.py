"""Plain rows: what a file says of one response, checked and typed. The interchange format of the docs."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: for a person who mends the file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where, which field, what, and what to do."""

    place: Place
    field: str
    message: str

    def __str__(self) -> str:
        where = f"{self.place}, {self.field}" if self.field else str(self.place)
        return f"{where}: {self.message}"


class Unreadable(ValueError):
    """A file that cannot be read as what it is said to be; holds the one problem."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        self.problem = Problem(Place(path.name, line), "", message)
        super().__init__(str(self.problem))


@dataclass(frozen=True, slots=True)
class PassageRow:
    key: str
    text: str
    title: str = ""
    context: str = ""
    relevant: bool | None = None
    cite_as: str = ""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    key: str
    text: str
    citations: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    passage: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    annotator: str
    claim: str | None
    labels: dict[str, object]
    evidence: tuple[EvidenceRow, ...] = ()
    comment: str = ""
    seconds: float | None = None
    at: datetime | None = None

    @property
    def hand(self) -> str:
        return self.annotator


@dataclass(frozen=True, slots=True)
class AdjudicationRow:
    """`third` marks a deciding third annotator's own labels, as an export of ours writes them."""

    by: str
    claim: str | None
    labels: dict[str, object]
    reason: str = ""
    third: bool = False
    at: datetime | None = None

    @property
    def hand(self) -> str:
        return self.by

    def as_annotation(self) -> AnnotationRow:
        """A deciding third annotator's own labels."""
        return AnnotationRow(self.by, self.claim, self.labels, comment=self.reason, at=self.at)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    evaluator: str
    claim: str | None
    value: float | None
    label: str = ""
    failure: str = ""
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """One line. Item fields are None where the line leaves them out: another line of the item has them."""

    place: Place
    item: str
    system: str
    response: str
    question: str | None = None
    history: tuple[str, ...] | None = None
    references: tuple[str, ...] | None = None
    attributes: dict[str, object] | None = None
    passages: tuple[PassageRow, ...] | None = None
    context: str = ""
    claims: tuple[ClaimRow, ...] = ()
    annotations: tuple[AnnotationRow, ...] = ()
    adjudications: tuple[AdjudicationRow, ...] = ()
    scores: tuple[ScoreRow, ...] = ()

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.item, self.system, self.context

    def unit_key(self, claim: str | None) -> tuple[str, str, str, str | None]:
        """What names the unit of this response, or of one of its claims."""
        return self.item, self.system, self.context, claim


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """A criterion as a first line or a scheme file declares it; `level` is None where it does not say."""

    key: str
    scale: str
    name: str = ""
    question: str = ""
    level: str | None = None
    categories: tuple[dict[str, object], ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    tolerance: float = 0.0
    show_if: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class EvaluatorRow:
    key: str
    kind: str = "metric"
    name: str = ""
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Header:
    """The optional first line: what the rest of the file uses."""

    place: Place
    criteria: tuple[CriterionRow, ...] = ()
    evaluators: tuple[EvaluatorRow, ...] = ()
