"""A table's rows by slice: the whole first, then each value of the attribute."""

from collections.abc import Iterator
from typing import Any

import pandas as pd


def slices(units: pd.DataFrame, slice_by: str | None) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Index columns and units of the whole, then of every slice in the order of its values."""
    yield {}, units
    if slice_by is not None:
        for value, part in units.groupby("slice_value", sort=True):
            yield {"slice": slice_by, "slice_value": value}, part
