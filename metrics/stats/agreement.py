"""How far raters agree, with and without a correction for chance.

`ratings` has shape (units, raters) and holds category codes, nan where a rater gave no label. `categories`
declares the scale in its order (default: the codes seen, sorted). All functions but Cohen's kappa and
Scott's pi
take any number of raters, missing labels included."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from scipy import sparse  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.coefficients import FORMULAS
from metrics.stats.inputs import FloatArray, Ids, Seed, Settings, as_codes, as_floats, choose, read_settings
from metrics.stats.patterns import RatingPatterns, read_patterns
from metrics.stats.resampling import FEW_CLUSTERS, Interval, percentile_interval
from metrics.stats.results import BEYOND_FLOATS, NAN, Estimate

NOMINAL_STATISTICS = (
    "percent_agreement",
    "fleiss_kappa",
    "fleiss_kappa_pooled",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
)
ORDINAL_STATISTICS = (
    *NOMINAL_STATISTICS,
    "gwet_ac2",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
)
_POWERS = {None: "", "linear": "_linear", "quadratic": "_quadratic"}
_CONVENTIONS = {
    "mean": "fleiss_kappa",
    "pooled": "fleiss_kappa_pooled",
    "generalised": "fleiss_kappa_generalised",
}
_TWO_RATERS_ONLY = ("cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "scott_pi")


class Options(TypedDict, total=False):
    """What every function here takes besides the ratings."""

    categories: npt.ArrayLike | None
    """The declared codes, in the order of the scale; default: those seen, sorted."""
    clusters: Ids | None
    """One id per unit; units of one cluster are resampled together. Default: each unit its own."""
    raters: Sequence[str] | None
    """Names of the columns, for warnings."""
    resamples: int
    """1000 by default; 0 for no interval."""
    level: float
    """0.95 by default."""
    rng: Seed
    """A NumPy Generator, or a seed; default: a fixed seed."""


def agreement_table(
    ratings: Any,
    *,
    statistics: Sequence[str] = NOMINAL_STATISTICS,
    raters: Sequence[str] | None = None,
    categories: npt.ArrayLike | None = None,
    clusters: Ids | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    rng: Seed = None,
) -> dict[str, Estimate]:
    """Many coefficients of the same ratings, from one reading and one set of resamples.

    Each figure is the one that its own function gives. `statistics` are keys of `FORMULAS`;
    NOMINAL_STATISTICS and ORDINAL_STATISTICS are the usual sets. `raters` names the columns for the
    warnings.

    Cost: units collapse to their distinct label rows, so that after one pass over the ratings the 1000
    resamples of a million units take milliseconds.

    >>> table = agreement_table([[1, 1], [0, 0], [1, 0], [1, 1]], resamples=0)
    >>> round(table["percent_agreement"].value, 4), round(table["fleiss_kappa"].value, 4)
    (0.75, 0.4667)
    """
    for statistic in statistics:
        choose(statistic, tuple(FORMULAS), "agreement statistic")
    patterns = read_patterns(ratings, categories, clusters)
    settings = read_settings(resamples, level, rng)
    return _estimates(patterns, statistics, settings, _rater_names(raters, patterns.n_raters))


def percent_agreement(ratings: Any, **options: Unpack[Options]) -> Estimate:
    """Share of pairs of labels on one unit that are equal, averaged over units.

    P_i = sum_k r_ik (r_ik - 1) / (r_i (r_i - 1)), r_ik raters giving category k to unit i; the value is the
    mean of P_i over units with at least two labels (Fleiss 1971). With two raters: the share of
    equal labels.

    Options: see `Options`. Missing labels: units with fewer than two are left out and counted. One category
    only: 1. No unit with two labels: undefined.

    >>> percent_agreement([[1, 1], [1, 0], [0, 0], [1, float("nan")]], resamples=0).n
    3
    """
    return _one("percent_agreement", ratings, options)


def cohen_kappa(ratings: Any, *, weights: str | None = None, **options: Unpack[Options]) -> Estimate:
    """Agreement of two raters beyond what their own label shares would give.

    kappa = 1 - sum d_kl o_kl / sum d_kl e_kl, o_kl the share of units labelled k by the first and l by the
    second, e_kl the product of the two margins (Cohen 1960; weighted: Cohen 1968). d is 1 for different
    labels; "linear" |k - l| and "quadratic" (k - l)**2 over positions in `categories`: declare the whole
    scale in order, or levels that nobody used collapse the distances.

    `ratings` has two columns. Options: see `Options`. Units without both labels are left out. One rater
    constant, the other not: 0. Both constant with the same label, or no unit in common: undefined.

    >>> round(cohen_kappa([[1, 1], [1, 0], [0, 0], [1, 1], [0, 0]], resamples=0).value, 4)
    0.6154
    """
    choose(weights or "None", ("None", "linear", "quadratic"), "weights")
    return _one("cohen_kappa" + _POWERS[weights or None], ratings, options)


def cohen_kappa_pairs(
    ratings: Any, *, weights: str | None = None, **options: Unpack[Options]
) -> dict[tuple[str, str], Estimate]:
    """Cohen's kappa of every pair of raters, each on the units that at least one of them labelled.

    Keys are pairs of names from `raters` (default "rater 1", "rater 2", ... by column). A pair without a
    unit in common is in the answer, undefined. Different people are never pooled into one rater.

    >>> pairs = cohen_kappa_pairs([[1, 1, 0], [0, 0, 1], [1, 0, 1]], raters=["ann", "bo", "cy"], resamples=0)
    >>> round(pairs["ann", "bo"].value, 2), round(pairs["bo", "cy"].value, 2)
    (0.4, -0.8)
    """
    array = as_floats(ratings, "ratings", ndim=2)
    names = _rater_names(options.get("raters"), array.shape[1])
    clusters = options.get("clusters")
    ids = None if clusters is None else as_codes(clusters, "clusters", len(array))
    if options.get("categories") is None:
        options["categories"] = np.unique(array[~np.isnan(array)])
    answer = {}
    for a, b in combinations(range(array.shape[1]), 2):
        pair = array[:, [a, b]]
        kept = ~np.isnan(pair).all(axis=1)
        own: Options = {**options, "raters": (names[a], names[b])}
        own["clusters"] = None if ids is None else ids[kept]
        answer[names[a], names[b]] = cohen_kappa(pair[kept], weights=weights, **own)
    return answer


def scott_pi(ratings: Any, **options: Unpack[Options]) -> Estimate:
    """Agreement of two raters beyond what their common label shares would give.

    pi = (p_o - p_e) / (1 - p_e), p_e = sum_k of the squared share of k among the labels of both (Scott
    1955). Two columns; Fleiss' kappa is the same for more. Options, missing labels and undefined cases as
    in `cohen_kappa`, except that a constant rater does not make it 0.

    >>> round(scott_pi([[1, 1], [1, 0], [0, 0], [1, 1]], resamples=0).value, 4)
    0.4667
    """
    return _one("scott_pi", ratings, options)


def fleiss_kappa(ratings: Any, *, convention: str = "mean", **options: Unpack[Options]) -> Estimate:
    """Agreement of many raters beyond what the pooled label shares would give.

    kappa = (P - P_e) / (1 - P_e), P the mean of the per-unit agreement P_i (see `percent_agreement`), P_e =
    sum_k p_k**2, p_k the share of category k (Fleiss 1971). The original has the same number of
    ratings on every unit; where that number varies, conventions differ:

    - "mean": P over units with at least two labels, p_k among all labels on those units;
    - "pooled": P over all pairs of labels, so that units with more labels count more; p_k as before;
    - "generalised": P as in "mean", p_k the mean over all labelled units of the share of k on the unit
      (Gwet 2014), as some packages report it.

    All three agree when every unit has the same number of labels. Options: see `Options`. One category
    only: undefined, chance agreement is 1. No unit with two labels: undefined. If a third person labelled
    only the units on which two disagreed, pass the first two only.

    >>> round(fleiss_kappa([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 0, 1]], resamples=0).value, 4)
    0.3333
    """
    choose(convention, tuple(_CONVENTIONS), "convention")
    return _one(_CONVENTIONS[convention], ratings, options)


def gwet_ac1(ratings: Any, **options: Unpack[Options]) -> Estimate:
    """Agreement beyond chance, chance being agreement on units that are hard to label.

    AC1 = (p_a - p_e) / (1 - p_e), p_a as `percent_agreement`, p_e = sum_k pi_k (1 - pi_k) / (q - 1), pi_k
    the mean over units of the share of k, q the number of declared categories (Gwet 2008). It
    stays high where nearly all labels are the same and kappa collapses.

    Options: see `Options`; q changes the value, so declare `categories`. Units with one label count in pi_k
    only. Every label equal: 1 if two categories are declared, undefined with one.

    >>> round(gwet_ac1([[1, 1], [1, 1], [1, 1], [1, 0]], resamples=0).value, 4)
    0.68
    """
    return _one("gwet_ac1", ratings, options)


def gwet_ac2(ratings: Any, *, weights: str = "quadratic", **options: Unpack[Options]) -> Estimate:
    """AC1 with partial credit for near misses, for ordered categories.

    Weights w_kl = 1 - (|k - l| / (q - 1))**p over positions in `categories`, p = 1 "linear" or 2
    "quadratic"; p_a = mean over units of the mean weight of its pairs, p_e = T_w / (q (q - 1)) sum_k pi_k
    (1 - pi_k) with T_w the sum of all weights (Gwet 2014). With two categories it is AC1. Else
    as `gwet_ac1`.

    >>> round(gwet_ac2([[1, 2], [2, 2], [3, 3], [1, 1]], categories=[1, 2, 3], resamples=0).value, 4)
    0.8182
    """
    choose(weights, ("linear", "quadratic"), "weights")
    return _one("gwet_ac2" + ("_linear" if weights == "linear" else ""), ratings, options)


def krippendorff_alpha(ratings: Any, *, metric: str = "nominal", **options: Unpack[Options]) -> Estimate:
    """One minus observed over expected disagreement, for any number of raters and missing labels.

    alpha = 1 - D_o / D_e; a unit with m labels adds each ordered pair of its labels with weight 1 / (m - 1)
    (Krippendorff 2019). Squared distances of categories c and k: nominal 1 if they differ;
    interval (c - k)**2; ratio ((c - k) / (c + k))**2; ordinal (the labels between c and k, with half of
    those at c and k)**2, along the order of `categories` and counted anew in every resample.

    Options: see `Options`. Units with fewer than two labels are left out. One category only, or no unit
    with two labels: undefined. A few disagreements in nearly constant labels give 0 or less, and rightly:
    such labels hardly tell units apart. Customary marks: .8 and .667.

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [3, 4], [4, 4]], metric="interval", resamples=0).value, 4)
    0.9263
    """
    choose(metric, ("nominal", "ordinal", "interval", "ratio"), "metric")
    return _one(f"krippendorff_alpha_{metric}", ratings, options)


def _one(statistic: str, ratings: Any, options: Options) -> Estimate:
    return agreement_table(ratings, statistics=(statistic,), **options)[statistic]


def _estimates(
    patterns: RatingPatterns, statistics: Sequence[str], settings: Settings, names: Sequence[str]
) -> dict[str, Estimate]:
    reasons = {statistic: _why_undefined(patterns, statistic) for statistic in statistics}
    defined = [statistic for statistic in statistics if reasons[statistic] is None]
    replicates = _replicates(patterns, defined, settings)
    common: dict[str, Any] = {
        "n": patterns.count_units(patterns.sizes >= 2),
        "exclusions": _exclusions(patterns),
        "n_raters": patterns.n_raters,
        "n_clusters": patterns.plan.n_clusters,
    }
    warnings = _rater_warnings(patterns, names)
    answer = {}
    for statistic in statistics:
        value, interval = NAN, Interval()
        if statistic in replicates:
            value = float(FORMULAS[statistic](patterns, patterns.counts[:, None])[0])
            interval = percentile_interval(replicates[statistic], patterns.plan.n_clusters, settings)
        answer[statistic] = Estimate(
            statistic=statistic,
            value=value,
            undefined_reason=reasons[statistic] or (BEYOND_FLOATS if np.isnan(value) else None),
            warnings=(*interval.warnings, *warnings),
            **interval.fields(settings),
            **common,
        )
    return answer


def _replicates(
    patterns: RatingPatterns, statistics: Sequence[str], settings: Settings
) -> dict[str, FloatArray]:
    """The same resamples for every statistic."""
    parts: dict[str, list[FloatArray]] = {statistic: [] for statistic in statistics}
    if statistics and patterns.plan.n_clusters > 1:
        for weights in patterns.plan.draws(settings.resamples, settings.rng):
            for statistic, values in parts.items():
                values.append(FORMULAS[statistic](patterns, weights))
    return {statistic: np.concatenate([np.empty(0), *values]) for statistic, values in parts.items()}


def _exclusions(patterns: RatingPatterns) -> dict[str, int]:
    found = {"no label": patterns.n_unlabelled, "only one label": patterns.count_units(patterns.sizes == 1)}
    return {reason: count for reason, count in found.items() if count}


def _why_undefined(patterns: RatingPatterns, statistic: str) -> str | None:
    """A sentence for the reader, or None if the statistic has a value."""
    if statistic in _TWO_RATERS_ONLY and patterns.n_raters > 2:
        raise ValueError(
            f"{statistic} compares two raters and ratings has {patterns.n_raters} columns; "
            "use cohen_kappa_pairs for every pair, or fleiss_kappa."
        )
    if not len(patterns.codes):
        return "There are no labels."
    if ((patterns.codes >= 0).any(axis=0)).sum() < 2:
        return "Only one rater gave labels; agreement needs at least two."
    if not patterns.is_paired.any():
        return "No unit was labelled by two raters or more."
    if statistic == "percent_agreement":
        return None
    if statistic.startswith("gwet"):
        declared = len(patterns.categories) > 1
        return None if declared else "There is only one category; declare the whole scale with `categories`."
    return _why_chance_is_one(patterns)


def _why_chance_is_one(patterns: RatingPatterns) -> str | None:
    totals = patterns.paired_labels @ patterns.counts
    if (totals > 0).sum() > 1:
        return None
    label = patterns.categories[int(np.argmax(totals))]
    return (
        f"Every label is the same ({label:g}), so agreement by chance is already 1 and nothing is left to "
        "measure beyond it; report percent agreement instead."
    )


def _rater_names(raters: Sequence[str] | None, n_raters: int) -> list[str]:
    names = [f"rater {i + 1}" for i in range(n_raters)] if raters is None else [str(name) for name in raters]
    if len(names) != n_raters:
        raise ValueError(f"raters names {len(names)} people; ratings has {n_raters} columns.")
    if len(set(names)) != len(names):
        raise ValueError(f"raters {names} names somebody twice.")
    return names


def _rater_warnings(patterns: RatingPatterns, names: Sequence[str]) -> tuple[str, ...]:
    """What should make a reader look at the people before the figure."""
    return (*_few_units(patterns), *_constant_raters(patterns, names), *_identical_raters(patterns, names))


def _few_units(patterns: RatingPatterns) -> list[str]:
    n = patterns.count_units(patterns.sizes >= 2)
    return [f"Only {n} units have two labels or more."] if 0 < n < FEW_CLUSTERS else []


def _constant_raters(patterns: RatingPatterns, names: Sequence[str]) -> list[str]:
    given, n_categories = patterns.codes >= 0, len(patterns.categories)
    lowest = np.where(given, patterns.codes, n_categories).min(axis=0, initial=n_categories)
    highest = patterns.codes.max(axis=0, initial=-1)
    n_labels = patterns.counts @ given
    constant = np.flatnonzero((lowest == highest) & (n_labels > 1)).tolist()
    return [
        f"{names[r]} gave the same label ({patterns.categories[lowest[r]]:g}) to all {n_labels[r]:.0f} units."
        for r in constant
    ]


def _identical_raters(patterns: RatingPatterns, names: Sequence[str]) -> list[str]:
    """Pairs that agree on every unit they share, by two sparse products instead of a loop over pairs."""
    n_patterns, n_raters = patterns.codes.shape
    n_categories = len(patterns.categories)
    pattern, rater = np.nonzero(patterns.codes >= 0)
    ones = np.ones(len(pattern))
    cell = pattern * n_categories + patterns.codes[pattern, rater]
    given = sparse.csr_array((ones, (pattern, rater)), shape=(n_patterns, n_raters))
    chosen = sparse.csr_array((ones, (cell, rater)), shape=(n_patterns * n_categories, n_raters))
    shared = given.T @ (sparse.diags_array(patterns.counts) @ given)
    equal = chosen.T @ (sparse.diags_array(np.repeat(patterns.counts, n_categories)) @ chosen)
    a, b = np.nonzero(np.triu((shared.toarray() > 1) & (shared.toarray() == equal.toarray()), k=1))
    return [
        f"{names[i]} and {names[j]} gave the same label on all {shared[i, j]:.0f} units that both labelled; "
        "make sure that they worked independently."
        for i, j in zip(a.tolist(), b.tolist(), strict=True)
    ]
