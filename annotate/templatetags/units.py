"""Units by state as a bar, submissions by day as columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django import template

from annotate.models import Unit

register = template.Library()
N_DAYS = 14
CHART_WIDTH, CHART_HEIGHT, CHART_FOOT = 560, 70, 90
WORDS = {
    Unit.State.SETTLED: "settled",
    Unit.State.CONTESTED: "contested",
    Unit.State.DECIDING: "with a third annotator",
    Unit.State.OPEN: "open",
    Unit.State.UNASKED: "not asked about",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the bar, in hundredths."""

    state: str
    word: str
    n: str
    start: str
    width: str


@register.simple_tag
def stacked(states: Mapping[str, int]) -> list[Part]:
    parts, start, total = [], 0.0, sum(states.values())
    for state, word in WORDS.items():
        if n := states.get(state, 0):
            width = 100 * n / total
            parts.append(Part(state.value, word, f"{n:,}", f"{start:.3f}", f"{width:.3f}"))
            start += width
    return parts


@dataclass(frozen=True, slots=True)
class Column:
    """One day of the chart, in its user units; `name` on the days that are labelled."""

    n: int
    name: str
    x: str
    y: str
    height: str
    middle: str
    above: str


@dataclass(frozen=True, slots=True)
class Chart:
    most: int
    width: str
    columns: list[Column]


@register.simple_tag
def columns_by_day(days: Mapping[date, int], since: datetime) -> Chart:
    """A column a day from `since` on, with its number above."""
    every = [since.date() + timedelta(days=n) for n in range(N_DAYS)]
    most = max(days.values(), default=0)
    pitch = CHART_WIDTH / N_DAYS
    columns = []
    for place, day in enumerate(every):
        n = days.get(day, 0)
        height = CHART_HEIGHT * n / most if most else 0.0
        name = f"{day.day} {day:%b}" if place % 3 == (N_DAYS - 1) % 3 else ""
        x, top = place * pitch, CHART_FOOT - height
        columns.append(
            Column(
                n,
                name,
                f"{x + 6:.1f}",
                f"{top:.1f}",
                f"{height:.1f}",
                f"{x + pitch / 2:.1f}",
                f"{top - 5:.1f}",
            )
        )
    return Chart(most, f"{pitch - 12:.1f}", columns)
