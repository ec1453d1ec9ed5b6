"""The hand-evaluation sheet of SynSciQA: one source, one sentence, two annotators, 1 = entailed.

Every row becomes an item with the source as its passage and the sentence as the response.
"""

import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.importers.files import Raw
from annotate.importers.rows import Unreadable

SYSTEM = "SynSciQA++"
FIRST = ("evidence", "answer")
LARGEST = 200_000_000  # bytes unpacked: a sheet of text is far smaller
VALUES = {1: "entailed", 0: "not_entailed"}
CRITERION = {
    "key": "entailment",
    "name": "Entailment",
    "question": "Does the sentence truthfully reflect the source?",
    "scale": "nominal",
    "level": "response",
    "categories": ["entailed", "not_entailed"],
    "positive": ["entailed"],
}


def read_hand_evaluation(path: Path, notes: Counter[str]) -> Iterator[Raw]:
    """Rows of the first sheet; columns after `evidence, answer` are annotators."""
    yield 1, {"touchstone": 1, "criteria": [CRITERION]}
    rows = _rows(path)
    columns = [str(cell).strip() if cell is not None else "" for cell in next(rows, ())]
    hands = columns[2:]
    if tuple(columns[:2]) != FIRST or not hands or "" in hands:
        raise Unreadable(
            path,
            1,
            f"the first row is {', '.join(map(repr, columns)) or 'empty'}; expected 'evidence', "
            "'answer' and a column for each annotator.",
        )
    for line, cells in enumerate(rows, start=2):
        if all(cell is None or str(cell).strip() == "" for cell in cells):
            notes["empty rows passed over"] += 1
            continue
        yield line, _record(path, line, hands, cells)


def _record(path: Path, line: int, hands: list[str], cells: tuple[Any, ...]) -> dict[str, Any]:
    source, sentence, *labels = cells
    if not isinstance(source, str) or not isinstance(sentence, str):
        raise Unreadable(path, line, "has no source or no sentence; both are required.")
    annotations = []
    for hand, label in zip(hands, labels, strict=False):
        if label is None:
            continue
        if isinstance(label, bool) or label not in VALUES:
            raise Unreadable(path, line, f"{hand} is {label!r}; expected 1 (entailed) or 0 (not entailed).")
        annotations.append({"annotator": hand, "labels": {"entailment": VALUES[label]}})
    return {
        "item": f"row {line}",
        "system": SYSTEM,
        "response": sentence.strip(),
        "passages": [{"id": "source", "text": source.strip(), "context": "gold"}],
        "annotations": annotations,
    }


def _rows(path: Path) -> Iterator[tuple[Any, ...]]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise Unreadable(path, 0, "is no XLSX workbook. Give the sheet that the authors published.") from None
    if size > LARGEST:
        raise Unreadable(path, 0, f"unpacks to {size:,} bytes; at most {LARGEST:,} are read.")
    # Imported here: it costs every command a quarter of a second.
    from openpyxl import load_workbook

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise Unreadable(path, 0, f"is no XLSX workbook: {error}.") from None
    try:
        for cells in book.worksheets[0].iter_rows(values_only=True):
            yield tuple(cells)
    finally:
        book.close()
