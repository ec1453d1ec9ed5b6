"""Intervals and tests by resampling independent units.

The unit that is drawn is the cluster (an item, a document), never the row: claims of one response or several
systems' answers to one question do not count as independent evidence.
"""

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics.stats.inputs import (
    BoolArray,
    FloatArray,
    Ids,
    IntArray,
    Seed,
    Settings,
    Statistic,
    as_codes,
    as_floats,
    choose,
    read_settings,
    refuse_infinite,
)
from metrics.stats.results import NAN, Estimate, TestResult

FEW_CLUSTERS = 10
# Float noise must not lose exact ties between the observed and a rearranged value.
TIE = 1e-9


@dataclass(frozen=True)
class Interval:
    """Percentile limits over the defined replicates; nan where there are none."""

    low: float = NAN
    high: float = NAN
    method: str = "no interval"
    resamples: int = 0
    n_undefined: int = 0
    warnings: tuple[str, ...] = ()

    def fields(self, settings: Settings) -> dict[str, Any]:
        """The part of an `Estimate` that tells of its interval."""
        return {
            "low": self.low,
            "high": self.high,
            "level": settings.level,
            "method": self.method,
            "resamples": self.resamples,
            "resamples_undefined": self.n_undefined,
            "seed": settings.seed if self.resamples else None,
        }


def percentile_interval(replicates: FloatArray, n_clusters: int, settings: Settings) -> Interval:
    """Limits between which the middle `level` of the defined replicates lie."""
    if not settings.resamples:
        return Interval()
    if n_clusters < 2:
        return Interval(warnings=("There is no interval: all rows belong to one cluster.",))
    defined = replicates[~np.isnan(replicates)]
    n_undefined = len(replicates) - len(defined)
    low, high = NAN, NAN
    if len(defined):
        tail = (1 - settings.level) / 2
        low, high = (float(limit) for limit in np.quantile(defined, [tail, 1 - tail]))
    return Interval(
        low=low,
        high=high,
        method=f"percentile bootstrap, {len(replicates)} resamples of {n_clusters} clusters",
        resamples=len(replicates),
        n_undefined=n_undefined,
        warnings=_interval_warnings(n_undefined, len(replicates), n_clusters),
    )


def _interval_warnings(n_undefined: int, n: int, n_clusters: int) -> tuple[str, ...]:
    found = []
    if n_undefined:
        share = n_undefined / n
        found.append(
            f"The statistic was undefined in {n_undefined} of {n} resamples ({share:.1%}); "
            "the interval rests on the others."
        )
    if n_clusters < FEW_CLUSTERS:
        found.append(f"The interval rests on {n_clusters} clusters only and is likely too narrow.")
    return tuple(found)


def cluster_bootstrap(
    statistic: Statistic,
    *arrays: Any,
    clusters: Ids | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    rng: Seed = None,
    method: str = "percentile",
) -> Estimate:
    """Any statistic of row-aligned arrays, with an interval from resampling clusters with replacement.

    `statistic(*arrays)` gets arrays of the same kind, each resampled along its first axis with whole
    clusters kept together, and returns a number, nan where it is undefined. Missing values are the
    statistic's own business. The only `method` is "percentile" (Efron 1979; whole clusters:
    Davison and Hinkley 1997).

    No rows: undefined. One cluster: a value without interval. Replicates where the statistic is undefined
    are counted in `resamples_undefined`. Cost: one call of the statistic per resample.

    >>> import numpy as np
    >>> result = cluster_bootstrap(np.mean, np.array([1.0, 2, 3, 4]), clusters=["a", "a", "b", "b"])
    >>> result.value, result.low, result.high
    (2.5, 1.5, 3.5)
    """
    settings = read_settings(resamples, level, rng)
    choose(method, ("percentile",), "method")
    data, n = _same_length(arrays)
    rows = _ClusterRows.of(clusters, n)
    value = float(statistic(*data)) if n else NAN
    replicates = np.array(
        [statistic(*(a[chosen] for a in data)) for chosen in rows.draws(settings)], dtype=float
    )
    name = getattr(statistic, "__name__", "statistic")
    return _as_estimate(name, value, replicates, n=n, rows=rows, settings=settings, exclusions={})


def paired_cluster_bootstrap(
    statistic: Statistic,
    gold: Any,
    first: Any,
    second: Any,
    *,
    clusters: Ids | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    rng: Seed = None,
) -> Estimate:
    """statistic(gold, first) - statistic(gold, second), both on the same resampled clusters.

    Compares two evaluators on the rows that both scored: a row with nan in any of the three is left out and
    counted. The interval of the difference is narrower than two separate intervals suggest, because what
    makes an item hard for one evaluator often makes it hard for the other. If `statistic` is undefined for
    one of them, so is the difference.

    >>> import numpy as np
    >>> def accuracy(gold, predicted):
    ...     return float(np.mean(gold == predicted))
    >>> gold = [1, 1, 0, 0, 1, 0, 1, 1]
    >>> result = paired_cluster_bootstrap(accuracy, gold, gold, [1, 0, 0, 0, 1, 0, 0, 1])
    >>> result.value, result.n
    (0.25, 8)
    """
    settings = read_settings(resamples, level, rng)
    columns = [as_floats(a, name) for a, name in ((gold, "gold"), (first, "first"), (second, "second"))]
    data, n = _same_length(columns)
    kept, exclusions = complete_rows(dict(zip(("gold", "first", "second"), data, strict=True)))
    rows = _ClusterRows.of(
        None if clusters is None else as_codes(clusters, "clusters", n)[kept], int(kept.sum())
    )
    g, a, b = (column[kept] for column in data)
    value = float(statistic(g, a) - statistic(g, b)) if len(g) else NAN
    replicates = np.array(
        [statistic(g[r], a[r]) - statistic(g[r], b[r]) for r in rows.draws(settings)], dtype=float
    )
    name = f"difference in {getattr(statistic, '__name__', 'statistic')}"
    return _as_estimate(
        name, value, replicates, n=len(g), rows=rows, settings=settings, exclusions=exclusions
    )


def _as_estimate(
    name: str,
    value: float,
    replicates: FloatArray,
    *,
    n: int,
    rows: "_ClusterRows",
    settings: Settings,
    exclusions: Mapping[str, int],
) -> Estimate:
    reason = _why_undefined(value, n)
    defined = reason is None
    interval = percentile_interval(replicates, rows.n_clusters, settings) if defined else Interval()
    return Estimate(
        statistic=name,
        value=value,
        n=n,
        exclusions=exclusions,
        undefined_reason=reason,
        n_clusters=rows.n_clusters,
        warnings=interval.warnings,
        **interval.fields(settings),
    )


def _why_undefined(value: float, n: int) -> str | None:
    if not math.isnan(value):
        return None
    return "The statistic is undefined on these rows." if n else "There are no rows."


def permutation_test(
    statistic: Callable[..., float],
    first: Any,
    second: Any,
    *,
    kind: str = "paired",
    alternative: str = "two-sided",
    clusters: Ids | None = None,
    resamples: int = 9999,
    rng: Seed = None,
) -> TestResult:
    """Is statistic(first, second) larger than exchanging the two by chance would make it?

    kind "paired": `first[i]` and `second[i]` belong together, and each cluster swaps its two columns or
    not. kind "independent": two groups of rows; whole clusters are dealt anew to the groups, their numbers
    kept. `clusters` has one id per row (independent: those of `first`, then those of `second`).

    p = (1 + #{T* >= T}) / (1 + resamples), so never 0 (Phipson and Smyth 2010). When there are at most
    `resamples` arrangements all are enumerated, and p is the share with T* >= T; T itself is among them. T*
    and T within 1e-9 are equal. "less" and "two-sided" compare -T and |T|: the statistic must be centred on
    0, as a difference is. Rows with nan are left out and counted (paired: nan on either side). An
    arrangement whose statistic is undefined counts as extreme. No rows, or an undefined observed value: p
    is nan, with its reason.

    >>> def difference(a, b):
    ...     return float(a.mean() - b.mean())
    >>> permutation_test(difference, [3, 4, 5], [1, 2, 1], alternative="greater").p_value
    0.125
    """
    settings = read_settings(resamples, 0.95, rng)
    choose(kind, ("paired", "independent"), "kind")
    choose(alternative, ("two-sided", "greater", "less"), "alternative")
    a, b = as_floats(first, "first"), as_floats(second, "second")
    arrange = _Swaps if kind == "paired" else _Deals
    arrangements = arrange(a, b, clusters)
    return _run_test(statistic, arrangements, alternative, settings)


def _run_test(
    statistic: Callable[..., float], arrangements: "_Swaps | _Deals", alternative: str, settings: Settings
) -> TestResult:
    signed: dict[str, Callable[[float], float]] = {"greater": float, "less": operator.neg, "two-sided": abs}
    extremeness = signed[alternative]
    observed = float(statistic(*arrangements.observed)) if arrangements.n else NAN
    is_exact = arrangements.n_arrangements <= settings.resamples
    undefined = math.isnan(observed)
    n_extreme, n_tried = 0, 0
    if not undefined:
        for pair in arrangements.all() if is_exact else arrangements.draws(settings):
            n_tried += 1
            n_extreme += not extremeness(statistic(*pair)) < extremeness(observed) - TIE
    p_value = n_extreme / n_tried if is_exact and n_tried else (1 + n_extreme) / (1 + n_tried)
    return TestResult(
        statistic=getattr(statistic, "__name__", "statistic"),
        value=observed,
        p_value=NAN if undefined else p_value,
        alternative=alternative,
        is_exact=is_exact,
        arrangements=n_tried,
        method=f"permutation test, {'all' if is_exact else 'random'} {n_tried} arrangements",
        n=arrangements.n,
        exclusions=arrangements.exclusions,
        n_clusters=arrangements.n_clusters,
        seed=None if is_exact else settings.seed,
        undefined_reason=_why_undefined(observed, arrangements.n),
    )


class _Swaps:
    """Exchange first and second within some of the clusters."""

    def __init__(self, first: FloatArray, second: FloatArray, clusters: Ids | None) -> None:
        data, n = _same_length((first, second))
        kept, self.exclusions = complete_rows({"first": data[0], "second": data[1]})
        codes = np.arange(n) if clusters is None else as_codes(clusters, "clusters", n)
        _, self._cluster = np.unique(codes[kept], return_inverse=True)
        self.observed = (first[kept], second[kept])
        self.n = int(kept.sum())
        self.n_clusters = int(self._cluster.max(initial=-1)) + 1
        self.n_arrangements = 2**self.n_clusters

    def all(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        for swaps in itertools.product((False, True), repeat=self.n_clusters):
            yield self._swapped(np.array(swaps, dtype=bool))

    def draws(self, settings: Settings) -> Iterator[tuple[FloatArray, FloatArray]]:
        for _ in range(settings.resamples):
            yield self._swapped(settings.rng.random(self.n_clusters) < 0.5)

    def _swapped(self, swaps: BoolArray) -> tuple[FloatArray, FloatArray]:
        first, second = self.observed
        swap = swaps[self._cluster]
        return np.where(swap, second, first), np.where(swap, first, second)


class _Deals:
    """Deal the clusters anew to two groups, as many to each as there were."""

    def __init__(self, first: FloatArray, second: FloatArray, clusters: Ids | None) -> None:
        pooled = np.r_[first, second]
        kept, self.exclusions = complete_rows({"value": pooled})
        codes = np.arange(len(pooled)) if clusters is None else as_codes(clusters, "clusters", len(pooled))
        in_first = (np.arange(len(pooled)) < len(first))[kept]
        _, self._cluster = np.unique(codes[kept], return_inverse=True)
        self._pooled = pooled[kept]
        self.observed = (self._pooled[in_first], self._pooled[~in_first])
        self.n = len(self._pooled) if in_first.any() and not in_first.all() else 0
        self.n_clusters = int(self._cluster.max(initial=-1)) + 1
        dealt = np.unique(self._cluster[in_first])
        if np.isin(self._cluster[~in_first], dealt).any():
            raise ValueError(
                'A cluster lies in both groups; use kind="paired" for rows that belong together.'
            )
        self._n_first = len(dealt)
        self.n_arrangements = math.comb(self.n_clusters, self._n_first)

    def all(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        for chosen in itertools.combinations(range(self.n_clusters), self._n_first):
            yield self._dealt(np.array(chosen))

    def draws(self, settings: Settings) -> Iterator[tuple[FloatArray, FloatArray]]:
        for _ in range(settings.resamples):
            yield self._dealt(settings.rng.permutation(self.n_clusters)[: self._n_first])

    def _dealt(self, chosen: IntArray) -> tuple[FloatArray, FloatArray]:
        in_first = np.isin(self._cluster, chosen)
        return self._pooled[in_first], self._pooled[~in_first]


@dataclass(frozen=True)
class _ClusterRows:
    """Row numbers laid out cluster after cluster."""

    order: IntArray
    starts: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, clusters: Ids | None, n: int) -> "_ClusterRows":
        codes = np.arange(n) if clusters is None else as_codes(clusters, "clusters", n)
        _, codes, lengths = np.unique(codes, return_inverse=True, return_counts=True)
        return cls(np.argsort(codes, kind="stable"), np.cumsum(lengths) - lengths, lengths)

    @property
    def n_clusters(self) -> int:
        return len(self.lengths)

    def draws(self, settings: Settings) -> Iterator[IntArray]:
        """Row numbers of each resample."""
        if self.n_clusters < 2:
            return
        for _ in range(settings.resamples):
            chosen = settings.rng.integers(self.n_clusters, size=self.n_clusters)
            lengths = self.lengths[chosen]
            # Position within the resample, minus where its cluster began, plus where that cluster lies.
            shift = self.starts[chosen] - (np.cumsum(lengths) - lengths)
            yield self.order[np.arange(lengths.sum()) + np.repeat(shift, lengths)]


def complete_rows(columns: Mapping[str, FloatArray]) -> tuple[BoolArray, dict[str, int]]:
    """Which rows have every value, and how many lack which; infinite values are refused."""
    for name, column in columns.items():
        refuse_infinite(column, name)
    n = len(next(iter(columns.values())))
    lacking = np.zeros(n, dtype=np.int64)
    for bit, column in enumerate(columns.values()):
        lacking += np.isnan(column).astype(np.int64) << bit
    counts = np.bincount(lacking, minlength=2 ** len(columns))
    names = list(columns)
    exclusions = {
        " and ".join(name for bit, name in enumerate(names) if code >> bit & 1) + " missing": int(count)
        for code, count in enumerate(counts)
        if code and count
    }
    return lacking == 0, exclusions


def _same_length(arrays: Any) -> tuple[list[np.ndarray[Any, Any]], int]:
    data = [np.asarray(a) for a in arrays]
    lengths = [len(a) for a in data]
    if len(set(lengths)) != 1:
        raise ValueError(f"The arrays have {', '.join(map(str, lengths))} rows; all need the same number.")
    return data, lengths[0]
