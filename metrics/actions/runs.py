"""Start, cancel and resume runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotate.models import Event, Person, Project, Unit
from annotate.querysets import units_where
from metrics.actions.versions import computed_version
from metrics.evaluators import Metric, get_metric
from metrics.models import EvaluatorVersion, Run, RunItem

BATCH = 5000
NEEDS = {
    "question": ~Q(response__item__question=""),
    "references": ~Q(response__item__references=[]),
    "passages": Q(response__passage_set__isnull=False),
}


class NothingToScore(ValueError):
    """The metric cannot be computed on any unit asked for; says what is missing."""


@transaction.atomic
def start_runs(
    *,
    project: Project,
    keys: Sequence[str],
    by: Person | None,
    at: datetime,
    where: Mapping[str, str] | None = None,
) -> list[Run]:
    """One run for each group of metrics, with a row for every unit that lacks an outcome; none if none does.

    Refused before anything is stored: an unknown key, or a metric that no unit has the material for.
    """
    where = dict(where or {})
    units = units_where(project, where)
    if not units.exists():
        named = ", ".join(f"{name}={value}" for name, value in where.items())
        raise NothingToScore(f"{project.slug} has no units{f' with {named}' if named else ''}.")
    groups: dict[str, list[Metric]] = defaultdict(list)
    for key in dict.fromkeys(keys):
        metric = get_metric(key)
        _refuse_if_impossible(metric, units)
        groups[metric.group].append(metric)
    started = (_start(project, metrics, units, where, by, at) for metrics in groups.values())
    return [run for run in started if run is not None]


def _refuse_if_impossible(metric: Metric, units: QuerySet[Unit]) -> None:
    if reason := why_impossible(metric, units):
        raise NothingToScore(reason)


def why_impossible(metric: Metric, units: QuerySet[Unit]) -> str | None:
    """Why the metric can be computed on none of these units, if so."""
    at_level = units.filter(levels_of(metric))
    if not at_level.exists():
        return f"{metric.key} scores a {' or '.join(sorted(metric.levels))}; there is none here."
    for need in sorted(metric.needs):
        if not at_level.filter(NEEDS[need]).exists():
            return f"{metric.key} needs {need}; no unit here has any. Load them, or leave it out."
    return None


def levels_of(metric: Metric) -> Q:
    """The units that the metric is about."""
    levels = Q(pk__in=[])
    if "response" in metric.levels:
        levels |= Q(claim=None)
    if "claim" in metric.levels:
        levels |= Q(claim__isnull=False)
    return levels


def _start(
    project: Project,
    metrics: Sequence[Metric],
    units: QuerySet[Unit],
    where: Mapping[str, str],
    by: Person | None,
    at: datetime,
) -> Run | None:
    versions = [computed_version(project, metric) for metric in metrics]
    ids = _lacking(units, metrics, versions).order_by("pk").values_list("pk", flat=True)
    if not ids.exists():
        return None
    run = Run.objects.create(project=project, where=where, started_by=by, started_at=at)
    run.versions.set(versions)
    n_units = last = 0
    while batch := list(ids.filter(pk__gt=last)[:BATCH]):
        RunItem.objects.bulk_create(RunItem(run=run, unit_id=unit) for unit in batch)
        n_units, last = n_units + len(batch), batch[-1]
    detail = {
        "run": run.pk,
        "evaluators": [metric.key for metric in metrics],
        "where": where,
        "units": n_units,
    }
    Event.objects.create(project=project, by=by, verb="start_run", detail=detail)
    return run


def _lacking(
    units: QuerySet[Unit], metrics: Sequence[Metric], versions: Sequence[EvaluatorVersion]
) -> QuerySet[Unit]:
    """Units at a level of these metrics that lack an outcome; the others cost nothing again."""
    for_response = sum("response" in metric.levels for metric in metrics)
    for_claim = sum("claim" in metric.levels for metric in metrics)
    scored = Count("scores", filter=Q(scores__version__in=versions), distinct=True)
    return units.annotate(n_scored=scored).filter(
        Q(claim=None, n_scored__lt=for_response) | Q(claim__isnull=False, n_scored__lt=for_claim)
    )


def finish_if_done(*, run: Run, at: datetime) -> bool:
    """Close a run without open rows; any number of calls close it once."""
    with transaction.atomic():
        if run.items.exclude(state=RunItem.State.DONE).exists():
            return False
        closed = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
            state=Run.State.FINISHED, ended_at=at
        )
        if closed:
            Event.objects.create(project_id=run.project_id, verb="finish_run", detail={"run": run.pk})
    return bool(closed)


@transaction.atomic
def cancel_run(*, run: Run, by: Person | None, at: datetime) -> bool:
    """Stop a run: what is computed stays, what waits goes on waiting."""
    stopped = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.CANCELLED, ended_at=at
    )
    if stopped:
        Event.objects.create(project_id=run.project_id, by=by, verb="cancel_run", detail={"run": run.pk})
    return bool(stopped)


@transaction.atomic
def resume_run(*, run: Run, by: Person | None) -> bool:
    """Go on with a cancelled run where it stopped."""
    resumed = Run.objects.filter(pk=run.pk, state=Run.State.CANCELLED).update(
        state=Run.State.RUNNING, ended_at=None
    )
    if resumed:
        Event.objects.create(project_id=run.project_id, by=by, verb="resume_run", detail={"run": run.pk})
    return bool(resumed)
