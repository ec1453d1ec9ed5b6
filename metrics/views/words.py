"""Figures and names as a reader takes them in."""

from annotate.exporters.tables import short

STATISTICS = {
    "spearman": "Spearman’s ρ",
    "kendall_tau_b": "Kendall’s τ-b",
    "pearson": "Pearson’s r",
    "percent_agreement": "Percent agreement",
    "fleiss_kappa": "Fleiss’ κ",
    "fleiss_kappa_pooled": "Fleiss’ κ, pooled pairs",
    "cohen_kappa": "Cohen’s κ",
    "cohen_kappa_linear": "Cohen’s κ, linear weights",
    "cohen_kappa_quadratic": "Cohen’s κ, quadratic weights",
    "gwet_ac1": "Gwet’s AC1",
    "gwet_ac2": "Gwet’s AC2",
    "krippendorff_alpha_nominal": "Krippendorff’s α, nominal",
    "krippendorff_alpha_ordinal": "Krippendorff’s α, ordinal",
    "krippendorff_alpha_interval": "Krippendorff’s α, interval",
}
SIGNS = {"spearman": "ρ", "kendall_tau_b": "τ-b", "pearson": "r"}
GROUPINGS = {
    "pooled": "pooled",
    "by_item": "by item",
    "by_system": "by system",
    "system_level": "system level",
}
NONE = "–"


def statistic_word(name: str) -> str:
    return STATISTICS.get(name) or name.removeprefix("n_").replace("_", " ")


def number(value: float | None, places: int = 3) -> str:
    """A coefficient: no zero before the point, a true minus."""
    return NONE if value is None else short(value, places).replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{number(low, 2)} to {number(high, 2)}"


def count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def percent(share: float, places: int = 0) -> str:
    """A share in hundredths; only all is 100 %, only none is 0 %."""
    text = f"{100 * share:.{places}f}"
    if (text == "100" and share < 1) or (text == "0" and share > 0):
        return percent(share, places + 1) if places < 3 else f"{text} %"
    return f"{text} %"


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(names: list[str]) -> str:
    """a, b and c"""
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last
