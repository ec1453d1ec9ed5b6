"""How often is each system right? The share of units whose gold is positive."""

from dataclasses import replace
from typing import Any

import pandas as pd

from annotate.frames import gold_frame, units_frame
from annotate.models import Criterion
from metrics.stats import share
from metrics.tables.gold import as_numbers
from metrics.tables.slices import slices
from metrics.tables.table import Built, Request, row


def build(request: Request) -> Built:
    """Accuracy per criterion, over all systems and for each, by slice."""
    units = units_frame(request.project, request.where, request.slice_by)
    gold = gold_frame(request.project)
    gold = gold[gold["unit"].isin(units.index)]
    rows: list[dict[str, Any]] = []
    notes = []
    for criterion in request.project.criteria.all():
        if not criterion.positive:
            notes.append(f"{criterion.key} declares no positive category: it has no accuracy.")
            continue
        at_level = units if criterion.level == "any" else units[units["level"] == criterion.level]
        flags = _flags(criterion, gold).reindex(at_level.index)
        for index, part in slices(at_level, request.slice_by):
            for system, own in [(None, part), *part.groupby("system", sort=True)]:
                about = {"criterion": criterion.key, "system": system, **index}
                rows.append(row(_share(flags.loc[own.index], own, request), **about))
    return Built(rows, notes, [gold.join(units[["item", "system", "level"]], on="unit").drop(columns="unit")])


def _flags(criterion: Criterion, gold: pd.DataFrame) -> pd.Series:
    own = gold[gold["criterion"] == criterion.key].set_index("unit")["value"].dropna()
    if criterion.scale == Criterion.Scale.NOMINAL:
        return as_numbers(criterion, own)
    return own.isin(criterion.positive).astype(float)


def _share(flags: pd.Series, units: pd.DataFrame, request: Request) -> Any:
    estimate = share(
        flags.to_numpy(dtype=float),
        clusters=units["item"].to_numpy(),
        resamples=request.options["resamples"],
        level=request.options["level"],
        rng=request.options["seed"],
    )
    return replace(estimate, statistic="accuracy")
