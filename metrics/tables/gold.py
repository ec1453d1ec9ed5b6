"""Labels as numbers: what scores and raters are compared on."""

from collections.abc import Mapping

import pandas as pd

from annotate.models import Criterion
from annotate.scales import number_of, text_of

LABELS = ("gold", "mean", "median")


def numbers_of(criterion: Criterion) -> Mapping[str, float] | None:
    """What each category counts as: positive 1 and the others 0 if nominal, its number if ordinal."""
    if criterion.scale == Criterion.Scale.NUMERIC:
        return None
    if criterion.scale == Criterion.Scale.ORDINAL:
        return {text_of(c["value"]): float(c["number"]) for c in criterion.categories}
    return {text_of(c["value"]): 1.0 if c.get("positive") else 0.0 for c in criterion.categories}


def as_numbers(criterion: Criterion, values: pd.Series) -> pd.Series:
    """Label texts as the numbers that they count as in a correlation."""
    numbers = numbers_of(criterion)
    return values.map(numbers if numbers is not None else number_of).astype(float)


def codes_of(criterion: Criterion) -> Mapping[str, float] | None:
    """A code for each category: its number if ordinal and numbers differ, else its place in the scale."""
    if criterion.scale == Criterion.Scale.NUMERIC:
        return None
    numbers = [c.get("number") for c in criterion.categories]
    if criterion.scale == Criterion.Scale.ORDINAL and len(set(numbers)) == len(numbers):
        return dict(zip(criterion.values, map(float, numbers), strict=True))
    return {value: float(place) for place, value in enumerate(criterion.values)}


def target(criterion: Criterion, labels: str | None, gold: pd.DataFrame, given: pd.DataFrame) -> pd.Series:
    """By unit, the number that scores are compared with.

    `labels`: "gold", or "mean" / "median" of the first independent labels; None: gold for a nominal
    criterion, mean for the others.
    """
    labels = labels or ("gold" if criterion.scale == Criterion.Scale.NOMINAL else "mean")
    if labels == "gold":
        known = gold[gold["criterion"] == criterion.key].set_index("unit")["value"].dropna()
        return as_numbers(criterion, known)
    rows = given[given["criterion"] == criterion.key]
    return as_numbers(criterion, rows["value"]).groupby(rows["unit"]).agg(labels)


def why_no_target(criterion: Criterion) -> str | None:
    """Why nothing can be compared with this criterion, if so."""
    if criterion.scale == Criterion.Scale.NOMINAL and not criterion.positive:
        return f"{criterion.key} declares no positive category, so its labels are no numbers."
    return None
