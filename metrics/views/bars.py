"""A run as bars: done, failed by reason, left."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from metrics.models import Run
from metrics.querysets import EvaluatorProgress, Progress, pace_of
from metrics.views.words import count

DONE = "ok"
LEFT = "left"
FAILED = ("failed-1", "failed-2", "failed-3", "failed-4")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a bar, in hundredths of its width."""

    look: str
    word: str
    n: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    key: str
    parts: tuple[Part, ...]

    @property
    def words(self) -> str:
        return ", ".join(f"{part.n} {part.word}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Course:
    """A run on its way: its bars, and how fast it goes."""

    run: Run
    n_total: int
    n_done: int
    bars: tuple[Bar, ...]
    pace: str
    left: str

    @property
    def is_running(self) -> bool:
        return self.run.state == Run.State.RUNNING


def course_of(progress: Progress, at: datetime) -> Course:
    run = progress.run
    rate = pace_of(run, at) if run.state == Run.State.RUNNING and progress.n_done else None
    reasons = sorted({name for outcomes in progress.evaluators for name in outcomes.failures})
    looks = {name: FAILED[min(place, len(FAILED) - 1)] for place, name in enumerate(reasons)}
    return Course(
        run,
        progress.n_total,
        progress.n_done,
        tuple(_bar(outcomes, progress.n_total, looks) for outcomes in progress.evaluators),
        _pace(rate) if rate else "",
        duration(timedelta(seconds=progress.n_left / rate)) if rate and progress.n_left else "",
    )


def _bar(outcomes: EvaluatorProgress, total: int, looks: Mapping[str, str]) -> Bar:
    counts = {"scored": (DONE, outcomes.n_ok)}
    counts |= {name.replace("_", " "): (looks[name], n) for name, n in sorted(outcomes.failures.items())}
    n_left = total - sum(n for _, n in counts.values())
    counts["left"] = (LEFT, n_left)
    parts, start = [], 0.0
    for word, (look, n) in counts.items():
        if n > 0:
            width = 100 * n / total
            parts.append(Part(look, word, count(n), f"{start:.3f}%", f"{width:.3f}%"))
            start += width
    evaluator = outcomes.version.evaluator
    return Bar(evaluator.name, evaluator.key, tuple(parts))


def _pace(rate: float) -> str:
    return count(round(rate)) if rate >= 10 else f"{rate:.1f}"


def duration(span: timedelta) -> str:
    """A stretch of time as one says it."""
    seconds = max(1, round(span.total_seconds()))
    if seconds < 90:
        return f"{seconds} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
