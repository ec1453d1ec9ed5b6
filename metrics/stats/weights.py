"""How often each cell of a table occurs in each bootstrap resample.

Rows that look alike fall into one cell, clusters that look alike into one kind. A resample is then a draw of
cluster counts per kind, so its cost depends on the number of kinds and not on the number of rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.inputs import FloatArray, IntArray

# Numbers held at once in one array of weights: 8 MB, so that a handful of them stay far below 300 MB.
CHUNK = 1_000_000
# Drawing one binomial costs about as much as drawing and counting this many indices.
BINOMIAL_COST = 8


@dataclass(frozen=True)
class ClusterPlan:
    """Clusters to resample: `kinds[t]` of them hold the cell counts `cells[:, t]`.

    `cells` is None when kind t is a single row in cell t.
    """

    kinds: IntArray
    cells: Any
    n_cells: int

    @property
    def n_clusters(self) -> int:
        return int(self.kinds.sum())

    def draws(self, resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Weights of shape (cells, some of the resamples), until all resamples have come."""
        size = max(4, CHUNK // max(self.n_cells, self._cost(), 1))
        for start in range(0, resamples, size):
            kinds = self._draw_kinds(min(size, resamples - start), rng)
            weights: FloatArray = kinds if self.cells is None else self.cells @ kinds
            yield weights

    def _cost(self) -> int:
        return min(self.n_clusters, BINOMIAL_COST * len(self.kinds))

    def _draw_kinds(self, size: int, rng: np.random.Generator) -> FloatArray:
        n_kinds, n_clusters = len(self.kinds), self.n_clusters
        if n_clusters > BINOMIAL_COST * n_kinds:
            counts = rng.multinomial(n_clusters, self.kinds / n_clusters, size=size)
        else:
            drawn = rng.integers(n_clusters, size=(size, n_clusters))
            kind = np.repeat(np.arange(n_kinds), self.kinds)[drawn]
            kind += n_kinds * np.arange(size)[:, None]
            counts = np.bincount(kind.ravel(), minlength=size * n_kinds).reshape(size, n_kinds)
        return np.ascontiguousarray(counts.T, dtype=np.float64)


def plan_rows(counts: IntArray) -> ClusterPlan:
    """Every row is a cluster of its own; `counts` rows are in each cell."""
    return ClusterPlan(counts, None, len(counts))


def plan_clusters(cell: IntArray, cluster: IntArray, n_cells: int) -> ClusterPlan:
    """Rows with the same `cluster` stay together; `cell` is each row's cell."""
    n_clusters = int(cluster.max()) + 1 if len(cluster) else 0
    table = sparse.csr_array(
        (np.ones(len(cell)), (cluster, cell)), shape=(n_clusters, n_cells), dtype=np.float64
    )
    table = table[np.diff(table.indptr) > 0]
    first, kinds = _distinct_rows(table)
    return ClusterPlan(kinds, table[first].T.tocsr(), n_cells)


def _distinct_rows(table: Any) -> tuple[IntArray, IntArray]:
    """One row number for each distinct row of a sparse table, and how often that row occurs.

    Rows are told apart by two random 64-bit sums of their entries: two different rows meet with probability
    2**-128. Sorting by them also makes the draws independent of the order in which the rows came.
    """
    factors = np.random.default_rng(1).integers(2**64, size=(table.shape[1], 2), dtype=np.uint64)
    sums = table.astype(np.uint64) @ factors
    order = np.lexsort((sums[:, 1], sums[:, 0]))
    is_new = np.r_[True, (np.diff(sums[order].view(np.int64), axis=0) != 0).any(axis=1)][: len(order)]
    starts = np.flatnonzero(is_new)
    return order[starts], np.diff(np.r_[starts, len(order)])
