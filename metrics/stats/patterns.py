"""Ratings collapsed to the distinct ways in which raters label a unit.

A million units with three raters and three categories hold at most 64 different rows. Everything that
agreement needs is computed on those rows and weighted by how often each occurs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.inputs import FloatArray, Ids, IntArray, as_codes, as_floats, refuse_infinite
from metrics.stats.weights import ClusterPlan, plan_clusters, plan_rows

# Keys up to here are counted in a table instead of being sorted.
_TABLE_SIZE = 2**22
_KEY_LIMIT = 2**62


@dataclass(frozen=True)
class RatingPatterns:
    """Distinct label rows of the units that have any label.

    `codes[p, r]` is the position in `categories` of rater r's label in pattern p, or -1 for none; `counts[p]`
    units show pattern p; `plan` resamples the clusters of units.
    """

    codes: IntArray
    counts: FloatArray
    categories: FloatArray
    plan: ClusterPlan
    n_unlabelled: int

    @property
    def n_raters(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def sizes(self) -> FloatArray:
        """Labels per pattern."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=np.float64)

    @cached_property
    def is_paired(self) -> FloatArray:
        """1 for patterns with at least two labels, else 0."""
        return (self.sizes >= 2).astype(np.float64)

    @cached_property
    def n_pairs(self) -> FloatArray:
        """Ordered pairs of labels by different raters, per pattern."""
        return self.sizes * (self.sizes - 1)

    @cached_property
    def labels(self) -> Any:
        """Sparse (patterns, categories): how many raters gave each category."""
        pattern, rater = np.nonzero(self.codes >= 0)
        column = self.codes[pattern, rater]
        shape = (len(self.codes), len(self.categories))
        return sparse.csr_array((np.ones(len(pattern)), (pattern, column)), shape=shape)

    @cached_property
    def paired_labels(self) -> Any:
        """`labels` transposed, without the labels that stand alone on their unit."""
        return (sparse.diags_array(self.is_paired) @ self.labels).T.tocsr()

    @cached_property
    def n_equal(self) -> FloatArray:
        """Ordered pairs of labels that are equal, per pattern."""
        squares: FloatArray = self.labels.power(2).sum(axis=1)
        return squares - self.sizes

    def sum_over_labels(self, values: FloatArray) -> FloatArray:
        """Per pattern, the sum of a value per category over its labels."""
        total: FloatArray = self.labels @ values
        return total

    def columns(self, chosen: Sequence[int]) -> "RatingPatterns":
        """The same units seen through some of the raters only."""
        return replace(self, codes=self.codes[:, list(chosen)])

    def count_units(self, mask: npt.NDArray[np.bool_]) -> int:
        return int(self.counts[mask].sum())


def read_patterns(
    ratings: Any, categories: npt.ArrayLike | None = None, clusters: Ids | None = None
) -> RatingPatterns:
    """Collapse `ratings` of shape (units, raters); nan is no label."""
    array = as_floats(ratings, "ratings", ndim=2)
    rows, key = _distinct_rows(array)
    try:
        codes, declared = _encode(rows, categories)
    except ValueError:
        _explain_bad_label(array, categories)
        raise
    labelled = (codes >= 0).any(axis=1)
    position = np.where(labelled, np.cumsum(labelled) - 1, -1)
    pattern = position[key]
    counts = np.bincount(pattern + 1, minlength=int(labelled.sum()) + 1)
    codes = codes[labelled]
    if clusters is None:
        plan = plan_rows(counts[1:])
    else:
        cluster = as_codes(clusters, "clusters", len(array))
        plan = plan_clusters(pattern[pattern >= 0], cluster[pattern >= 0], len(codes))
    return RatingPatterns(codes, counts[1:].astype(np.float64), declared, plan, int(counts[0]))


def _distinct_rows(array: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct rows in a fixed order, and for each row of `array` which of them it is."""
    if not array.size:
        return np.empty((min(len(array), 1), array.shape[1])), np.zeros(len(array), dtype=np.int64)
    small = _small_whole_numbers(array)
    if small is not None:
        return _distinct_small_rows(*small)
    codes, seen = pd.factorize(array.ravel())
    order = np.argsort(seen)
    rank = np.empty(len(seen) + 1, dtype=np.int64)
    rank[order], rank[-1] = np.arange(1, len(seen) + 1), 0
    ranks = rank[codes].reshape(array.shape)
    if (len(seen) + 1.0) ** array.shape[1] < _KEY_LIMIT:
        _, first, key = np.unique(_keys(ranks, len(seen) + 1), return_index=True, return_inverse=True)
        return array[first], key
    _, first, key = np.unique(ranks, axis=0, return_index=True, return_inverse=True)
    return array[first], key.reshape(-1)


def _small_whole_numbers(array: FloatArray) -> tuple[npt.NDArray[np.int16], int] | None:
    """The labels plus one (0 for none) and the number of such codes, if they are few whole numbers."""
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int16)
    missing = np.isnan(array)
    if not np.logical_or(missing, whole == array).all():
        return None
    whole[missing] = -1
    low, high = int(whole.min()), int(whole.max())
    if low < -1 or (low == -1 and bool((whole[~missing] == -1).any())):
        return None
    if (high + 2.0) ** array.shape[1] > _TABLE_SIZE:
        return None
    whole += 1
    return whole, high + 2


def _distinct_small_rows(codes: npt.NDArray[np.int16], base: int) -> tuple[FloatArray, IntArray]:
    keys = _keys(codes, base)
    seen = np.flatnonzero(np.bincount(keys))
    position = np.zeros(int(seen[-1]) + 1, dtype=np.int64)
    position[seen] = np.arange(len(seen))
    digits = seen[:, None] // base ** np.arange(codes.shape[1]) % base
    return np.where(digits > 0, digits - 1.0, np.nan), position[keys]


def _keys(codes: npt.NDArray[Any], base: int) -> IntArray:
    """One whole number per row, its digits in `base` being the row's codes."""
    keys = codes[:, -1].astype(np.int64)
    for column in range(codes.shape[1] - 2, -1, -1):
        keys *= base
        keys += codes[:, column]
    return keys


def _encode(rows: FloatArray, categories: npt.ArrayLike | None) -> tuple[IntArray, FloatArray]:
    """Positions of the labels in the declared scale (or in the sorted labels seen), -1 for none."""
    missing = np.isnan(rows)
    seen = np.unique(rows[~missing])
    if np.isinf(seen).any():
        raise ValueError("ratings hold an infinite label.")
    declared = seen if categories is None else as_floats(categories, "categories")
    if len(np.unique(declared)) != len(declared) or not np.isfinite(declared).all():
        raise ValueError(f"categories {declared.tolist()} must be finite and all different.")
    order = np.argsort(declared)
    if not np.isin(seen, declared).all():
        raise ValueError("ratings hold an undeclared label.")
    codes = np.full(rows.shape, -1, dtype=np.int64)
    codes[~missing] = order[np.searchsorted(declared[order], rows[~missing])]
    return codes, declared


def _explain_bad_label(array: FloatArray, categories: npt.ArrayLike | None) -> None:
    """Raise the error that names the first label that is infinite or was not declared."""
    refuse_infinite(array, "ratings")
    if categories is None:
        return
    declared = as_floats(categories, "categories")
    places = np.argwhere(~np.isnan(array) & ~np.isin(array, declared))
    if len(places):
        unit, rater = places[0]
        label = array[unit, rater]
        raise ValueError(f"ratings[{unit}, {rater}] is {label:g}; categories are {declared.tolist()}.")
