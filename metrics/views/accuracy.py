"""The leaderboard of systems: how often is each one right?"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.tables.asked import Asked
from metrics.tables.kept import Shelf
from metrics.tables.table import Table
from metrics.views.boards import Board, Heads, Row, beside_next, common_out, line_of, slices_of
from metrics.views.marks import UNIT
from metrics.views.words import listed, number


def show(shelf: Shelf, table: Table, _asked: Asked, _query: Mapping[str, str]) -> dict[str, Any]:
    """Systems by accuracy under the line of all together."""
    names = {criterion.key: criterion.name for criterion in shelf.project.criteria.all()}
    boards = []
    for (criterion, held), part in slices_of(table.rows).items():
        whole = [row for row in part if row["system"] is None]
        systems = sorted(
            (row for row in part if row["system"] is not None),
            key=lambda row: (row["value"] is None, -(row["value"] or 0), row["system"]),
        )
        lines = tuple(
            line_of(row, UNIT, name=row["system"] or "all systems", is_whole=row["system"] is None)
            for row in [*(whole if len(systems) != 1 else []), *systems]
        )
        title = names.get(criterion, criterion)
        held_word = "" if held is None else f"{part[0]['slice']}: {held}"
        boards.append(Board(title, held_word, lines, tuple(_says(systems))))
    return {
        "boards": boards,
        "scale": UNIT,
        "heads": Heads("System", "accuracy, 0 to 1", "accuracy"),
        "lede": _lede(table),
        "nothing": "" if table.notes else "There is nothing to count yet.",
    }


def _says(systems: Sequence[Row]) -> list[str]:
    defined = [row for row in systems if row["value"] is not None]
    if not defined:
        return ["No system has a settled label here."]
    if len(defined) == 1:
        return [f"{defined[0]['system']} is right on {number(defined[0]['value'])} of its units."]
    best = [row for row in defined if row["value"] == defined[0]["value"]]
    names, value = listed([row["system"] for row in best]), number(best[0]["value"])
    says = f"{names} {'is' if len(best) == 1 else 'are'} right most often ({value})."
    rest = defined[len(best) :]
    return [says, *([beside_next(best[0], rest[0], rest[0]["system"])] if rest else []), common_out(systems)]


def _lede(table: Table) -> str:
    options = table.receipt["options"]
    text = "The share of units whose gold label is positive, of those that have gold"
    if options["resamples"]:
        text += f"; {100 * options['level']:g} % intervals from {options['resamples']:,} resamples of items"
    return text + "."
