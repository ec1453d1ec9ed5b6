"""Named reads."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Now

from annotate.frames import attributes_of
from annotate.models import Project
from annotate.querysets import SYSTEM
from metrics.models import EvaluatorVersion, Heartbeat, Run, RunItem, Score

WORKER_SILENT_AFTER = timedelta(seconds=45)
RECENT_SCORES = 2000
MOST_VALUES = 30


@dataclass(frozen=True, slots=True)
class EvaluatorProgress:
    """Outcomes of one evaluator version on the units of a run."""

    version: EvaluatorVersion
    n_ok: int
    failures: dict[str, int]


@dataclass(frozen=True, slots=True)
class Progress:
    """A run, counted from its rows."""

    run: Run
    n_total: int
    n_done: int
    evaluators: list[EvaluatorProgress]

    @property
    def n_left(self) -> int:
        return self.n_total - self.n_done


def progress_of(run: Run) -> Progress:
    by_state = dict(run.items.values_list("state").annotate(n=Count("pk")))
    return Progress(
        run,
        sum(by_state.values()),
        by_state.get(RunItem.State.DONE, 0),
        [_outcomes(run, version) for version in run.versions.select_related("evaluator").order_by("pk")],
    )


def _outcomes(run: Run, version: EvaluatorVersion) -> EvaluatorProgress:
    items = RunItem.objects.filter(run=run, unit=OuterRef("unit"))
    scores = Score.objects.filter(Exists(items), version=version)
    counts = dict(scores.values_list("failure").annotate(n=Count("pk")))
    return EvaluatorProgress(version, counts.pop("", 0), counts)


def runs_of(project: Project) -> QuerySet[Run]:
    """The runs of a project, the last first, with their units counted."""
    done = Count("items", filter=Q(items__state=RunItem.State.DONE))
    counted = project.runs.annotate(n_total=Count("items"), n_done=done)
    return counted.select_related("started_by").prefetch_related("versions__evaluator").order_by("-pk")


def pace_of(run: Run, at: datetime) -> float | None:
    """Units a second, from the last scores of the run; None when none came in for a while.

    Not from the start of the run: it may have waited for a worker, or been cancelled and resumed.
    """
    version = run.versions.order_by("pk").last()
    made = Score.objects.filter(version=version, at__gte=run.started_at).order_by("-pk")
    times = list(made.values_list("at", flat=True)[:RECENT_SCORES])
    if not times or at - times[0] > WORKER_SILENT_AFTER:
        return None
    seconds = (at - times[-1]).total_seconds()
    return len(times) / seconds if seconds > 0 else None


def failures_of(run: Run) -> QuerySet[Score, Any]:
    """Why units of the run have no value, by evaluator, the most frequent first."""
    items = RunItem.objects.filter(run=run, unit=OuterRef("unit"))
    failed = Score.objects.filter(Exists(items), version__in=run.versions.all()).exclude(failure="")
    by_reason = failed.values("version__evaluator__key", "failure", "reason").annotate(n=Count("pk"))
    return by_reason.order_by("-n", "version__evaluator__key", "failure", "reason")


def attribute_values(project: Project) -> dict[str, list[str]]:
    """Each attribute by which the project can be sliced, with its values; none where they are too many."""
    found: dict[str, list[str]] = {}
    for name in attributes_of(project):
        values: QuerySet[Any, Any]
        if name == SYSTEM:
            values = project.systems.order_by("key").values_list("key", flat=True)
        else:
            held = Cast(KeyTextTransform(name, "attributes"), TextField())
            values = project.items.annotate(held=held).order_by("held").values_list("held", flat=True)
        known = [value for value in values.distinct()[: MOST_VALUES + 1] if value is not None]
        found[name] = known if len(known) <= MOST_VALUES else []
    return found


def runs_awaiting_work() -> QuerySet[Run]:
    """Running runs with rows to claim and nobody at work on them."""
    rows = RunItem.objects.filter(run=OuterRef("pk"))
    at_work = rows.filter(state=RunItem.State.LEASED, lease_until__gte=Now())
    claimable = rows.filter(~Q(state=RunItem.State.DONE))
    return Run.objects.filter(Exists(claimable), ~Exists(at_work), state=Run.State.RUNNING)


def workers_alive(at: datetime) -> int:
    return Heartbeat.objects.filter(at__gte=at - WORKER_SILENT_AFTER).count()


def current_versions(project: Project) -> QuerySet[EvaluatorVersion]:
    """The version last added of each evaluator of the project that has scores."""
    newer = EvaluatorVersion.objects.filter(evaluator=OuterRef("evaluator"), pk__gt=OuterRef("pk"))
    newer_scored = newer.filter(Exists(Score.objects.filter(version=OuterRef("pk"))))
    scored = Score.objects.filter(version=OuterRef("pk"))
    return (
        EvaluatorVersion.objects.filter(Exists(scored), ~Exists(newer_scored), evaluator__project=project)
        .select_related("evaluator")
        .order_by("evaluator__key")
    )
