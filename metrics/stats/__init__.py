"""The statistics: arrays in, frozen dataclasses out.

Pure numbers on NumPy, pandas and SciPy. Nothing here may know of Django, Celery, tables or people, read a
file or a clock, or draw from an unseeded generator.
"""

from metrics.stats.agreement import (
    NOMINAL_STATISTICS,
    ORDINAL_STATISTICS,
    agreement_table,
    cohen_kappa,
    cohen_kappa_pairs,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    percent_agreement,
    scott_pi,
)
from metrics.stats.classification import share, wilson_interval
from metrics.stats.correlation import GROUPINGS, correlations, kendall_tau_b, pearson, spearman
from metrics.stats.resampling import cluster_bootstrap, paired_cluster_bootstrap, permutation_test
from metrics.stats.results import Estimate, TestResult

__all__ = [
    "GROUPINGS",
    "NOMINAL_STATISTICS",
    "ORDINAL_STATISTICS",
    "Estimate",
    "TestResult",
    "agreement_table",
    "cluster_bootstrap",
    "cohen_kappa",
    "cohen_kappa_pairs",
    "correlations",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "kendall_tau_b",
    "krippendorff_alpha",
    "paired_cluster_bootstrap",
    "pearson",
    "percent_agreement",
    "permutation_test",
    "scott_pi",
    "share",
    "spearman",
    "wilson_interval",
]
