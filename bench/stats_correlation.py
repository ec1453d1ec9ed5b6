"""How fast correlations with cluster intervals are: one JSON line per workload.

Run from the checkout: `PYTHONPATH=. python bench/stats_correlation.py`. The peer is SciPy: its correlations
in a loop over resampled clusters, of which a few are timed and the rest is multiplied (`peer_loops`), or
`scipy.stats.bootstrap` where rows are independent. The coefficients must agree.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from metrics.stats.correlation import STATISTICS, correlations
from metrics.stats.resampling import cluster_bootstrap

RESAMPLES = 1000
PEERS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau}


def best(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Return the shortest time of several runs, and what the work gave."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        answer = work()
        times.append(perf_counter() - start)
    return min(times), answer


def report(name: str, n: int, ours: float, peer: str, peer_s: float, **more: Any) -> None:
    """Print one measurement."""
    line = {"bench": name, "n": n, "ours_s": round(ours, 4), "peer": peer, "peer_s": round(peer_s, 3)}
    print(json.dumps({**line, "ratio": round(peer_s / ours, 1), **more}))


def rows(n: int, *, binary: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    if binary:
        gold = rng.integers(2, size=n).astype(float)
        return gold, np.round(gold + 0.5 * rng.normal(size=n), 2 if n < 10_000 else 3)
    gold = rng.normal(size=n)
    return gold, gold + rng.normal(size=n)


def clustered(
    name: str, statistics: tuple[str, ...], *, binary: bool, n: int = 28_000, loops: int = 5
) -> None:
    gold, scores = rows(n, binary=binary)
    items = np.arange(n) // 5
    ours, found = best(lambda: correlations(gold, scores, statistics=statistics, items=items))
    for key in statistics:
        if abs(found[key].value - PEERS[key](gold, scores).statistic) > 1e-9:
            raise SystemExit(f"The two {key} differ.")

    def all_three(x: np.ndarray, y: np.ndarray) -> float:
        return float(sum(PEERS[key](x, y).statistic for key in statistics))

    start = perf_counter()
    cluster_bootstrap(all_three, gold, scores, clusters=items, resamples=loops)
    peer = (perf_counter() - start) / (loops + 1) * RESAMPLES
    more = {"clusters": n // 5, "distinct_scores": len(np.unique(scores)), "peer_loops": loops}
    report(name, n, ours, "scipy in a loop", peer, **more)


def independent(key: str, n: int = 1200) -> None:
    gold, scores = rows(n, binary=False)
    ours, _ = best(lambda: correlations(gold, scores, statistics=(key,)))

    def peer_statistic(x: np.ndarray, y: np.ndarray) -> float:
        return float(PEERS[key](x, y).statistic)

    peer, _ = best(
        lambda: stats.bootstrap(
            (gold, scores),
            peer_statistic,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(1),
        ),
        repeats=1,
    )
    report(f"{key}, continuous, independent rows", n, ours, "scipy.stats.bootstrap", peer)


def grouped(grouping: str, n: int = 100_000) -> None:
    """Twenty thousand items, five systems; no peer resamples these."""
    gold, scores = rows(n, binary=True)
    ids = {"items": np.arange(n) // 5, "systems": np.arange(n) % 5}
    ours, _ = best(lambda: correlations(gold, scores, grouping=grouping, **ids), repeats=2)
    line = {"bench": f"three coefficients {grouping}", "n": n, "ours_s": round(ours, 4)}
    print(json.dumps({**line, "peer": None, "peer_s": None, "ratio": None}))


if __name__ == "__main__":
    clustered("three coefficients, binary gold, clusters", STATISTICS, binary=True)
    for statistic in STATISTICS:
        clustered(f"{statistic}, continuous, clusters", (statistic,), binary=False)
    for statistic in STATISTICS:
        independent(statistic)
    for level in ("pooled", "by_item", "by_system", "system_level"):
        grouped(level)
