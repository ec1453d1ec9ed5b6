"""Files to raw records: JSON Lines and CSV, read strictly."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.importers.fields import LONGEST_TEXT
from annotate.importers.rows import Unreadable

Raw = tuple[int, dict[str, Any]]


def read_json_lines(path: Path, _: Counter[str]) -> Iterator[Raw]:
    """One object a line; empty lines are passed over."""
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            yield number, _record(path, number, line)


def _lines(path: Path) -> Iterator[str]:
    # Line by line from bytes, so that a wrong byte has a line number.
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise Unreadable(
                    path,
                    number,
                    f"byte {error.start + 1} ({line[error.start]:#04x}) is not UTF-8. Save the file so.",
                ) from None


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, number, f"is not JSON: {error}. Expected one object a line.") from None
    if not isinstance(record, dict):
        raise Unreadable(
            path, number, 'is no object. Expected {"item": ..., "system": ..., "response": ...}.'
        )
    return record


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the field {twice!r} stands twice")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number; write null")


def load_json(path: Path) -> Any:
    """A whole JSON file, with the same strictness."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(path, 0, f"byte {error.start + 1} is not UTF-8. Save the file as UTF-8.") from None
    try:
        return json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, 0, f"is not JSON: {error}.") from None


def read_csv(path: Path, _: Counter[str]) -> Iterator[Raw]:
    """The interchange fields as columns; the line number is that on which a record ends."""
    csv.field_size_limit(LONGEST_TEXT)
    reader = csv.reader(_lines(path), delimiter="\t" if path.suffix == ".tsv" else ",", strict=True)
    try:
        columns = next(reader, [])
        if not columns:
            return
        _check_columns(path, columns)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(columns):
                raise Unreadable(
                    path,
                    reader.line_num,
                    f"has {len(cells)} fields, the first line has {len(columns)}. "
                    "Put quotes around fields that hold a comma.",
                )
            yield reader.line_num, _from_cells(path, reader.line_num, columns, cells)
    except csv.Error as error:
        raise Unreadable(path, reader.line_num, f"is not CSV: {error}.") from None


TEXT_COLUMNS = {"item", "system", "response", "question", "context"}
JSON_COLUMNS = {
    "history",
    "references",
    "attributes",
    "passages",
    "claims",
    "annotations",
    "adjudications",
    "scores",
}
PASSAGE_FIELDS = {"id", "title", "text", "context", "relevant", "cite_as"}


def _check_columns(path: Path, columns: list[str]) -> None:
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise Unreadable(path, 1, f"the column {twice[0]!r} stands twice.")
    missing = [name for name in ("item", "system", "response") if name not in columns]
    if missing:
        raise Unreadable(
            path,
            1,
            f"the column {missing[0]!r} is missing; item, system and response are required. "
            f"Found: {', '.join(columns)}.",
        )
    for column in columns:
        if _place_of(column) is None:
            raise Unreadable(
                path,
                1,
                f"no such column: {column!r}. Expected {', '.join(sorted(TEXT_COLUMNS | JSON_COLUMNS))}, "
                "or reference_1, history_1, passage_1_text, attribute.NAME, label.CRITERION.ANNOTATOR, "
                "score.EVALUATOR.",
            )


def _place_of(column: str) -> tuple[str, ...] | None:
    """Where a column's cells go: ("references",), ("passages", "1", "text"), ("label", CRITERION, HAND)."""
    if column in TEXT_COLUMNS or column in JSON_COLUMNS:
        return (column,)
    stem, _, number = column.partition("_")
    if stem in {"reference", "history"} and number.isdecimal():
        return ("references" if stem == "reference" else "history", number)
    if stem == "passage":
        number, _, field = number.partition("_")
        return ("passages", number, field) if number.isdecimal() and field in PASSAGE_FIELDS else None
    stem, _, rest = column.partition(".")
    if stem == "label":
        criterion, _, hand = rest.partition(".")
        return ("label", criterion, hand) if criterion and hand else None
    return (stem, rest) if stem in {"attribute", "score"} and rest else None


def _from_cells(path: Path, line: int, columns: list[str], cells: list[str]) -> dict[str, Any]:
    """A row of cells as a raw record; an empty cell says nothing, except in a text column."""
    record: dict[str, Any] = {}
    gathered: dict[str, dict[str, dict[str, Any]]] = {"passages": {}, "label": {}}
    for column, cell in zip(columns, cells, strict=True):
        place = _place_of(column) or ()
        if column in TEXT_COLUMNS:
            record[column] = cell
        elif cell and place[0] in gathered:
            group, number, field = place if place[0] == "passages" else (place[0], place[2], place[1])
            is_flag = (group, field) == ("passages", "relevant")
            value = _json_cell(path, line, column, cell.lower()) if is_flag else cell
            gathered[group].setdefault(number, {})[field] = value
        elif cell:
            value = _json_cell(path, line, column, cell) if _is_json(place) else cell
            _add_value(record, place, value)
    if passages := gathered["passages"]:
        record["passages"] = [{"id": number, **passages[number]} for number in sorted(passages, key=int)]
    for hand, labels in gathered["label"].items():
        record.setdefault("annotations", []).append({"annotator": hand, "labels": labels})
    return record


def _is_json(place: tuple[str, ...]) -> bool:
    return len(place) == 1 or place[0] == "score"


def _add_value(record: dict[str, Any], place: tuple[str, ...], value: Any) -> None:
    if len(place) == 1:
        record[place[0]] = value
    elif place[0] == "attribute":
        record.setdefault("attributes", {})[place[1]] = value
    elif place[0] == "score":
        record.setdefault("scores", []).append({"evaluator": place[1], "value": value})
    else:
        record.setdefault(place[0], []).append(value)


def _json_cell(path: Path, line: int, column: str, cell: str) -> Any:
    try:
        return json.loads(cell, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, line, f"column {column!r} is not JSON: {error}.") from None
