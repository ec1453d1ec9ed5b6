"""A table to CSV, JSON, LaTeX and Markdown: the same numbers everywhere."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

Row = Mapping[str, Any]
INDEX = (
    "criterion",
    "slice_value",
    "grouping",
    "evaluator",
    "evaluator_b",
    "system",
    "system_b",
    "annotator",
    "annotator_b",
    "category",
)
# A cell that begins so would run as a formula in a spreadsheet; text is kept harmless by an apostrophe.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


class Tabular(Protocol):
    """What a writer reads of a table."""

    @property
    def title(self) -> str: ...
    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    def as_dict(self) -> dict[str, Any]: ...


def to_json(table: Tabular) -> str:
    return json.dumps(table.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_csv(table: Tabular) -> str:
    """Tidy rows, one figure a row, numbers unrounded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_harmless(row[column]) for column in table.columns] for row in table.rows)
    return out.getvalue()


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return value


def to_markdown(table: Tabular) -> str:
    heads, lines = pivot(table)
    escape = lambda text: text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")  # noqa: E731
    out = [f"**{escape(table.title)}**", ""]
    out.append("| " + " | ".join(map(escape, heads)) + " |")
    out.append("|" + "|".join("---" if head in INDEX else "---:" for head in heads) + "|")
    out += ["| " + " | ".join(map(escape, line)) + " |" for line in lines]
    return "\n".join([*out, *(["", *(escape(note) for note in table.notes)] if table.notes else [])]) + "\n"


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\n": " ",
}


def to_latex(table: Tabular) -> str:
    """A booktabs tabular: one line for each thing compared, one column for each statistic."""
    heads, lines = pivot(table)
    spec = "".join("l" if head in INDEX else "r" for head in heads)
    escape = lambda text: "".join(LATEX.get(character, character) for character in text)  # noqa: E731
    out = [
        r"\begin{tabular}{" + spec + "}",
        r"\toprule",
        " & ".join(map(escape, heads)) + r" \\",
        r"\midrule",
    ]
    # A line that begins with a bracket would be read as an option of the line break before it.
    out += [
        " & ".join("{}" + cell if cell.startswith("[") else cell for cell in map(escape, line)) + r" \\"
        for line in lines
    ]
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in table.notes)]) + "\n"


def pivot(table: Tabular) -> tuple[list[str], list[list[str]]]:
    """Statistics side by side, with interval; counts at the end where they are the same along a line."""
    index = [name for name in INDEX if any(row.get(name) is not None for row in table.rows)]
    statistics = list(dict.fromkeys(str(row["statistic"]) for row in table.rows))
    lines: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in table.rows:
        lines.setdefault(tuple(row.get(name) for name in index), {})[str(row["statistic"])] = row
    body = [
        [_text(value) for value in key]
        + [_cell(cells[name]) if name in cells else "" for name in statistics]
        + [_range(cells.values(), "n"), _range(cells.values(), "n_excluded")]
        for key, cells in lines.items()
    ]
    return [*index, *statistics, "n", "out"], body


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _cell(row: Row) -> str:
    value, low, high = row["value"], row.get("low"), row.get("high")
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value}"
    if low is None or high is None:
        return short(value)
    return f"{short(value)} [{short(low, 2)}, {short(high, 2)}]"


def short(value: float, places: int = 3) -> str:
    """A coefficient as journals print it: no zero before the point."""
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.removeprefix("-").startswith("0.") else text


def _range(rows: Any, name: str) -> str:
    values = sorted({row[name] for row in rows if row.get(name) is not None})
    return "" if not values else str(values[0]) if len(values) == 1 else f"{values[0]}–{values[-1]}"


WRITERS: dict[str, Callable[[Tabular], str]] = {
    "json": to_json,
    "csv": to_csv,
    "latex": to_latex,
    "markdown": to_markdown,
}
MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "latex": "application/x-latex",
    "markdown": "text/markdown",
}
ENDINGS = {"json": "json", "csv": "csv", "latex": "tex", "markdown": "md"}
