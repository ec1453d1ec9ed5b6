"""Named reads."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotate.models import Project
from metrics.models import EvaluatorVersion, Heartbeat, Run, RunItem, Score

WORKER_SILENT_AFTER = timedelta(seconds=45)


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
