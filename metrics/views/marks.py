"""Figures as marks on a scale, in hundredths of its width: the pages set no styles, only SVG attributes."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from metrics.views.words import number

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot, and a line from `low` to `high` where there is an interval."""

    x: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    word: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers laid out from 0 to 100 %."""

    low: float
    high: float

    @property
    def zero(self) -> str:
        """Where the zero line stands; empty when it is off the scale."""
        return self.at(0.0) if self.low <= 0 <= self.high else ""

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """The ends, and zero where it is far enough from them to be read."""
        room = 0.12 * (self.high - self.low)
        inner = [0.0] if self.low + room < 0 < self.high - room else []
        return tuple(
            Tick(self.at(value), number(value, 1) if value % 1 else f"{value:.0f}".replace("-", "−"), anchor)
            for value, anchor in [
                (self.low, "start"),
                *((value, "middle") for value in inner),
                (self.high, "end"),
            ]
        )

    def at(self, value: float) -> str:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{PAD + share * (100 - 2 * PAD):.2f}%"

    def mark(self, row: Row) -> Mark | None:
        """The row's figure; None where it is undefined."""
        value, low, high = row["value"], row["low"], row["high"]
        if value is None:
            return None
        bounded = low is not None and high is not None
        return Mark(self.at(value), self.at(low) if bounded else "", self.at(high) if bounded else "")


PAD = 2.0  # hundredths left free at both ends, so that a dot on the end is whole
UNIT = Scale(0.0, 1.0)
SIGNED = Scale(-1.0, 1.0)


def common_scale(rows: Iterable[Row]) -> Scale:
    """One scale for all of the rows, with zero on it and ends at whole fifths."""
    values = [float(row[name]) for row in rows for name in ("value", "low", "high") if row[name] is not None]
    low = math.floor(5 * min([0.0, *values])) / 5
    high = math.ceil(5 * max([0.2, *values])) / 5
    return Scale(low, high)
