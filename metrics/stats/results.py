"""What every statistic returns: a figure with its interval, its counts and its caveats."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

NAN = math.nan
BEYOND_FLOATS = "The values lie too close together or too far apart to compute with."


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One figure.

    `value` is nan when the statistic is undefined, and then `undefined_reason` says why in a sentence; it is
    never 0 as a stand-in. `low` and `high` are nan when there is no interval.

    `n` counts what the value rests on (units for agreement, pairs for correlations, rows for shares).
    `exclusions` counts what was left out, by reason; `n_excluded` is their sum.
    `n_groups` and `n_groups_skipped` are set for averages over groups (items, systems).
    `resamples` were asked for, `resamples_undefined` of them gave no value and are not in the interval.
    `seed` is the one to repeat the figure with; None when the caller passed a generator of its own.
    """

    statistic: str
    value: float
    low: float = NAN
    high: float = NAN
    level: float = 0.95
    method: str = "no interval"
    n: int = 0
    exclusions: Mapping[str, int] = field(default_factory=dict)
    undefined_reason: str | None = None
    grouping: str | None = None
    n_groups: int | None = None
    n_groups_skipped: int | None = None
    n_raters: int | None = None
    n_clusters: int | None = None
    resamples: int = 0
    resamples_undefined: int = 0
    seed: int | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if math.isnan(self.value) and not self.undefined_reason:
            raise ValueError(f"{self.statistic} is undefined and nobody said why.")

    @property
    def n_excluded(self) -> int:
        return sum(self.exclusions.values())

    @property
    def is_defined(self) -> bool:
        return self.undefined_reason is None

    @property
    def note(self) -> str:
        """The reason and the warnings as one text, empty when there is nothing to say."""
        return " ".join((*((self.undefined_reason,) if self.undefined_reason else ()), *self.warnings))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: nan becomes None, `n_excluded` and `note` are included."""
        fields = {**asdict(self), "n_excluded": self.n_excluded, "note": self.note}
        fields["warnings"] = list(self.warnings)
        return {key: None if value != value else value for key, value in fields.items()}  # noqa: PLR0124


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """A test of no difference: the observed `value` and the share of arrangements at least as extreme.

    `p_value` is nan when the observed value is undefined, and `undefined_reason` says why. `is_exact` tells
    whether all `arrangements` were enumerated or that many were drawn.
    """

    statistic: str
    value: float
    p_value: float
    alternative: str
    is_exact: bool
    arrangements: int
    method: str
    n: int
    exclusions: Mapping[str, int] = field(default_factory=dict)
    n_clusters: int | None = None
    seed: int | None = None
    undefined_reason: str | None = None
    warnings: tuple[str, ...] = ()

    # pytest would otherwise take the name for a test class.
    __test__ = False

    @property
    def n_excluded(self) -> int:
        return sum(self.exclusions.values())
