"""The leaderboard of evaluators: which score follows the people's labels?"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.models import Criterion, Project
from metrics.models import Evaluator
from metrics.tables.asked import Asked
from metrics.tables.kept import Shelf
from metrics.tables.table import Table
from metrics.views.boards import Board, Heads, Line, Row, beside_next, common_out, line_of, slices_of
from metrics.views.marks import Scale, common_scale
from metrics.views.words import GROUPINGS, SIGNS, STATISTICS, number

MAIN = "spearman"
OVER = {
    "pooled": "over all units together",
    "by_item": "across the systems of each item, then the mean over items",
    "by_system": "across the items of each system, then the mean over systems",
    "system_level": "of the systems’ mean score with their mean label",
}


def show(shelf: Shelf, table: Table, asked: Asked, query: Mapping[str, str]) -> dict[str, Any]:
    """Boards of the chosen coefficient, with tau-b beside it."""
    chosen = chosen_statistic(query)
    beside = "kendall_tau_b" if chosen != "kendall_tau_b" else MAIN
    shown = [row for row in table.rows if row["statistic"] == chosen]
    others = {_key(row): row for row in table.rows if row["statistic"] == beside}
    scale = common_scale(shown)
    evaluators = {evaluator.key: evaluator for evaluator in shelf.project.evaluators.all()}
    return {
        "boards": _boards(shelf.project, shown, others, scale, evaluators),
        "scale": scale,
        "heads": Heads("Evaluator", f"{SIGNS[chosen]} on a common scale", SIGNS[chosen], SIGNS[beside]),
        "lede": _lede(table, chosen, _against(shelf.project, asked.option("labels"))),
        "nothing": _why_nothing(table, asked),
    }


def chosen_statistic(query: Mapping[str, str]) -> str:
    asked = query.get("statistic", "")
    return asked if asked in SIGNS else MAIN


def _boards(
    project: Project,
    rows: Sequence[Row],
    others: Mapping[tuple[Any, ...], Row],
    scale: Scale,
    evaluators: Mapping[str, Evaluator],
) -> list[Board]:
    names = {criterion.key: criterion.name for criterion in project.criteria.all()}
    boards = []
    for (criterion, held), part in slices_of(rows).items():
        ranked = sorted(part, key=lambda row: (row["value"] is None, -(row["value"] or 0), row["evaluator"]))
        lines = tuple(
            _line(row, scale, evaluators[row["evaluator"]], others.get(_key(row))) for row in ranked
        )
        title = names.get(criterion, criterion)
        boards.append(Board(title, _slice_word(ranked[0], held), lines, tuple(_says(ranked, evaluators))))
    return boards


def _slice_word(row: Row, held: str | None) -> str:
    return "" if held is None else f"{row['slice']}: {held}"


def _line(row: Row, scale: Scale, evaluator: Evaluator, beside: Row | None) -> Line:
    chips = [evaluator.kind] + ([] if evaluator.higher_is_better else ["lower is better, turned"])
    is_judge = evaluator.kind == Evaluator.Kind.JUDGE
    return line_of(row, scale, name=evaluator.name, beside=beside, chips=chips, is_judge=is_judge)


def _key(row: Row) -> tuple[Any, ...]:
    return row["criterion"], row["evaluator"], row["grouping"], row["slice"], row["slice_value"]


def _says(rows: Sequence[Row], evaluators: Mapping[str, Evaluator]) -> list[str]:
    """Only what the rows show. That a difference is significant is not computed, so it is not said."""
    defined = [row for row in rows if row["value"] is not None]
    if not defined:
        return ["No evaluator has a value here."]

    def name(row: Row) -> str:
        return evaluators[row["evaluator"]].name

    first, *rest = sorted(defined, key=lambda row: float(row["value"]), reverse=True)
    if first["value"] <= 0:
        return ["No evaluator rises with the labels here.", common_out(rows)]
    says = [f"{name(first)} follows the labels most closely ({number(first['value'])})."]
    if first["low"] is not None and first["low"] <= 0 <= first["high"]:
        says.append("Its interval holds 0: the data do not show that it follows them at all.")
    elif rest:
        says.append(beside_next(first, rest[0], name(rest[0])))
    return [*says, common_out(rows)]


def _against(project: Project, labels: str) -> str:
    """What scores are compared with, in words."""
    scales = set(project.criteria.values_list("scale", flat=True))
    if labels == "gold" or (not labels and scales <= {Criterion.Scale.NOMINAL.value}):
        return "gold"
    if not labels and Criterion.Scale.NOMINAL in scales:
        return "gold (the annotators’ mean where the scale is ordered)"
    return f"the annotators’ {labels or 'mean'}"


def _lede(table: Table, chosen: str, labels: str) -> str:
    options = table.receipt["options"]
    over = OVER.get(options["grouping"], "by every grouping")
    text = f"{STATISTICS[chosen]} of each score with {labels}, {over}"
    if options["resamples"]:
        text += f"; {100 * options['level']:g} % intervals from {options['resamples']:,} resamples of items"
    return text + "."


def _why_nothing(table: Table, asked: Asked) -> str:
    grouping = asked.option("grouping")
    if table.notes:
        return ""  # the notes say it
    if grouping in {"by_item", "system_level"}:
        return f"There is one system only: {GROUPINGS[grouping]}, nothing can be compared across systems."
    return "There is nothing to compare yet."
