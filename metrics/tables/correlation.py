"""Which score follows the people's labels?"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from annotate.frames import gold_frame, labels_frame, units_frame
from annotate.models import Criterion
from metrics.frames import scores_frame
from metrics.stats import GROUPINGS, Estimate, correlations
from metrics.tables.gold import target, why_no_target
from metrics.tables.slices import slices
from metrics.tables.table import Built, Request, row

STATISTICS = ("spearman", "kendall_tau_b", "pearson")


def build(request: Request) -> Built:
    """Spearman, Kendall and Pearson of each evaluator with each criterion, by grouping and slice."""
    units = units_frame(request.project, request.where, request.slice_by)
    gold, labels = gold_frame(request.project), labels_frame(request.project)
    scores = scores_frame(request.project)
    scores = scores[scores["unit"].isin(units.index)]
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    used: list[pd.DataFrame] = []
    exclusions: Counter[str] = Counter()
    for criterion in request.project.criteria.all():
        if reason := why_no_target(criterion):
            notes.append(reason)
            continue
        wanted = target(criterion, request.options["labels"], gold, labels)
        at_level = units if criterion.level == "any" else units[units["level"] == criterion.level]
        for evaluator, outcomes in _by_evaluator(scores, criterion, at_level):
            joined = _join(at_level, wanted, outcomes)
            used.append(joined.assign(criterion=criterion.key, evaluator=evaluator))
            exclusions.update(_reasons(joined))
            rows += _rows(criterion.key, evaluator, joined, request)
    turned = request.project.evaluators.filter(higher_is_better=False).order_by("key")
    notes += [
        f"Lower is better for {key}: its sign is turned, so that higher is better for all."
        for key in turned.values_list("key", flat=True)
    ]
    if scores.empty:
        notes.append("There are no scores yet: start a run, or load some.")
    return Built(rows, notes, used, exclusions)


def _by_evaluator(
    scores: pd.DataFrame, criterion: Criterion, units: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The outcomes of each evaluator that are about this criterion, or about all."""
    fits = scores["unit"].isin(units.index) & (
        scores["criterion"].isna() | (scores["criterion"] == criterion.key)
    )
    for evaluator, outcomes in scores[fits].groupby("evaluator", sort=True):
        yield str(evaluator), outcomes.sort_values("criterion").drop_duplicates("unit").set_index("unit")


def _join(units: pd.DataFrame, wanted: pd.Series, outcomes: pd.DataFrame) -> pd.DataFrame:
    """One row per unit of the level: nothing is dropped, what is missing stays visible."""
    joined = units[["item", "system", "slice_value"]].copy()
    joined["gold"] = wanted.reindex(units.index)
    joined["score"] = outcomes["value"].reindex(units.index).astype(float)
    joined["failure"] = outcomes["failure"].reindex(units.index).fillna("no score")
    return joined


def _reasons(joined: pd.DataFrame) -> Counter[str]:
    """Why units are left out; one without gold counts as that, whatever became of its score."""
    no_gold = joined["gold"].isna()
    reasons = Counter({"no gold": int(no_gold.sum())})
    left = joined[~no_gold & joined["score"].isna()]
    reasons.update({str(name): int(n) for name, n in left["failure"].value_counts().items()})
    return Counter({name: n for name, n in reasons.items() if n})


def _rows(criterion: str, evaluator: str, joined: pd.DataFrame, request: Request) -> Iterator[dict[str, Any]]:
    wanted = request.options["grouping"]
    for index, part in slices(joined, request.slice_by):
        note = "Left out: " + ", ".join(f"{n:,} {name}" for name, n in sorted(_reasons(part).items()))
        for grouping in (wanted,) if wanted else GROUPINGS:
            if len(set(part["system"])) < 2 and grouping in {"by_item", "system_level"}:
                continue  # one system: nothing to compare across systems
            for estimate in _correlate(part, grouping, request).values():
                about = {"criterion": criterion, "evaluator": evaluator, "grouping": grouping, **index}
                yield row(estimate, note=f"{note}." if estimate.n_excluded else "", **about)


def _correlate(part: pd.DataFrame, grouping: str, request: Request) -> dict[str, Estimate]:
    return correlations(
        np.asarray(part["gold"], dtype=float),
        np.asarray(part["score"], dtype=float),
        statistics=STATISTICS,
        grouping=grouping,
        items=part["item"].to_numpy(),
        systems=part["system"].to_numpy(),
        resamples=request.options["resamples"],
        level=request.options["level"],
        rng=request.options["seed"],
    )
