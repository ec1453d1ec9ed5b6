"""Files to plain rows. A layout is a file here and a line in LAYOUTS; nothing here writes to the database.

A layout reads a foreign file as raw records of the interchange format; the checks are the same for all.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotate.importers.evouna import read_evouna
from annotate.importers.files import Raw, read_csv, read_json_lines
from annotate.importers.interchange import is_header, read_header, read_response
from annotate.importers.rows import Header, Place, Problem, ResponseRow, Unreadable
from annotate.importers.synsciqa import read_hand_evaluation

Reader = Callable[[Path, Counter[str]], Iterator[Raw]]


@dataclass(frozen=True, slots=True)
class Layout:
    key: str
    name: str
    suffixes: tuple[str, ...]
    read: Reader


LAYOUTS = (
    Layout("jsonl", "Interchange format, JSON Lines", (".jsonl", ".ndjson", ".json"), read_json_lines),
    Layout("csv", "Interchange format, CSV or TSV", (".csv", ".tsv"), read_csv),
    Layout("synsciqa-handeval", "SynSciQA hand evaluation (XLSX)", (".xlsx",), read_hand_evaluation),
    Layout("evouna", "EVOUNA / QA-Eval (JSON)", (".json",), read_evouna),
)
BY_KEY = {layout.key: layout for layout in LAYOUTS}
if len(BY_KEY) != len(LAYOUTS):
    raise ValueError("Two layouts share a key.")


def layout_for(path: Path, key: str | None) -> Layout:
    """The layout asked for, else that of the file's ending."""
    if key is not None:
        if key not in BY_KEY:
            raise ValueError(f"No layout {key!r}; choose one of {', '.join(BY_KEY)}.")
        layout = BY_KEY[key]
        if path.suffix.lower() not in layout.suffixes:
            raise Unreadable(
                path,
                0,
                f"the layout {key} reads {' or '.join(layout.suffixes)} files, this is a "
                f"{path.suffix or 'file without an ending'}.",
            )
        return layout
    for layout in LAYOUTS[:2]:
        if path.suffix.lower() in layout.suffixes:
            return layout
    raise Unreadable(
        path,
        0,
        f"the ending {path.suffix!r} does not tell the layout. Name it with --layout: {', '.join(BY_KEY)}.",
    )


def read_rows(
    path: Path, layout: Layout, problems: list[Problem], notes: Counter[str]
) -> Iterator[Header | ResponseRow]:
    """The rows of a file, one at a time; what is wrong goes into `problems`, counts into `notes`."""
    found = False
    for line, raw in layout.read(path, notes):
        place = Place(path.name, line)
        if is_header(raw):
            if found:
                problems.append(Problem(place, "touchstone", "only the first line may declare."))
            yield read_header(raw, place, problems)
        else:
            found = True
            yield read_response(raw, place, problems)
    if not found:
        problems.append(Problem(Place(path.name, 0), "", "holds no responses."))
