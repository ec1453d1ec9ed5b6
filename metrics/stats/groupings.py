"""The levels at which gold and scores can be correlated, each with its value and its resamples.

Every level answers `values` (one per statistic, nan if undefined) and `replicates`. Both come from weights
on the same cells, so that the statistics of one call share their resamples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics.stats.cells import PairCells, Replicates
from metrics.stats.inputs import FloatArray, IntArray, Settings
from metrics.stats.weights import ClusterPlan, plan_clusters, plan_rows

# System means that differ by less than this share of the largest are equal: they differ by float noise.
DIGITS = 12


@dataclass(frozen=True)
class Pairs:
    """Complete pairs of gold and score, with the number of each row's group and cluster.

    `cluster` is None when every row is its own.
    """

    gold: FloatArray
    score: FloatArray
    group: IntArray
    cluster: IntArray | None

    @cached_property
    def cells(self) -> PairCells:
        return PairCells.of(self.gold, self.score, self.group)

    @cached_property
    def plan(self) -> ClusterPlan:
        if self.cluster is None:
            return plan_rows(self.cells.counts)
        return plan_clusters(self.cells.cell_of_row, self.cluster, len(self.cells.counts))

    @cached_property
    def n_rows_of_group(self) -> FloatArray:
        rows: FloatArray = self.cells.by_group @ self.cells.counts
        return rows

    @property
    def counts(self) -> FloatArray:
        """The weights of the data as they are."""
        return self.cells.counts[:, None].astype(np.float64)


class GroupMeans:
    """Correlate within every group, then take the unweighted mean over the groups that have a value.

    With a single group this is the pooled correlation.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        observed = Replicates(pairs.cells, pairs.counts)
        self.is_usable = observed.is_varied[:, 0]
        self._observed = observed

    def values(self, statistics: Sequence[str]) -> dict[str, float]:
        return {key: float(_mean(_correlate(self._observed, key))[0]) for key in statistics}

    @property
    def n_clusters(self) -> int:
        return self._plan.n_clusters

    @cached_property
    def _plan(self) -> ClusterPlan:
        return self._pairs.plan if self._plan_of_groups is None else self._plan_of_groups

    @cached_property
    def _plan_of_groups(self) -> ClusterPlan | None:
        """How whole groups are drawn, if there are several and none is torn: then their values stay."""
        cluster, group, n_groups = self._pairs.cluster, self._pairs.group, self._pairs.cells.n_groups
        if cluster is None or n_groups == 1:
            return None
        cluster_of_group = np.zeros(n_groups, dtype=np.int64)
        cluster_of_group[group] = cluster
        if (cluster_of_group[group] != cluster).any():
            return None
        return plan_clusters(np.arange(n_groups), cluster_of_group, n_groups)

    def replicates(self, statistics: Sequence[str], settings: Settings) -> Iterator[dict[str, FloatArray]]:
        if self._plan_of_groups is not None:
            fixed = {key: _correlate(self._observed, key) for key in statistics}
            for weights in self._plan.draws(settings.resamples, settings.rng):
                yield {key: _mean(values, weights) for key, values in fixed.items()}
            return
        for weights in self._plan.draws(settings.resamples, settings.rng):
            replicates = Replicates(self._pairs.cells, weights)
            yield {key: _mean(_correlate(replicates, key)) for key in statistics}


class SystemMeans:
    """Correlate the systems' mean gold with their mean score; the groups are the systems.

    Resampling draws clusters of rows anew and keeps the systems. A resample in which a system has no row is
    undefined.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self.gold, self.score = self._means(pairs.counts)

    @cached_property
    def _sums(self) -> "list[FloatArray]":
        cells = self._pairs.cells
        return [cells.sums_of(side) for side in (cells.gold, cells.score)]

    def _means(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        size = self._pairs.cells.by_group @ weights
        with np.errstate(divide="ignore", invalid="ignore"):
            gold, score = (_without_noise(total @ weights / size) for total in self._sums)
        return gold, score

    @property
    def n_clusters(self) -> int:
        return self._pairs.plan.n_clusters

    def values(self, statistics: Sequence[str]) -> dict[str, float]:
        return {key: float(correlate_columns(self.gold, self.score, key)[0]) for key in statistics}

    def replicates(self, statistics: Sequence[str], settings: Settings) -> Iterator[dict[str, FloatArray]]:
        for weights in self._pairs.plan.draws(settings.resamples, settings.rng):
            gold, score = self._means(weights)
            yield {key: correlate_columns(gold, score, key) for key in statistics}


def _correlate(replicates: Replicates, statistic: str) -> FloatArray:
    compute = {
        "pearson": replicates.pearson,
        "spearman": replicates.spearman,
        "kendall_tau_b": replicates.kendall_tau_b,
    }
    return compute[statistic]()


def _mean(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Mean over the groups with a value; `weights` says how often each group was drawn."""
    defined = ~np.isnan(values) * (1.0 if weights is None else weights)
    with np.errstate(invalid="ignore"):
        return np.asarray((defined * np.nan_to_num(values)).sum(axis=0) / defined.sum(axis=0))


def _without_noise(means: FloatArray) -> FloatArray:
    largest = np.abs(means).max(axis=0, initial=0)
    scale = np.where(largest > 0, largest, 1)
    return np.asarray(np.round(means / scale, DIGITS) * scale)


def correlate_columns(x: FloatArray, y: FloatArray, statistic: str) -> FloatArray:
    """Correlate x[:, b] with y[:, b] for every b; nan where a side is constant or holds nan."""
    if statistic == "kendall_tau_b":
        first, second = np.triu_indices(len(x), k=1)
        x, y = (np.sign(side[first] - side[second]) for side in (x, y))
    else:
        if statistic == "spearman":
            # scipy.stats takes most of a second to import, and every command would wait for it.
            from scipy import stats  # type: ignore[import-untyped, unused-ignore]

            x, y = (stats.rankdata(side, axis=0, nan_policy="propagate") for side in (x, y))
        x, y = (side - side.mean(axis=0) for side in (x, y))
    is_varied = ((x != 0).any(axis=0)) & ((y != 0).any(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (x * y).sum(axis=0) / np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.where(is_varied, np.clip(ratio, -1, 1), np.nan)
