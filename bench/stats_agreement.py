"""How fast agreement with intervals is: one JSON line per workload.

Run from the checkout: `PYTHONPATH=. python bench/stats_agreement.py`. Ours computes alpha, Fleiss' kappa
and AC1; the peer, `krippendorff`, alpha alone. Its bootstrap is a loop over resampled units, of which a few
are timed and the rest is multiplied: `peer_loops` says how many ran. Both start from the same array, and
alpha must agree.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import krippendorff
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from metrics.stats.agreement import agreement_table
from metrics.stats.patterns import read_patterns

STATISTICS = ("krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1")
RESAMPLES = 1000


def best(work: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the shortest time of several runs, and what the work gave."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        answer = work()
        times.append(perf_counter() - start)
    return min(times), answer


def ratings(n: int) -> np.ndarray:
    """Return three categories by three raters who are right four times in five, 15 % of labels missing."""
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=(n, 1))
    labels = np.where(rng.random((n, 3)) < 0.8, truth, rng.integers(3, size=(n, 3))).astype(float)
    labels[rng.random((n, 3)) < 0.15] = np.nan
    return labels


def report(name: str, n: int, ours: float, peer: float, **more: Any) -> None:
    """Print one measurement."""
    line = {"bench": name, "n": n, "ours_s": round(ours, 5), "peer": "krippendorff", "peer_s": round(peer, 4)}
    print(json.dumps({**line, "ratio": round(peer / ours, 1), **more}))


def peer_alpha(labels: np.ndarray) -> float:
    return float(krippendorff.alpha(labels.T, level_of_measurement="nominal"))


def peer_bootstrap(labels: np.ndarray, loops: int) -> float:
    """Return the time that RESAMPLES loops would take."""
    rng = np.random.default_rng(2)
    start = perf_counter()
    for _ in range(loops):
        peer_alpha(labels[rng.integers(len(labels), size=len(labels))])
    return (perf_counter() - start) / loops * RESAMPLES


def point(n: int) -> None:
    labels = ratings(n)
    ours, table = best(lambda: agreement_table(labels, statistics=STATISTICS, resamples=0))
    peer, alpha = best(lambda: peer_alpha(labels), repeats=2)
    if abs(table["krippendorff_alpha_nominal"].value - alpha) > 1e-9:
        raise SystemExit("The two alphas differ.")
    report("agreement, three coefficients", n, ours, peer)


def interval(n: int, loops: int) -> None:
    labels = ratings(n)
    ours, _ = best(lambda: agreement_table(labels, statistics=STATISTICS, resamples=RESAMPLES))
    collapse, _ = best(lambda: read_patterns(labels))
    peer = peer_bootstrap(labels, loops)
    extra = {"of_which_reading_s": round(collapse, 5), "peer_loops": loops}
    report("agreement, three coefficients with 1000 resamples", n, ours, peer, **extra)


def clustered(n: int, loops: int) -> None:
    """Five units to an item; the peer, which knows no clusters, resamples units."""
    labels, items = ratings(n), np.arange(n) // 5
    options = {"statistics": STATISTICS, "resamples": RESAMPLES, "clusters": items}
    ours, _ = best(lambda: agreement_table(labels, **options), repeats=2)
    report(
        "agreement with 1000 resamples of clusters", n, ours, peer_bootstrap(labels, loops), peer_loops=loops
    )


if __name__ == "__main__":
    point(1_000_000)
    interval(10_000, loops=50)
    interval(1_000_000, loops=1)
    clustered(10_000, loops=50)
    clustered(1_000_000, loops=1)
