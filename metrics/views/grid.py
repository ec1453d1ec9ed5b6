"""Any table: a line for each thing compared with its statistics side by side, or one figure a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.exporters.tables import INDEX, pivot
from metrics.tables.asked import Asked
from metrics.tables.kept import Shelf
from metrics.tables.table import Table
from metrics.views.words import NONE, count, number, statistic_word

TIDY_HIDDEN = {"note"}


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    is_number: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    heads: tuple[Cell, ...]
    lines: tuple[tuple[Cell, ...], ...]


def show(_shelf: Shelf, table: Table, _asked: Asked, query: Mapping[str, str]) -> dict[str, Any]:
    is_tidy = query.get("view") == "tidy"
    grid = tidy(table) if is_tidy else pivoted(table)
    return {"grid": grid, "nothing": "" if grid.lines or table.notes else "The table is empty so far."}


def pivoted(table: Table) -> Grid:
    heads, lines = pivot(table)
    index = [head for head in heads if head in INDEX]
    keys = list(dict.fromkeys(tuple(row.get(name) for name in index) for row in table.rows))
    place = {key: number for number, key in enumerate(keys)}
    reasons = {
        (place[tuple(row.get(name) for name in index)], str(row["statistic"])): row["note"] or ""
        for row in table.rows
        if row["value"] is None
    }
    return Grid(
        tuple(Cell(_head(head, index), head not in index) for head in heads),
        tuple(
            tuple(
                Cell(text if head in index else _figure(text), head not in index, reason)
                for head, text in zip(heads, line, strict=True)
                for reason in [reasons.get((number, head), "")]
            )
            for number, line in enumerate(lines)
        ),
    )


def _figure(text: str) -> str:
    return count(int(text)) if text.isdecimal() else text.replace("-", "−")


def _head(head: str, index: list[str]) -> str:
    return head.replace("_", " ") if head in index or head in {"n", "out"} else statistic_word(head)


def tidy(table: Table) -> Grid:
    """Every column that holds something, in the order of the export."""
    held = [name for name in table.columns if any(row.get(name) is not None for row in table.rows)]
    figures = {"value", "low", "high", "n", "n_excluded"}
    return Grid(
        tuple(Cell(name, name in figures) for name in held),
        tuple(tuple(_tidy_cell(row, name, name in figures) for name in held) for row in table.rows),
    )


def _tidy_cell(row: Mapping[str, Any], name: str, is_number: bool) -> Cell:
    value = row.get(name)
    if value is None:
        is_undefined = name == "value"
        return Cell(NONE if is_undefined else "", is_number, (row["note"] or "") if is_undefined else "")
    if isinstance(value, int):
        return Cell(count(value), is_number)
    return Cell(number(value) if isinstance(value, float) else str(value), is_number)
