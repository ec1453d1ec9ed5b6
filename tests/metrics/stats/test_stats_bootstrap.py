"""The fast intervals: the same resamples by hand, their spread, their seeds, and clusters."""

import numpy as np
import pytest
from scipy import stats

from metrics.stats import agreement, correlation
from metrics.stats.cells import PairCells, Replicates, running_sums
from metrics.stats.coefficients import FORMULAS
from metrics.stats.groupings import GroupMeans, Pairs, SystemMeans
from metrics.stats.inputs import read_settings
from metrics.stats.patterns import read_patterns
from metrics.stats.weights import plan_clusters, plan_rows

NAN = np.nan


def ratings_like(seed, n=60, raters=3, missing=0.15):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=(n, 1))
    ratings = np.where(rng.random((n, raters)) < 0.7, truth, rng.integers(3, size=(n, raters))).astype(float)
    ratings[rng.random(ratings.shape) < missing] = NAN
    return ratings


def rows_like(seed, n=60, levels=2, decimals=1):
    rng = np.random.default_rng(seed)
    gold = rng.integers(levels, size=n).astype(float) if levels else rng.normal(size=n)
    return gold, np.round(gold + rng.normal(size=n), decimals)


def repeat(columns, weights):
    """Rows repeated as often as a replicate holds them."""
    return [np.repeat(column, weights.astype(int)) for column in columns]


def test_agreement_replicates_equal_the_repeated_table():
    """Every formula, under drawn weights, is what the same formula gives for the repeated rows."""
    ratings = ratings_like(1, raters=2)
    for clusters in (None, np.arange(60) // 4):
        patterns = read_patterns(ratings, [0, 1, 2], clusters)
        weights = np.hstack(list(patterns.plan.draws(25, np.random.default_rng(0))))
        rows = np.where(patterns.codes < 0, NAN, patterns.codes)
        for key, formula in FORMULAS.items():
            fast = formula(patterns, weights)
            for b in range(25):
                repeated = np.repeat(rows, weights[:, b].astype(int), axis=0)
                slow = agreement.agreement_table(
                    repeated, statistics=[key], categories=[0, 1, 2], resamples=0
                )
                assert fast[b] == pytest.approx(slow[key].value, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("levels", "decimals"), [(2, 1), (5, 0), (0, 6)], ids=["binary", "five", "continuous"]
)
def test_correlation_replicates_equal_scipy_on_the_repeated_rows(levels, decimals):
    gold, score = rows_like(2, levels=levels, decimals=decimals)
    pairs = Pairs(gold, score, np.zeros(60, dtype=int), np.arange(60) // 3)
    cells = pairs.cells
    weights = np.hstack(list(pairs.plan.draws(25, np.random.default_rng(0))))
    replicates = Replicates(cells, weights)
    pearson, spearman, tau = replicates.pearson(), replicates.spearman(), replicates.kendall_tau_b()
    for b in range(25):
        x, y = repeat((cells.gold, cells.score), weights[:, b])
        assert len(x) == 60
        assert pearson[0, b] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        assert spearman[0, b] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        assert tau[0, b] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


def by_hand(statistic, cells, weights):
    """Mean over groups of SciPy's correlation on the repeated rows of each group."""
    found = []
    for g in range(cells.n_groups):
        member = cells.group == g
        x, y = repeat((cells.gold[member], cells.score[member]), weights[member])
        if len(x) and np.ptp(x) and np.ptp(y):
            found.append(statistic(x, y).statistic)
    return np.mean(found) if found else NAN


def test_by_system_replicates_resample_items_for_all_systems_at_once():
    gold, score = rows_like(3)
    group, items = np.arange(60) % 4, np.arange(60) // 4
    pairs = Pairs(gold, score, group, items)
    weights = np.hstack(list(pairs.plan.draws(20, np.random.default_rng(8))))
    (found,) = GroupMeans(pairs).replicates(["kendall_tau_b"], read_settings(20, 0.95, 8))
    for b in range(20):
        per_system = pairs.cells.by_group @ weights[:, b]
        assert (per_system == 15).all()
        slow = by_hand(stats.kendalltau, pairs.cells, weights[:, b])
        assert found["kendall_tau_b"][b] == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("torn", [False, True], ids=["items whole", "items torn"])
def test_by_item_replicates(torn):
    """Whole items keep their value and are drawn; a cluster that cuts through items changes their values."""
    gold, score = rows_like(4)
    items = np.arange(60) // 6
    clusters = np.arange(60) % 5 if torn else items // 2
    pairs = Pairs(gold, score, items, clusters)
    (found,) = GroupMeans(pairs).replicates(["pearson"], read_settings(20, 0.95, 8))
    own = Replicates(pairs.cells, pairs.counts).pearson()[:, 0]
    plan = pairs.plan if torn else plan_clusters(np.arange(10), np.arange(10) // 2, 10)
    weights = np.hstack(list(plan.draws(20, np.random.default_rng(8))))
    for b in range(20):
        if torn:
            slow = by_hand(stats.pearsonr, pairs.cells, weights[:, b])
        else:
            defined = ~np.isnan(own)
            slow = np.average(own[defined], weights=weights[defined, b])
        assert found["pearson"][b] == pytest.approx(slow, abs=1e-9)


def test_system_level_replicates_recompute_the_means():
    gold, score = rows_like(5)
    group, items = np.arange(60) % 4, np.arange(60) // 4
    pairs = Pairs(gold, score, group, items)
    (found,) = SystemMeans(pairs).replicates(["pearson", "spearman"], read_settings(20, 0.95, 8))
    weights = np.hstack(list(pairs.plan.draws(20, np.random.default_rng(8))))
    for b in range(20):
        member = [pairs.cells.group == g for g in range(4)]
        x, y = (
            [np.average(side[m], weights=weights[m, b]) for m in member]
            for side in (pairs.cells.gold, pairs.cells.score)
        )
        assert found["pearson"][b] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        ranks = [np.round(side, 10) for side in (x, y)]
        assert found["spearman"][b] == pytest.approx(stats.spearmanr(*ranks).statistic, abs=1e-9)


def test_clusters_are_drawn_whole_and_equally_often():
    cell = np.array([0, 0, 1, 1, 2, 3])
    cluster = np.array([0, 0, 1, 1, 2, 2])
    weights = np.hstack(list(plan_clusters(cell, cluster, 4).draws(6000, np.random.default_rng(0))))
    assert (weights[2] == weights[3]).all()
    assert (weights[:2] % 2 == 0).all()
    assert (weights[0] / 2 + weights[1] / 2 + weights[2] == 3).all()
    assert weights.mean(axis=1) == pytest.approx([2, 2, 1, 1], abs=0.05)


def test_like_clusters_are_drawn_as_one_kind_with_the_right_spread():
    """Forty clusters of two kinds: the number drawn of a kind is binomial."""
    cell = np.tile([0, 1, 1, 1], 20)
    plan = plan_clusters(cell, np.arange(80) // 2, 2)
    assert sorted(plan.kinds) == [20, 20]
    weights = np.hstack(list(plan.draws(4000, np.random.default_rng(0))))
    drawn = weights[0]
    assert drawn.mean() == pytest.approx(20, abs=0.3)
    assert drawn.var() == pytest.approx(40 * 0.25, rel=0.1)


def test_both_ways_of_drawing_have_the_same_spread():
    """Few kinds are drawn as counts, many as indices."""
    few = np.hstack(list(plan_rows(np.array([90, 10])).draws(4000, np.random.default_rng(0))))
    many = np.hstack(list(plan_rows(np.ones(100, dtype=int)).draws(4000, np.random.default_rng(0))))
    assert few[1].mean() == pytest.approx(10, abs=0.2)
    assert many[90:].sum(axis=0).mean() == pytest.approx(10, abs=0.2)
    assert few[1].var() == pytest.approx(9, rel=0.1)
    assert many[90:].sum(axis=0).var() == pytest.approx(9, rel=0.1)


def test_the_same_seed_gives_the_same_interval():
    ratings, (gold, score) = ratings_like(6), rows_like(6)
    for function, data in ((agreement.fleiss_kappa, (ratings,)), (correlation.spearman, (gold, score))):
        default, again = function(*data), function(*data)
        assert (default.low, default.high) == (again.low, again.high)
        seven, generator = function(*data, rng=7), function(*data, rng=np.random.default_rng(7))
        assert (seven.low, seven.high) == (generator.low, generator.high) != (default.low, default.high)
        assert (default.seed, seven.seed, generator.seed) == (1960, 7, None)


def test_the_interval_does_not_depend_on_the_order_of_rows():
    ratings, (gold, score) = ratings_like(6), rows_like(6)
    clusters = np.arange(60) // 3
    order = np.random.default_rng(0).permutation(60)
    straight = agreement.fleiss_kappa(ratings, clusters=clusters)
    shuffled = agreement.fleiss_kappa(ratings[order], clusters=clusters[order])
    assert (straight.low, straight.high) == (shuffled.low, shuffled.high)
    straight = correlation.spearman(gold, score, clusters=clusters)
    shuffled = correlation.spearman(gold[order], score[order], clusters=clusters[order])
    assert (straight.low, straight.high) == (shuffled.low, shuffled.high)


def test_a_table_gives_the_figures_of_the_single_functions():
    ratings, (gold, score) = ratings_like(7), rows_like(7)
    table = agreement.agreement_table(ratings, statistics=agreement.ORDINAL_STATISTICS)
    assert table["gwet_ac1"] == agreement.gwet_ac1(ratings)
    assert table["krippendorff_alpha_ordinal"] == agreement.krippendorff_alpha(ratings, metric="ordinal")
    items = np.arange(60) // 4
    for grouping in ("pooled", "by_item"):
        found = correlation.correlations(gold, score, items=items, grouping=grouping)
        assert found["spearman"] == correlation.spearman(gold, score, items=items, grouping=grouping)


def test_copies_in_a_cluster_are_no_new_evidence():
    """Four copies of every row: as clusters the interval stays, as rows it halves."""
    ratings, (gold, score) = ratings_like(8, n=100), rows_like(8, n=100)
    ids = np.tile(np.arange(100), 4)

    def width(estimate):
        return estimate.high - estimate.low

    single = width(agreement.fleiss_kappa(ratings))
    copies = np.tile(ratings, (4, 1))
    assert width(agreement.fleiss_kappa(copies, clusters=ids)) == pytest.approx(single, rel=0.15)
    assert width(agreement.fleiss_kappa(copies)) == pytest.approx(single / 2, rel=0.15)
    single = width(correlation.kendall_tau_b(gold, score))
    copies = np.tile(gold, 4), np.tile(score, 4)
    assert width(correlation.kendall_tau_b(*copies, items=ids)) == pytest.approx(single, rel=0.15)
    assert width(correlation.kendall_tau_b(*copies)) == pytest.approx(single / 2, rel=0.15)


def test_clusters_win_over_items():
    gold, score = rows_like(9)
    clusters = np.arange(60) // 20
    found = correlation.pearson(gold, score, items=np.arange(60), clusters=clusters)
    assert found.n_clusters == 3
    assert "3 clusters only" in found.note


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    """Two raters who are right nine times in ten on a balanced question: kappa is .64."""
    rng = np.random.default_rng(10)
    covered = 0
    for _ in range(300):
        truth = rng.integers(2, size=(120, 1))
        ratings = np.where(rng.random((120, 2)) < 0.9, truth, 1 - truth)
        kappa = agreement.cohen_kappa(ratings, resamples=300, rng=rng)
        covered += kappa.low <= 0.64 <= kappa.high
    assert 0.90 <= covered / 300 <= 0.98


def test_correlation_intervals_cover_the_truth_with_clusters():
    """Five rows share an item effect on both sides, so rows alone would be too sure of themselves."""
    rng = np.random.default_rng(11)
    covered = {"items": 0, "rows": 0}
    for _ in range(150):
        item = np.repeat(rng.normal(size=(2, 40)), 5, axis=1)
        gold, score = item + rng.normal(size=(2, 200)) * 0.5
        items = np.repeat(np.arange(40), 5)
        for key, ids in (("items", items), ("rows", None)):
            found = correlation.spearman(gold, score, items=ids, resamples=200, rng=rng)
            covered[key] += found.low <= 0 <= found.high
    assert covered["items"] / 150 > 0.88
    assert covered["rows"] / 150 < 0.75


def test_undefined_resamples_are_counted_and_left_out():
    """One dissenting unit in twelve: some resamples miss it and have nothing to measure."""
    ratings = [[1, 1]] * 11 + [[0, 0]]
    found = agreement.fleiss_kappa(ratings)
    assert (found.value, found.low, found.high) == (1, 1, 1)
    share = found.resamples_undefined / found.resamples
    assert share == pytest.approx((11 / 12) ** 12, abs=0.05)
    assert f"undefined in {found.resamples_undefined} of 1000 resamples" in found.note
    tau = correlation.kendall_tau_b([0] + [1] * 11, np.arange(12))
    assert tau.resamples_undefined > 200
    assert np.isfinite([tau.low, tau.high]).all()


def test_one_cluster_has_a_value_but_no_interval():
    for found in (
        agreement.fleiss_kappa([[1, 1], [0, 1], [0, 0]], clusters=[5, 5, 5]),
        correlation.pearson([1, 0, 1], [0.2, 0.1, 0.9], clusters=list("aaa")),
    ):
        assert np.isfinite(found.value)
        assert np.isnan([found.low, found.high]).all()
        assert "one cluster" in found.note


def test_no_resamples_no_interval():
    found = agreement.fleiss_kappa([[1, 1], [0, 1], [0, 0]], resamples=0)
    assert np.isnan([found.low, found.high]).all()
    assert (found.resamples, found.seed, found.method) == (0, None, "no interval")


def test_a_wider_level_gives_a_wider_interval():
    ratings = ratings_like(12)
    narrow, wide = (agreement.fleiss_kappa(ratings, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert wide.level == 0.99


def test_clusters_of_units_without_labels_do_not_count():
    ratings = [[1, 1], [0, 1], [0, 0], [NAN, NAN]]
    assert agreement.fleiss_kappa(ratings, clusters=list("abcd")).n_clusters == 3


def test_large_tables_do_not_depend_on_how_resamples_are_chunked(monkeypatch):
    gold, score = rows_like(13, n=300, levels=0, decimals=6)
    whole = correlation.correlations(gold, score, resamples=50)
    monkeypatch.setattr("metrics.stats.weights.CHUNK", 2000)
    assert correlation.correlations(gold, score, resamples=50) == whole


@pytest.mark.parametrize("shape", [(0, 20), (1, 20), (3, 20), (4, 20), (50, 20), (64, 20), (70, 3)])
def test_running_sums(shape):
    values = np.random.default_rng(0).integers(9, size=shape).astype(float)
    assert np.array_equal(running_sums(values.copy()), np.cumsum(values, axis=0))


def test_cells_hold_every_row_once():
    gold, score = rows_like(14)
    group = np.arange(60) % 3
    cells = PairCells.of(gold, score, group)
    assert cells.counts.sum() == 60
    assert (cells.gold[cells.cell_of_row] == gold).all()
    assert (cells.score[cells.cell_of_row] == score).all()
    assert (cells.group[cells.cell_of_row] == group).all()
