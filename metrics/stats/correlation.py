"""How well scores follow gold labels: Pearson, Spearman and Kendall at four levels.

`gold` and `scores` are one-dimensional, one row per unit, gold first. The levels answer different
questions, so every result names its own:

- "pooled": all rows together, whatever system or item they belong to;
- "by_item": across the systems of each item, then the mean over items: does the score pick the better
  response?
- "by_system": across the items of each system, then the mean over systems;
- "system_level": the systems' mean gold against their mean score: does the score rank systems?

What holds for all: a row with nan in gold or score is left out and counted; infinite values are refused. A
group in which gold or score is constant has no correlation: it is skipped and counted, and if none is left
the result is undefined. Two rows always give -1 or 1. Intervals resample clusters: `clusters`, else
`items`, else rows. At system level the systems are kept and the rest is resampled; at least three systems
are needed.

Cost: rows collapse to distinct (gold, score) cells; per resample Pearson and Spearman take time in
proportion to the cells and Kendall log2(distinct gold or score values, whichever are fewer) times as much.
"""

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from metrics.stats.groupings import GroupMeans, Pairs, SystemMeans
from metrics.stats.inputs import (
    BoolArray,
    FloatArray,
    Ids,
    IntArray,
    Seed,
    Settings,
    as_codes,
    as_floats,
    choose,
    read_settings,
    refuse_infinite,
)
from metrics.stats.resampling import Interval, complete_rows, percentile_interval
from metrics.stats.results import BEYOND_FLOATS, NAN, Estimate

STATISTICS = ("pearson", "spearman", "kendall_tau_b")
GROUPINGS = ("pooled", "by_item", "by_system", "system_level")
_WORDS = {"by_item": "item", "by_system": "system", "system_level": "system"}
FEW_SYSTEMS = 6


class Options(TypedDict, total=False):
    """What every function here takes besides the gold labels and the scores."""

    grouping: str
    """One of GROUPINGS; "pooled" by default."""
    items: Ids | None
    """One id per row; needed for "by_item", and the default clusters."""
    systems: Ids | None
    """One id per row; needed for "by_system" and "system_level"."""
    clusters: Ids | None
    """One id per row; rows of one cluster are resampled together."""
    resamples: int
    """1000 by default; 0 for no interval."""
    level: float
    """0.95 by default."""
    rng: Seed
    """A NumPy Generator, or a seed; default: a fixed seed."""


def pearson(gold: Any, scores: Any, **options: Unpack[Options]) -> Estimate:
    """Pearson's product-moment correlation: how close the pairs lie to a line.

    r = sum (x - mx)(y - my) / sqrt(sum (x - mx)**2 sum (y - my)**2) (Pearson 1895). Options: see `Options`;
    missing values, constant sides and groups: see the module.

    >>> round(pearson([1, 0, 1, 1, 0], [0.9, 0.2, 0.6, 0.8, 0.4], resamples=0).value, 4)
    0.8926
    """
    return _one("pearson", gold, scores, options)


def spearman(gold: Any, scores: Any, **options: Unpack[Options]) -> Estimate:
    """Spearman's rank correlation: how far the scores rise whenever the gold labels do.

    Pearson's r of the ranks; tied values share their mean rank (Spearman 1904; Kendall 1945 for ties).
    Options: see `Options`; missing values, constant sides and groups: see the module.

    >>> round(spearman([3, 1, 2, 5, 4], [0.7, 0.1, 0.4, 0.8, 0.9], resamples=0).value, 4)
    0.9
    """
    return _one("spearman", gold, scores, options)


def kendall_tau_b(gold: Any, scores: Any, **options: Unpack[Options]) -> Estimate:
    """Kendall's tau-b: concordant less discordant pairs of rows, with a correction for ties.

    tau_b = (C - D) / sqrt((C + D + T_gold)(C + D + T_scores)), T_gold the pairs tied in gold only, T_scores
    in the scores only (Kendall 1945). For two binary sides it equals Pearson, Spearman and phi.
    Options: see `Options`; missing values, constant sides and groups: see the module.

    >>> round(kendall_tau_b([1, 0, 1, 0], [0.8, 0.1, 0.5, 0.5], resamples=0).value, 4)
    0.6708
    """
    return _one("kendall_tau_b", gold, scores, options)


def _one(statistic: str, gold: Any, scores: Any, options: Options) -> Estimate:
    return correlations(gold, scores, statistics=(statistic,), **options)[statistic]


def correlations(
    gold: Any,
    scores: Any,
    *,
    statistics: Sequence[str] = STATISTICS,
    grouping: str = "pooled",
    items: Ids | None = None,
    systems: Ids | None = None,
    clusters: Ids | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    rng: Seed = None,
) -> dict[str, Estimate]:
    """Several coefficients of the same rows, from one set of resamples.

    Each is the figure that its own function gives.

    >>> found = correlations([1, 0, 1, 0], [0.8, 0.1, 0.5, 0.5], items=["a", "a", "b", "b"], resamples=0)
    >>> {name: round(estimate.value, 3) for name, estimate in found.items()}
    {'pearson': 0.704, 'spearman': 0.707, 'kendall_tau_b': 0.671}
    """
    for statistic in statistics:
        choose(statistic, STATISTICS, "correlation")
    choose(grouping, GROUPINGS, "grouping")
    settings = read_settings(resamples, level, rng)
    gold, scores = as_floats(gold, "gold"), as_floats(scores, "scores")
    kept, exclusions = _complete(gold, scores)
    codes = _Codes(items, systems, clusters, kept)
    pairs = Pairs(gold[kept], scores[kept], codes.groups(grouping), codes.clusters())
    return _Report(pairs, grouping, settings, exclusions).estimates(statistics)


def _complete(gold: FloatArray, scores: FloatArray) -> tuple[BoolArray, dict[str, int]]:
    if len(gold) != len(scores):
        raise ValueError(f"gold has {len(gold)} rows and scores {len(scores)}; both need one per unit.")
    refuse_infinite(gold, "gold")
    refuse_infinite(scores, "scores")
    return complete_rows({"gold": gold, "score": scores})


class _Codes:
    """The ids of the rows that are kept, as numbers without gaps."""

    def __init__(self, items: Ids | None, systems: Ids | None, clusters: Ids | None, kept: BoolArray) -> None:
        self._ids = {"items": items, "systems": systems, "clusters": clusters}
        self._kept = kept

    def _codes(self, name: str) -> IntArray | None:
        ids = self._ids[name]
        if ids is None:
            return None
        codes = as_codes(ids, name, len(self._kept))[self._kept]
        return np.unique(codes, return_inverse=True)[1]

    def groups(self, grouping: str) -> IntArray:
        if grouping == "pooled":
            return np.zeros(int(self._kept.sum()), dtype=np.int64)
        name = f"{_WORDS[grouping]}s"
        codes = self._codes(name)
        if codes is None:
            raise ValueError(f"grouping={grouping!r} needs {name}=, one id per row.")
        return codes

    def clusters(self) -> IntArray | None:
        clusters = self._codes("clusters")
        return self._codes("items") if clusters is None else clusters


class _Report:
    """Turns values and resamples into estimates, with reasons and warnings."""

    def __init__(self, pairs: Pairs, grouping: str, settings: Settings, exclusions: dict[str, int]) -> None:
        self._pairs, self._grouping, self._settings = pairs, grouping, settings
        self._exclusions = exclusions
        self._word = _WORDS.get(grouping)
        self._level: GroupMeans | SystemMeans | None = None
        if len(pairs.gold):
            self._level = SystemMeans(pairs) if grouping == "system_level" else GroupMeans(pairs)

    def estimates(self, statistics: Sequence[str]) -> dict[str, Estimate]:
        reason = self._why_undefined()
        common: dict[str, Any] = {"grouping": self._grouping, **self._counts()}
        if reason or self._level is None:
            fields = Interval().fields(self._settings)
            fields["undefined_reason"] = reason
            return {key: Estimate(statistic=key, value=NAN, **fields, **common) for key in statistics}
        values = self._level.values(statistics)
        intervals = self._intervals(self._level, statistics)
        return {
            key: Estimate(
                statistic=key,
                value=values[key],
                undefined_reason=BEYOND_FLOATS if np.isnan(values[key]) else None,
                n_clusters=self._level.n_clusters,
                warnings=(*intervals[key].warnings, *self._warnings()),
                **intervals[key].fields(self._settings),
                **common,
            )
            for key in statistics
        }

    def _intervals(self, level: GroupMeans | SystemMeans, statistics: Sequence[str]) -> dict[str, Interval]:
        chunks = list(level.replicates(statistics, self._settings)) if level.n_clusters > 1 else []
        return {
            key: percentile_interval(
                np.concatenate([np.empty(0), *(chunk[key] for chunk in chunks)]),
                level.n_clusters,
                self._settings,
            )
            for key in statistics
        }

    @property
    def _is_usable(self) -> BoolArray:
        """Which groups enter the value."""
        if isinstance(self._level, GroupMeans):
            return self._level.is_usable
        return np.ones(self._pairs.cells.n_groups if self._level else 0, dtype=bool)

    def _counts(self) -> dict[str, Any]:
        n, exclusions = len(self._pairs.gold), self._exclusions
        if self._word is None:
            return {"n": n, "exclusions": exclusions}
        usable = self._is_usable
        n_skipped = int(self._pairs.n_rows_of_group[~usable].sum()) if n else 0
        if n_skipped:
            exclusions = {**exclusions, f"in a constant {self._word}": n_skipped}
        return {
            "n": n - n_skipped,
            "exclusions": exclusions,
            "n_groups": int(usable.sum()),
            "n_groups_skipped": int((~usable).sum()),
        }

    def _why_undefined(self) -> str | None:
        n = len(self._pairs.gold)
        if not n:
            return "No row has both a gold label and a score."
        if isinstance(self._level, SystemMeans):
            return self._why_no_system_level(self._level)
        if self._is_usable.any():
            return None
        if self._word:
            return f"No {self._word} has both differing gold labels and differing scores."
        if n == 1:
            return "There is one pair only; a correlation needs at least two."
        return _which_is_constant(self._pairs.gold, self._pairs.score, "gold label", "score", "pair")

    @staticmethod
    def _why_no_system_level(level: SystemMeans) -> str | None:
        n = len(level.gold)
        if n < 3:
            return f"Systems with rows: {n}. A correlation of system means needs at least three."
        if np.ptp(level.gold) > 0 and np.ptp(level.score) > 0:
            return None
        return _which_is_constant(level.gold, level.score, "mean gold label", "mean score", "system")

    def _warnings(self) -> tuple[str, ...]:
        found = []
        n_groups, n_used = len(self._is_usable), int(self._is_usable.sum())
        if n_used < n_groups:
            found.append(
                f"Mean over {n_used} of {n_groups} {self._word}s; the others have constant gold or scores."
            )
        if self._grouping == "system_level" and n_groups <= FEW_SYSTEMS:
            found.append(f"The value rests on {n_groups} systems only and says little by itself.")
        if self._grouping == "pooled" and len(self._pairs.gold) == 2:
            found.append("Two pairs always correlate at -1 or 1.")
        elif self._grouping == "pooled" and self._is_two_by_two():
            found.append("Gold and score take two values each: all three coefficients are one number, phi.")
        return tuple(found)

    def _is_two_by_two(self) -> bool:
        cells = self._pairs.cells
        return len(cells.gold_margin.rank) == 2 and len(cells.score_margin.rank) == 2


def _which_is_constant(
    gold: FloatArray, score: FloatArray, gold_word: str, score_word: str, unit: str
) -> str:
    """A sentence on the side (or sides) that do not vary."""
    sides = ((gold, gold_word), (score, score_word))
    constant = [f"the {word} is {side.flat[0]:g}" for side, word in sides if not np.ptp(side) > 0]
    return f"For every {unit} {' and '.join(constant)}: nothing can vary with a constant."
