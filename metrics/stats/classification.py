"""Shares of yes and no, with intervals that stay between 0 and 1."""

import math
from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.inputs import FloatArray, Ids, Seed, Settings, as_codes, as_floats, read_settings
from metrics.stats.resampling import Interval, complete_rows, percentile_interval
from metrics.stats.results import NAN, Estimate
from metrics.stats.weights import plan_clusters


def wilson_interval(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval for the share k / n of independent yes-or-no trials.

    The shares that a test with normal approximation at `level` would not reject (Wilson 1927): centre (k +
    z**2 / 2) / (n + z**2), half width z sqrt(k (n - k) / n + z**2 / 4) / (n + z**2). It has a width at k =
    0 and k = n too. No trials: (nan, nan).

    >>> low, high = wilson_interval(45, 60)
    >>> round(low, 6), round(high, 6)
    (0.627679, 0.842235)
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no share; give 0 <= k <= n.")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a share between 0 and 1, for instance 0.95.")
    if n == 0:
        return NAN, NAN
    z = float(special.ndtri((1 + level) / 2))
    centre, scale = k + z**2 / 2, n + z**2
    half = z * math.sqrt(k * (n - k) / n + z**2 / 4)
    # At the ends the limit is 0 or 1 exactly; float noise must not move it.
    return (0.0 if k == 0 else (centre - half) / scale, 1.0 if k == n else (centre + half) / scale)


def share(
    flags: Any,
    *,
    clusters: Ids | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    rng: Seed = None,
) -> Estimate:
    """Share of rows that are 1, for instance of correct answers.

    Flags are 1 or 0 (True or False), nan for missing, which are left out and counted. Interval: Wilson when
    each row is its own cluster (Wilson 1927), else percentile bootstrap of clusters, the share being
    recomputed over the rows drawn. `resamples=0`: no interval in either case. No rows: undefined.

    >>> accuracy = share([1, 1, 0, 1, float("nan")])
    >>> accuracy.value, accuracy.n, round(accuracy.low, 3), round(accuracy.high, 3)
    (0.75, 4, 0.301, 0.954)
    """
    settings = read_settings(resamples, level, rng)
    column = as_floats(flags, "flags")
    kept, exclusions = complete_rows({"flags": column})
    wrong = np.flatnonzero(kept & ~np.isin(column, (0, 1)))
    if len(wrong):
        raise ValueError(f"flags[{wrong[0]}] is {column[wrong[0]]:g}; 1, 0 or nan expected.")
    cluster = np.arange(len(column)) if clusters is None else as_codes(clusters, "clusters", len(column))
    _, cluster = np.unique(cluster[kept], return_inverse=True)
    return _share(column[kept], cluster, settings, exclusions)


def _share(
    flags: FloatArray, cluster: np.ndarray[Any, Any], settings: Settings, exclusions: dict[str, int]
) -> Estimate:
    n, n_clusters = len(flags), int(cluster.max(initial=-1)) + 1
    interval = Interval()
    if n_clusters == n > 0 and settings.resamples:
        low, high = wilson_interval(int(flags.sum()), n, settings.level)
        interval = Interval(low=low, high=high, method="Wilson")
    elif n:
        plan = plan_clusters(flags.astype(np.int64), cluster, 2)
        drawn = plan.draws(settings.resamples, settings.rng) if n_clusters > 1 else ()
        replicates = np.concatenate([np.empty(0), *(w[1] / w.sum(axis=0) for w in drawn)])
        interval = percentile_interval(replicates, n_clusters, settings)
    return Estimate(
        statistic="share",
        value=float(flags.mean()) if n else NAN,
        n=n,
        exclusions=exclusions,
        undefined_reason=None if n else "There are no rows.",
        n_clusters=n_clusters,
        warnings=interval.warnings,
        **interval.fields(settings),
    )
