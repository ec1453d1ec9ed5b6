"""Do the annotators agree? First independent labels only."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from annotate.consensus import agree
from annotate.frames import labels_frame, units_frame
from annotate.models import Criterion
from annotate.scales import number_of
from metrics.stats import NOMINAL_STATISTICS, ORDINAL_STATISTICS, agreement_table, cohen_kappa_pairs
from metrics.tables.gold import codes_of
from metrics.tables.slices import slices
from metrics.tables.table import Built, Request, count_row, row

MOST_PAIRS = 100


def build(request: Request) -> Built:
    """Percent agreement, Cohen by pair, Fleiss, Gwet and Krippendorff per criterion and slice."""
    units = units_frame(request.project, request.where, request.slice_by)
    labels = labels_frame(request.project)
    labels = labels[labels["unit"].isin(units.index)]
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for criterion in request.project.criteria.all():
        given = labels[labels["criterion"] == criterion.key]
        for index, part in slices(units, request.slice_by):
            rows += _rows(criterion, given[given["unit"].isin(part.index)], part, request, index)
    if labels.empty:
        notes.append("There are no labels yet.")
    n_one = int((labels.groupby(["criterion", "unit"]).size() == 1).sum()) if len(labels) else 0
    if n_one:
        notes.append(f"{n_one:,} labels stand alone on their unit: they count in no coefficient.")
    return Built(rows, notes, [_keyed(units, labels)])


def _keyed(units: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    return labels.join(units[["item", "system", "level"]], on="unit").drop(columns="unit")


def _rows(
    criterion: Criterion, given: pd.DataFrame, units: pd.DataFrame, request: Request, index: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    if given.empty:
        return
    codes = codes_of(criterion)
    coded = given.assign(code=given["value"].map(codes if codes is not None else number_of).astype(float))
    matrix = coded.pivot(index="unit", columns="annotator", values="code")
    options = {
        "categories": sorted(codes.values()) if codes is not None else None,
        "clusters": units.loc[matrix.index, "item"].to_numpy(),
        "raters": [str(name) for name in matrix.columns],
        "resamples": request.options["resamples"],
        "level": request.options["level"],
        "rng": request.options["seed"],
    }
    about = {"criterion": criterion.key, **index}
    nominal = criterion.scale == Criterion.Scale.NOMINAL
    ratings = matrix.to_numpy(dtype=float)
    found = agreement_table(
        ratings, statistics=NOMINAL_STATISTICS if nominal else ORDINAL_STATISTICS, **options
    )
    yield row(found.pop("percent_agreement"), **about)
    yield _contested(criterion, given, about)
    yield from _pairs(ratings, nominal, options, about)
    for estimate in found.values():
        yield row(estimate, **about)


def _contested(criterion: Criterion, given: pd.DataFrame, about: dict[str, Any]) -> dict[str, Any]:
    by_unit = given.groupby("unit")["value"].agg(list)
    several = by_unit[by_unit.map(len) > 1]
    n_contested = sum(not agree(criterion, values) for values in several)
    return count_row(
        "n_contested", n_contested, n=len(several), n_excluded=len(by_unit) - len(several), **about
    )


def _pairs(
    ratings: np.ndarray[Any, Any], nominal: bool, options: dict[str, Any], about: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Cohen's kappa of each pair with units in common; none where pairs are too many to read."""
    labelled = ~np.isnan(ratings)
    shared = labelled.T.astype(int) @ labelled.astype(int)
    if np.count_nonzero(np.triu(shared, 1)) > MOST_PAIRS:
        return
    for weights in (None,) if nominal else (None, "linear", "quadratic"):
        for (a, b), estimate in cohen_kappa_pairs(ratings, weights=weights, **options).items():
            if estimate.n:
                yield row(estimate, annotator=a, annotator_b=b, **about)
