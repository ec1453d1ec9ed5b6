"""Agreement against worked examples that were printed, and against the shared golden file."""

import json
from pathlib import Path

import numpy as np
import pytest

from metrics.stats import agreement

GOLDEN = Path(__file__).resolve().parents[3] / "../shared/golden"
NAN = np.nan

# Fleiss 1971, table 1: six raters, thirty patients, five diagnoses.
PATIENTS = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)

# Krippendorff 2019: four raters, twelve units, five categories. One column per rater.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


def labels_from_counts(row):
    return [category for category, count in enumerate(row) for _ in range(int(count))]


def test_fleiss_1971():
    ratings = np.array([labels_from_counts(row) for row in PATIENTS.split()], dtype=float)
    assert np.bincount(ratings.astype(int).ravel()).tolist() == [26, 26, 30, 55, 43]
    assert agreement.percent_agreement(ratings, resamples=0).value == pytest.approx(0.555, abs=1e-3)
    for convention in ("mean", "pooled", "generalised"):
        kappa = agreement.fleiss_kappa(ratings, convention=convention, resamples=0)
        assert kappa.value == pytest.approx(0.430, abs=5e-4)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_krippendorff_four_raters_twelve_units(metric, expected):
    alpha = agreement.krippendorff_alpha(KRIPPENDORFF, metric=metric, resamples=0)
    assert alpha.value == pytest.approx(expected, abs=1e-6)
    assert (alpha.n, alpha.n_raters, alpha.exclusions) == (11, 4, {"only one label": 1})


def test_gwet_ac1_and_generalised_fleiss_on_the_same_table():
    assert agreement.gwet_ac1(KRIPPENDORFF, resamples=0).value == pytest.approx(0.77544, abs=5e-6)
    generalised = agreement.fleiss_kappa(KRIPPENDORFF, convention="generalised", resamples=0)
    assert generalised.value == pytest.approx(0.76117, abs=5e-6)


def test_fleiss_conventions_part_where_units_have_different_numbers_of_labels():
    values = {
        convention: agreement.fleiss_kappa(KRIPPENDORFF, convention=convention, resamples=0).value
        for convention in ("mean", "pooled")
    }
    assert values == pytest.approx({"mean": 0.7607656, "pooled": 0.7129187}, abs=1e-7)


def test_many_equal_labels_give_high_agreement_and_a_modest_kappa():
    """299 sentences, two annotators: 282 both yes, 6 both no, 6 and 5 split."""
    ratings = [[1, 1]] * 282 + [[0, 0]] * 6 + [[1, 0]] * 6 + [[0, 1]] * 5
    figures = {
        function.__name__: function(ratings, resamples=0).value
        for function in (
            agreement.percent_agreement,
            agreement.fleiss_kappa,
            agreement.cohen_kappa,
            agreement.krippendorff_alpha,
        )
    }
    assert figures == pytest.approx(
        {
            "percent_agreement": 0.9632,
            "fleiss_kappa": 0.5026,
            "cohen_kappa": 0.5026,
            "krippendorff_alpha": 0.5034,
        },
        abs=5e-5,
    )


def golden_cases():
    path = GOLDEN / "fleiss_kappa.json"
    return json.loads(path.read_text())["cases"] if path.exists() else []


def test_golden_fleiss():
    cases = golden_cases()
    if not cases:
        pytest.skip("the shared golden files are not beside the checkout")
    for case in cases:
        names = sorted({label for row in case["ratings"] for label in row})
        ratings = [[names.index(label) for label in row] for row in case["ratings"]]
        observed = agreement.percent_agreement(ratings, resamples=0).value
        assert observed == pytest.approx(case["observed_agreement"], abs=1e-9)
        kappa = agreement.fleiss_kappa(ratings, resamples=0)
        if case["fleiss_kappa"] is None:
            assert np.isnan(kappa.value)
            assert "chance" in kappa.undefined_reason
        else:
            assert kappa.value == pytest.approx(case["fleiss_kappa"], abs=1e-9)
