"""What comes in: arrays, ids and settings, checked once and named when they are wrong."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Ids = npt.ArrayLike | Sequence[Hashable] | pd.Series
Seed = np.random.Generator | int | None

DEFAULT_SEED = 1960
"""Used where no generator is passed, so that the same data always give the same interval."""


@dataclass(frozen=True)
class Settings:
    """How intervals are made."""

    resamples: int
    level: float
    rng: np.random.Generator
    seed: int | None


def read_settings(resamples: int, level: float, rng: Seed) -> Settings:
    if resamples < 0:
        raise ValueError(f"resamples is {resamples}; give 0 for no interval, or a positive number.")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a share between 0 and 1, for instance 0.95.")
    if isinstance(rng, np.random.Generator):
        return Settings(resamples, level, rng, None)
    seed = DEFAULT_SEED if rng is None else int(rng)
    return Settings(resamples, level, np.random.default_rng(seed), seed)


def choose(given: str, valid: Sequence[str], name: str) -> str:
    """`given`, if it is one of the `valid` words; else an error that lists them."""
    if given not in valid:
        raise ValueError(f"No {name} {given!r}; choose one of {', '.join(valid)}.")
    return given


def as_floats(values: Any, name: str, ndim: int = 1) -> FloatArray:
    """A float array in which nan is the only thing that is not a number."""
    if isinstance(values, pd.Series | pd.DataFrame | pd.api.extensions.ExtensionArray):
        array = values.to_numpy(dtype=float, na_value=np.nan)
    else:
        array = np.asarray(values, dtype=float)
    if array.ndim != ndim:
        raise ValueError(f"{name} has {array.ndim} dimensions; {ndim} expected.")
    return np.asarray(array, dtype=np.float64)


def refuse_infinite(array: FloatArray, name: str) -> None:
    """Name the first infinite cell: it is a broken computation, not a missing value."""
    places = np.argwhere(np.isinf(array))
    if len(places):
        place = ", ".join(str(i) for i in places[0])
        raise ValueError(f"{name}[{place}] is {array[tuple(places[0])]}; use nan for a missing value.")


def as_codes(ids: Ids, name: str, n: int) -> IntArray:
    """Ids of any hashable kind as whole numbers 0, 1, ... in order of first appearance."""
    if not isinstance(ids, np.ndarray | pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        # A list could mix 1 and "1", which NumPy would make equal.
        ids = pd.Series(list(ids), dtype=object)  # type: ignore[arg-type]
    codes, _ = pd.factorize(ids)
    if codes.shape != (n,):
        raise ValueError(f"{name} has {len(codes)} entries; {n} expected, one per row.")
    if (codes < 0).any():
        raise ValueError(f"{name}[{int(np.argmax(codes < 0))}] is missing; every row needs one.")
    return codes.astype(np.int64)


Statistic = Callable[..., float]
