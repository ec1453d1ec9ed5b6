"""Leaderboards: what is compared down, a figure with its interval across."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.views.marks import Mark, Scale
from metrics.views.words import NONE, count, interval, number

Row = Mapping[str, Any]
LEFT_OUT = "Left out: "


@dataclass(frozen=True, slots=True)
class Line:
    """One thing compared. `caveat` says why it has no value, or what to mind about it."""

    name: str
    chips: tuple[str, ...]
    is_judge: bool
    is_whole: bool
    value: str
    interval: str
    beside: str
    n: str
    out: str
    why_out: str
    caveat: str
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Board:
    """The lines of one criterion in one slice, and what they say."""

    title: str
    slice: str
    lines: tuple[Line, ...]
    says: tuple[str, ...]

    @property
    def caveats(self) -> list[str]:
        return caveats_of(self.lines)


@dataclass(frozen=True, slots=True)
class Heads:
    """The words above the columns; `beside` is empty when there is no such column."""

    first: str
    scale: str
    value: str
    beside: str = ""


def line_of(
    row: Row,
    scale: Scale,
    *,
    name: str,
    beside: Row | None = None,
    chips: Sequence[str] = (),
    is_judge: bool = False,
    is_whole: bool = False,
) -> Line:
    caveat, why_out = notes_of(row)
    return Line(
        name=name,
        chips=tuple(chips),
        is_judge=is_judge,
        is_whole=is_whole,
        value=number(row["value"]),
        interval=interval(row["low"], row["high"]),
        beside=number(beside["value"]) if beside is not None else NONE,
        n=count(row["n"]),
        out=count(row["n_excluded"]),
        why_out=why_out,
        caveat=caveat,
        mark=scale.mark(row),
    )


def caveats_of(lines: Sequence[Line]) -> list[str]:
    """What the asterisks stand for; why a figure is undefined stands in its cell."""
    return list(dict.fromkeys(line.caveat for line in lines if line.caveat and line.mark))


def notes_of(row: Row) -> tuple[str, str]:
    """What to mind, and what was left out."""
    caveat, found, left_out = (row["note"] or "").partition(LEFT_OUT)
    return caveat.strip(), found + left_out


def slices_of(rows: Sequence[Row]) -> dict[tuple[str, str | None], list[Row]]:
    """Rows by criterion and slice, in their order; the whole has no slice."""
    found: dict[tuple[str, str | None], list[Row]] = {}
    for row in rows:
        found.setdefault((row["criterion"], row["slice_value"] if row["slice"] else None), []).append(row)
    return found


def overlap(first: Row, second: Row) -> bool | None:
    """Whether two intervals share a value; None where one has none."""
    if None in (first["low"], first["high"], second["low"], second["high"]):
        return None
    return bool(first["low"] <= second["high"] and second["low"] <= first["high"])


def beside_next(first: Row, second: Row, name: str) -> str:
    """How the second stands to the first, and whether their intervals tell them apart."""
    text = f"The next, {name}, has {number(second['value'])}"
    shared = overlap(first, second)
    if shared is None:
        return f"{text}; without intervals, nothing says how firm that is."
    return f"{text}; their intervals {'overlap' if shared else 'do not overlap'}."


def common_out(rows: Sequence[Row]) -> str:
    """The sentence about what is out, where it is the same for all."""
    reasons = {notes_of(row)[1] for row in rows}
    return next(iter(reasons)).replace(LEFT_OUT, "Left out of every line: ") if len(reasons) == 1 else ""
