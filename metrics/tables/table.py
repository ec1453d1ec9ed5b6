"""What a table is, whoever makes it and wherever it goes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Project
from metrics.assignments import BadRequest
from metrics.stats import Estimate

# Columns that name what a figure is about, in the order in which they are printed.
INDEX = (
    "criterion",
    "evaluator",
    "evaluator_b",
    "system",
    "system_b",
    "annotator",
    "annotator_b",
    "category",
    "slice",
    "slice_value",
    "grouping",
)
FIGURES = ("statistic", "value", "low", "high", "n", "n_excluded", "note")
COLUMNS = (*INDEX[:-1], "statistic", "grouping", *FIGURES[1:])


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a table: its default, how its text is read, and what it may be."""

    name: str
    help: str
    default: Any
    read: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        if self.choices and text not in self.choices:
            raise BadRequest(f"option {self.name} is {text!r}; expected one of {', '.join(self.choices)}.")
        try:
            return self.read(text)
        except ValueError as error:
            raise BadRequest(f"option {self.name} is {text!r}; {error}.") from None


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a table."""

    project: Project
    slice_by: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A named result: tidy rows, one figure a row, notes for a reader and a receipt to recompute it."""

    key: str
    title: str
    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    receipt: Mapping[str, Any]
    columns: Sequence[str] = COLUMNS

    def as_dict(self) -> dict[str, Any]:
        return {
            "table": self.key,
            "columns": list(self.columns),
            "rows": [dict(row) for row in self.rows],
            "notes": list(self.notes),
            "receipt": dict(self.receipt),
        }


@dataclass(frozen=True, slots=True)
class TableSpec:
    """An entry of the list of tables. `build` returns rows, notes and the frame that the receipt hashes."""

    key: str
    name: str
    question: str
    build: Callable[[Request], "Built"]
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    rows: list[dict[str, Any]]
    notes: list[str]
    frames: Sequence[Any]
    exclusions: Mapping[str, int] = field(default_factory=dict)


def row(estimate: Estimate, *, note: str = "", **index: Any) -> dict[str, Any]:
    """A table row of an estimate; what does not apply is None."""
    blank = dict.fromkeys(COLUMNS)
    figures = {
        "statistic": estimate.statistic,
        "value": _plain(estimate.value),
        "low": _plain(estimate.low),
        "high": _plain(estimate.high),
        "n": estimate.n,
        "n_excluded": estimate.n_excluded,
        "note": " ".join(part for part in (estimate.note, note) if part) or None,
    }
    return {**blank, **index, **figures}


def count_row(statistic: str, value: int, *, n: int, n_excluded: int = 0, **index: Any) -> dict[str, Any]:
    """A table row of a plain count out of `n`."""
    figures = {"statistic": statistic, "value": value, "n": n, "n_excluded": n_excluded}
    return {**dict.fromkeys(COLUMNS), **index, **figures}


def _plain(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124  nan is not equal to itself
