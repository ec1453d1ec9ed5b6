"""Which values do labels and gold take, and how did the gold come about?"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from annotate.frames import gold_frame, labels_frame, units_frame
from annotate.models import Criterion
from metrics.tables.slices import slices
from metrics.tables.table import Built, Request, count_row

ORIGINS = ("single", "unanimous", "majority", "adjudicated", "unresolved")


def build(request: Request) -> Built:
    """Counts per category (labels, gold, units on which all annotators gave it) and per origin of gold."""
    units = units_frame(request.project, request.where, request.slice_by)
    gold, labels = gold_frame(request.project), labels_frame(request.project)
    rows: list[dict[str, Any]] = []
    for criterion in request.project.criteria.all():
        for index, part in slices(units, request.slice_by):
            own_gold = gold[(gold["criterion"] == criterion.key) & gold["unit"].isin(part.index)]
            own = labels[(labels["criterion"] == criterion.key) & labels["unit"].isin(part.index)]
            rows += _rows(criterion, own_gold, own, {"criterion": criterion.key, **index})
    keyed = gold.join(units[["item", "system", "level"]], on="unit", how="inner").drop(columns="unit")
    return Built(rows, [], [keyed])


def _rows(
    criterion: Criterion, gold: pd.DataFrame, labels: pd.DataFrame, about: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    known, origins = gold["value"].value_counts(), gold["origin"].value_counts()
    by_unit = labels.groupby("unit")["value"]
    same = by_unit.first()[(by_unit.nunique() == 1) & (by_unit.size() > 1)].value_counts()
    n_several = int((by_unit.size() > 1).sum())
    for value in criterion.values or sorted(set(labels["value"])):
        index = {**about, "category": value}
        yield count_row("n_labels", int((labels["value"] == value).sum()), n=len(labels), **index)
        yield count_row("n_all_agree", int(same.get(value, 0)), n=n_several, **index)
        yield count_row("n_gold", int(known.get(value, 0)), n=len(gold), **index)
    for origin in ORIGINS:
        yield count_row(f"n_{origin}", int(origins.get(origin, 0)), n=len(gold), **about)
