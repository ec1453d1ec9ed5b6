"""Agreement: what must hold for every coefficient, and what happens when there is nothing to measure."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.stats import agreement
from metrics.stats.coefficients import FORMULAS

NAN = np.nan
TWO_RATERS = ("cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "scott_pi")
BLIND_TO_ORDER = (
    "percent_agreement",
    "cohen_kappa",
    "scott_pi",
    "fleiss_kappa",
    "fleiss_kappa_pooled",
    "fleiss_kappa_generalised",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
)
SCALE = [0, 1, 2, 3]


def values(ratings, statistics=tuple(FORMULAS), **options):
    table = agreement.agreement_table(
        ratings, statistics=statistics, categories=SCALE, resamples=0, **options
    )
    return {key: estimate.value for key, estimate in table.items()}


def tables(raters):
    labels = st.one_of(st.just(NAN), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
    shapes = st.tuples(st.integers(1, 8), raters)
    return shapes.flatmap(lambda shape: arrays.arrays(float, shape, elements=labels))


@settings(max_examples=60, deadline=None)
@given(tables(st.just(2)), st.randoms(use_true_random=False))
def test_order_of_units_and_of_raters_does_not_matter(ratings, random):
    order = random.sample(range(len(ratings)), len(ratings))
    assert values(ratings[order][:, ::-1]) == pytest.approx(values(ratings), nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(tables(st.just(2)), st.permutations(SCALE))
def test_names_of_nominal_categories_do_not_matter(ratings, names):
    renamed = np.where(np.isnan(ratings), NAN, np.array(names)[np.nan_to_num(ratings).astype(int)])
    expected = values(ratings, BLIND_TO_ORDER)
    assert values(renamed, BLIND_TO_ORDER) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(tables(st.integers(2, 4)))
def test_doubling_the_data_changes_only_alpha(ratings):
    """Alpha alone corrects for the size of the sample."""
    free = [key for key in FORMULAS if key not in TWO_RATERS and "alpha" not in key]
    doubled = np.vstack([ratings, ratings])
    assert values(doubled, free) == pytest.approx(values(ratings, free), nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(tables(st.just(1)))
def test_identical_raters_agree_perfectly(ratings):
    for key, value in values(np.hstack([ratings, ratings])).items():
        assert value == 1 or np.isnan(value), key


@settings(max_examples=60, deadline=None)
@given(tables(st.just(2)))
def test_nothing_exceeds_one_and_undefined_is_explained(ratings):
    table = agreement.agreement_table(ratings, statistics=tuple(FORMULAS), categories=SCALE, resamples=0)
    for estimate in table.values():
        assert np.isnan(estimate.value) == bool(estimate.undefined_reason)
        assert not estimate.value > 1 + 1e-12


@settings(max_examples=60, deadline=None)
@given(tables(st.just(2)))
def test_reversing_an_ordered_scale_does_not_matter(ratings):
    ordered = [key for key in FORMULAS if not key.endswith("ratio")]
    assert values(3 - ratings, ordered) == pytest.approx(values(ratings, ordered), nan_ok=True)


def test_one_constant_rater_makes_cohen_exactly_zero():
    ratings = [[1, 1]] * 7 + [[1, 0]] * 3
    for weights in (None, "linear", "quadratic"):
        assert agreement.cohen_kappa(ratings, weights=weights, resamples=0).value == 0


def test_declared_scale_sets_the_distances():
    """Labels 2 and 5 look like neighbours when the levels between them are not declared."""
    ratings = [[2, 5], [1, 1], [5, 5], [2, 2], [1, 1]]
    seen = agreement.cohen_kappa(ratings, weights="linear", resamples=0).value
    declared = agreement.cohen_kappa(ratings, weights="linear", categories=[1, 2, 3, 4, 5], resamples=0).value
    assert declared < seen


def test_declared_order_is_the_order_of_the_scale():
    """Codes may be any numbers: 7 is the middle of this scale."""
    scale = {0: 0, 1: 7, 2: 3}
    ratings = np.array([[0, 1], [1, 0], [1, 1], [2, 2], [0, 1], [0, 0], [2, 0]])
    recoded = np.vectorize(scale.get)(ratings)
    for key in ("cohen_kappa_linear", "gwet_ac2", "gwet_ac2_linear", "krippendorff_alpha_ordinal"):
        plain = agreement.agreement_table(ratings, statistics=[key], resamples=0)[key].value
        other = agreement.agreement_table(recoded, statistics=[key], categories=[0, 7, 3], resamples=0)[key]
        assert other.value == pytest.approx(plain)


@pytest.mark.parametrize(
    ("ratings", "sentence"),
    [
        (np.empty((0, 2)), "no labels"),
        (np.empty((3, 0)), "no labels"),
        ([[NAN, NAN]], "no labels"),
        ([[1], [0]], "Only one rater"),
        ([[1, NAN], [0, NAN]], "Only one rater"),
        ([[1, NAN], [NAN, 0]], "No unit was labelled by two"),
        ([[1, 1], [1, 1]], "Every label is the same (1)"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        agreement.cohen_kappa,
        agreement.scott_pi,
        agreement.fleiss_kappa,
        agreement.krippendorff_alpha,
    ],
)
def test_undefined_with_a_sentence(function, ratings, sentence):
    estimate = function(ratings)
    assert np.isnan([estimate.value, estimate.low, estimate.high]).all()
    assert sentence in estimate.undefined_reason


def test_constant_labels_have_percent_agreement_and_ac1_on_a_declared_scale():
    ratings = [[1, 1]] * 20
    assert agreement.percent_agreement(ratings).value == 1
    assert agreement.gwet_ac1(ratings, categories=[0, 1]).value == 1
    assert agreement.gwet_ac2(ratings, categories=[0, 1, 2]).value == 1
    undeclared = agreement.gwet_ac1(ratings)
    assert np.isnan(undeclared.value)
    assert "declare" in undeclared.undefined_reason


def test_units_left_out_are_counted_by_reason():
    estimate = agreement.fleiss_kappa([[1, 1], [0, 1], [NAN, 1], [NAN, NAN], [NAN, NAN]], resamples=0)
    assert estimate.n == 2
    assert estimate.exclusions == {"no label": 2, "only one label": 1}
    assert estimate.n_excluded == 3


def test_single_labels_enter_the_chance_term_of_ac1_only():
    ratings = [[1, 1], [0, 0], [1, 0], [1, 1]]
    longer = [*ratings, [1, NAN], [1, NAN]]
    assert agreement.gwet_ac1(longer, resamples=0).value != agreement.gwet_ac1(ratings, resamples=0).value
    assert (
        agreement.fleiss_kappa(longer, resamples=0).value
        == agreement.fleiss_kappa(ratings, resamples=0).value
    )


def test_infinite_label_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"ratings\[1, 0\] is inf"):
        agreement.fleiss_kappa([[1, 1], [np.inf, 0]])


def test_undeclared_label_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"ratings\[2, 1\] is 7; categories are \[0\.0, 1\.0\]"):
        agreement.fleiss_kappa([[1, 1], [0, 0], [1, 7]], categories=[0, 1])


@pytest.mark.parametrize("categories", [[0, 0, 1], [0, NAN]])
def test_categories_must_be_different_numbers(categories):
    with pytest.raises(ValueError, match="finite and all different"):
        agreement.fleiss_kappa([[0, 0]], categories=categories)


def test_three_columns_are_not_two_raters():
    with pytest.raises(ValueError, match="use cohen_kappa_pairs"):
        agreement.cohen_kappa([[1, 1, 0]])


def test_ratio_alpha_refuses_negative_labels():
    with pytest.raises(ValueError, match="0 or more; -1"):
        agreement.krippendorff_alpha([[-1, 1], [1, 1]], metric="ratio")


def test_a_wrong_word_lists_the_valid_ones():
    with pytest.raises(ValueError, match="choose one of mean, pooled, generalised"):
        agreement.fleiss_kappa([[1, 1]], convention="average")
    with pytest.raises(ValueError, match="No agreement statistic 'kappa'"):
        agreement.agreement_table([[1, 1]], statistics=["kappa"])
    with pytest.raises(ValueError, match="linear, quadratic"):
        agreement.cohen_kappa([[1, 1]], weights="cubic")


def test_ratings_need_two_dimensions():
    with pytest.raises(ValueError, match="ratings has 1 dimensions; 2 expected"):
        agreement.fleiss_kappa([1, 0, 1])


def test_identical_and_constant_raters_are_named():
    ratings = [[1, 1, 0], [0, 0, 0], [1, 1, 0]]
    estimate = agreement.fleiss_kappa(ratings, raters=["ann", "bo", "cy"], resamples=0)
    assert "ann and bo gave the same label on all 3 units" in estimate.note
    assert "cy gave the same label (0) to all 3 units" in estimate.note
    assert "bo and cy" not in estimate.note


def test_names_must_match_the_columns():
    with pytest.raises(ValueError, match="raters names 1 people; ratings has 2 columns"):
        agreement.fleiss_kappa([[1, 0]], raters=["ann"])
    with pytest.raises(ValueError, match="names somebody twice"):
        agreement.cohen_kappa_pairs([[1, 0]], raters=["ann", "ann"])


def test_every_pair_of_raters():
    ratings = np.array([[1, 1, NAN], [0, 1, NAN], [0, 0, NAN], [1, NAN, 0]])
    pairs = agreement.cohen_kappa_pairs(ratings, raters=["ann", "bo", "cy"], clusters=list("aabb"))
    assert list(pairs) == [("ann", "bo"), ("ann", "cy"), ("bo", "cy")]
    alone = agreement.cohen_kappa(ratings[:, :2], resamples=0)
    assert pairs["ann", "bo"].value == alone.value
    assert pairs["ann", "bo"].n == 3
    assert "No unit was labelled by two" in pairs["bo", "cy"].undefined_reason


def test_a_pair_is_resampled_by_its_own_clusters():
    """The first three units are not the pair's: its clusters must be those of the other six."""
    ratings = np.array(
        [[NAN, NAN, 1]] * 3 + [[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    )
    clusters = list("xxxaabbcc")
    pair = agreement.cohen_kappa_pairs(ratings, raters=["ann", "bo", "cy"], clusters=clusters)["ann", "bo"]
    alone = agreement.cohen_kappa(ratings[3:, :2], clusters=clusters[3:])
    assert pair.n_clusters == 3
    assert (pair.low, pair.high) == (alone.low, alone.high)


def test_frames_with_missing_values_are_read():
    frame = pd.DataFrame({"a": pd.array([1, 0, None, 1], dtype="Int64"), "b": [1.0, 0.0, 1.0, NAN]})
    assert agreement.percent_agreement(frame, resamples=0).n == 2
    assert agreement.percent_agreement([[1, 1], [None, 0]], resamples=0).n == 1


def test_negative_and_fractional_codes():
    plain = agreement.fleiss_kappa([[0, 1], [1, 1], [0, 0], [2, 2]], resamples=0).value
    for codes in ([-1, 0, 1], [0.5, 1.5, 2.5], [1e6, 2e6, 3e6]):
        ratings = np.array(codes)[[[0, 1], [1, 1], [0, 0], [2, 2]]]
        assert agreement.fleiss_kappa(ratings, resamples=0).value == pytest.approx(plain)
