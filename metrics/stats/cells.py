"""Pairs of gold and score collapsed to distinct cells, and the weighted sums that correlations are made of.

All sums run within groups (all rows are one group when nothing is grouped) and take weights of shape
(cells, replicates), so that one pass serves every group and every resample.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.inputs import BoolArray, FloatArray, IntArray

# Below this number of columns NumPy's own running sum is the faster one.
NARROW = 16


@dataclass(frozen=True)
class Margin:
    """The distinct values of one side within each group.

    Block m holds the cells of one group with one value; blocks are sorted by group, then value.
    """

    block_of_cell: IntArray
    group_of_block: IntArray
    rank: IntArray
    """Per block: 0 for the lowest value of its group, 1 for the next, ..."""

    @classmethod
    def of(cls, group: IntArray, value: IntArray) -> "Margin":
        n_values = int(value.max(initial=0)) + 1
        blocks, block_of_cell = np.unique(group * n_values + value, return_inverse=True)
        group_of_block = blocks // n_values
        first = np.searchsorted(group_of_block, group_of_block)
        return cls(block_of_cell, group_of_block, np.arange(len(blocks)) - first)

    @cached_property
    def starts(self) -> IntArray:
        """The first block of each group."""
        return np.flatnonzero(self.rank == 0)

    @cached_property
    def _adder(self) -> Any:
        return sum_matrix(self.block_of_cell, len(self.rank))

    def totals(self, weights: FloatArray) -> FloatArray:
        """Weight of each block."""
        totals: FloatArray = self._adder @ weights
        return totals

    def centred_ranks(self, totals: FloatArray) -> FloatArray:
        """Midrank of each block within its group, less the group's mean midrank."""
        below = running_sums(totals.copy())
        ranks = below - totals / 2
        ends = np.r_[self.starts[1:], len(self.rank)] - 1
        before = np.vstack([np.zeros(totals.shape[1]), below[ends[:-1]]])
        middle = (before + below[ends]) / 2
        return np.asarray(ranks - middle[self.group_of_block])


@dataclass(frozen=True)
class PairCells:
    """Distinct (group, gold, score) triples, sorted; `counts[c]` rows fall into cell c.

    Groups are numbered 0, 1, ... and none is empty. `cell_of_row` places the rows.
    """

    group: IntArray
    gold: FloatArray
    score: FloatArray
    gold_margin: Margin
    score_margin: Margin
    counts: IntArray
    cell_of_row: IntArray

    @classmethod
    def of(cls, gold: FloatArray, score: FloatArray, group: IntArray) -> "PairCells":
        gold_values, gold_code = np.unique(gold, return_inverse=True)
        score_values, score_code = np.unique(score, return_inverse=True)
        n_gold, n_score = max(len(gold_values), 1), max(len(score_values), 1)
        keys, cell_of_row, counts = np.unique(
            (group * n_gold + gold_code) * n_score + score_code, return_inverse=True, return_counts=True
        )
        group_of, gold_of, score_of = keys // (n_gold * n_score), keys // n_score % n_gold, keys % n_score
        return cls(
            group=group_of,
            gold=gold_values[gold_of],
            score=score_values[score_of],
            gold_margin=Margin.of(group_of, gold_of),
            score_margin=Margin.of(group_of, score_of),
            counts=counts,
            cell_of_row=cell_of_row,
        )

    @property
    def n_groups(self) -> int:
        return int(self.group[-1]) + 1 if len(self.group) else 0

    @cached_property
    def by_group(self) -> Any:
        """Sparse (groups, cells): multiply with cell values to get group sums."""
        return sum_matrix(self.group, self.n_groups)

    def sums_of(self, values: FloatArray) -> Any:
        """Sparse (groups, cells): multiply with weights to get the groups' sums of `values`."""
        return sparse.csr_array(self.by_group.multiply(values[None, :]))

    @cached_property
    def moments(self) -> Any:
        """Sparse matrices that sum x, y, xx, yy and xy within groups, x and y being centred and scaled."""
        x, y = self._standardised(self.gold), self._standardised(self.score)
        return [
            sparse.csr_array(self.by_group.multiply(column[None, :]))
            for column in (x, y, x * x, y * y, x * y)
        ]

    def _standardised(self, values: FloatArray) -> FloatArray:
        """Values less their group's mean, over the largest of them: squares neither overflow nor vanish."""
        mean = self.by_group @ (self.counts * values) / (self.by_group @ self.counts)
        centred = values - mean[self.group]
        starts = np.searchsorted(self.group, np.arange(self.n_groups))
        largest = np.maximum.reduceat(np.abs(centred), starts)
        return np.asarray(centred / np.where(largest > 0, largest, 1)[self.group])

    @cached_property
    def rounds(self) -> "list[Round]":
        """The steps in which `surplus` compares every two cells of a group once."""
        sides = sorted((self.gold_margin, self.score_margin), key=lambda side: int(side.rank.max(initial=0)))
        few, many = (side.rank[side.block_of_cell] for side in sides)
        n_bits = int(few.max(initial=0)).bit_length()
        return [Round.of(self, few >> bit, many) for bit in reversed(range(n_bits))]

    def surplus(self, weights: FloatArray) -> FloatArray:
        """Concordant minus discordant pairs of rows, per group and replicate."""
        total = np.zeros((self.n_groups, weights.shape[1]))
        for step in self.rounds:
            total += step.surplus(weights)
        return total


@dataclass(frozen=True)
class Round:
    """One bit of the ranks on one side.

    Two cells of a group first differ in exactly one bit, counted from the top. This round compares the
    cells that agree in all bits above this one: each `upper` cell (bit 1) with the `lower` cells (bit 0) of
    its bundle. With running sums of the lower cells in order of the other side, concordant less discordant
    partners of an upper cell are (below + not above) - (bundle start + bundle end). All rounds together
    cost cells x replicates x log2(distinct values of the side that has fewer).
    """

    lower: IntArray
    upper: IntArray
    ends: tuple[IntArray, IntArray, IntArray, IntArray]
    adder: Any

    @classmethod
    def of(cls, cells: PairCells, prefix: IntArray, other: IntArray) -> "Round":
        """`prefix` is the rank without the bits below this round's; `other` the rank on the other side."""
        width = int(prefix.max(initial=0)) // 2 + 1
        _, bundle = np.unique(cells.group * width + prefix // 2, return_inverse=True)
        n_other = int(other.max(initial=0)) + 1
        place = bundle * n_other + other
        lower = np.flatnonzero(prefix % 2 == 0)
        lower = lower[np.argsort(place[lower], kind="stable")]
        upper = np.flatnonzero(prefix % 2 == 1)
        sorted_places = place[lower]
        start = np.searchsorted(sorted_places, bundle[upper] * n_other)
        end = np.searchsorted(sorted_places, (bundle[upper] + 1) * n_other)
        upper, start, end = (v[start < end] for v in (upper, start, end))
        below = np.searchsorted(sorted_places, place[upper], side="left")
        not_above = np.searchsorted(sorted_places, place[upper], side="right")
        ends = (below, not_above, start, end)
        return cls(lower, upper, ends, sum_matrix(cells.group[upper], cells.n_groups))

    def surplus(self, weights: FloatArray) -> FloatArray:
        running = np.zeros((len(self.lower) + 1, weights.shape[1]))
        np.take(weights, self.lower, axis=0, out=running[1:])
        running_sums(running)
        below, not_above, start, end = self.ends
        partners = running[below]
        partners += running[not_above]
        partners -= running[start]
        partners -= running[end]
        partners *= weights[self.upper]
        surplus: FloatArray = self.adder @ partners
        return surplus


def sum_matrix(code: IntArray, n_codes: int) -> Any:
    """Sparse (codes, entries) of ones that adds up the entries of each code."""
    entries = np.arange(len(code))
    return sparse.csr_array((np.ones(len(code)), (code, entries)), shape=(n_codes, len(code)))


def over_groups(reduce: np.ufunc, values: FloatArray, starts: IntArray) -> FloatArray:
    """Reduce the rows of each group to one; with a single group NumPy has a much faster way."""
    if len(starts) == 1:
        return np.asarray(reduce.reduce(values, axis=0, keepdims=True))
    return np.asarray(reduce.reduceat(values, starts, axis=0))


def running_sums(values: FloatArray) -> FloatArray:
    """`np.cumsum(values, axis=0)` in place, by adding whole rows in blocks: about three times as fast."""
    n_rows, width = values.shape
    length = math.isqrt(n_rows)
    if width < NARROW or length < 2:
        return np.cumsum(values, axis=0, out=values)
    whole = n_rows // length * length
    blocks = values[:whole].reshape(-1, length, width)
    for i in range(1, length):
        blocks[:, i] += blocks[:, i - 1]
    before = np.cumsum(blocks[:, -1], axis=0)
    blocks[1:] += before[:-1, None]
    if whole < n_rows:
        values[whole:] = np.cumsum(values[whole:], axis=0) + before[-1]
    return values


@dataclass(frozen=True)
class Replicates:
    """Weights on cells, and the three coefficients under each of them, of shape (groups, replicates)."""

    cells: PairCells
    weights: FloatArray

    @cached_property
    def size(self) -> FloatArray:
        size: FloatArray = self.cells.by_group @ self.weights
        return size

    @cached_property
    def _gold_totals(self) -> FloatArray:
        return self.cells.gold_margin.totals(self.weights)

    @cached_property
    def _score_totals(self) -> FloatArray:
        return self.cells.score_margin.totals(self.weights)

    @cached_property
    def is_varied(self) -> BoolArray:
        """Where both sides take at least two values."""
        gold = self._largest(self.cells.gold_margin, self._gold_totals) < self.size
        score = self._largest(self.cells.score_margin, self._score_totals) < self.size
        return np.asarray(gold & score)

    @staticmethod
    def _largest(margin: Margin, totals: FloatArray) -> FloatArray:
        return over_groups(np.maximum, totals, margin.starts)

    def pearson(self) -> FloatArray:
        x, y, xx, yy, xy = (moment @ self.weights for moment in self.cells.moments)
        n = np.maximum(self.size, 1)
        return self._ratio(xy - x * y / n, xx - x * x / n, yy - y * y / n)

    def spearman(self) -> FloatArray:
        gold, score = self.cells.gold_margin, self.cells.score_margin
        x, y = gold.centred_ranks(self._gold_totals), score.centred_ranks(self._score_totals)
        xx = self._add_blocks(gold, self._gold_totals * x * x)
        yy = self._add_blocks(score, self._score_totals * y * y)
        products = x[gold.block_of_cell]
        products *= y[score.block_of_cell]
        products *= self.weights
        return self._ratio(self.cells.by_group @ products, xx, yy)

    def kendall_tau_b(self) -> FloatArray:
        gold, score = self.cells.gold_margin, self.cells.score_margin
        pairs = self.size**2
        untied_gold = (pairs - self._add_blocks(gold, self._gold_totals**2)) / 2
        untied_score = (pairs - self._add_blocks(score, self._score_totals**2)) / 2
        return self._ratio(self.cells.surplus(self.weights), untied_gold, untied_score)

    @staticmethod
    def _add_blocks(margin: Margin, values: FloatArray) -> FloatArray:
        return over_groups(np.add, values, margin.starts)

    def _ratio(self, covariance: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = covariance / np.sqrt(first * second)
        return np.where(self.is_varied, np.clip(ratio, -1, 1), np.nan)
