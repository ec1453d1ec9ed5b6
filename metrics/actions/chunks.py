"""A run, a chunk at a time: claim, compute, store. Killed anywhere, nothing is lost or doubled."""

import math
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from annotate.models import Unit
from metrics.actions.runs import finish_if_done
from metrics.actions.versions import response_hash
from metrics.evaluators import Metric, Sample, get_metric, missing
from metrics.models import EvaluatorVersion, Run, RunItem, Score
from metrics.samples import samples

MOST_ATTEMPTS = 5
# Rows that were lost before are tried in ever smaller chunks: a unit that kills its worker is found at last.
RETRY_CHUNK = {1: 20}

Versions = Sequence[tuple[Metric, EvaluatorVersion]]


def work_once(*, run: Run, at: datetime) -> bool:
    """Score one chunk of the run; False when there was nothing to claim."""
    if Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).exists():
        lease = uuid.uuid4()
        items = claim_chunk(run=run, lease=lease)
        if items:
            versions = [(get_metric(version.evaluator.key), version) for version in _versions(run)]
            store_chunk(lease=lease, scores=_compute(items, versions))
            finish_if_done(run=run, at=at)
            return True
        finish_if_done(run=run, at=at)
    return False


def _versions(run: Run) -> QuerySet[EvaluatorVersion]:
    return run.versions.select_related("evaluator").order_by("pk")


@transaction.atomic
def claim_chunk(*, run: Run, lease: uuid.UUID) -> list[RunItem]:
    """Lease rows that wait; when none does, rows whose lease ran out (their worker died)."""
    open_items = run.items.select_for_update(skip_locked=True).order_by("pk")
    rows = list(open_items.filter(state=RunItem.State.WAITING)[: settings.RUN_CHUNK])
    if not rows:
        rows = list(open_items.filter(_abandoned())[: settings.RUN_CHUNK])
        tried = max((row.attempts for row in rows), default=0)
        rows = [row for row in rows if row.attempts == tried][: RETRY_CHUNK.get(tried, 1)]
    taken = RunItem.objects.filter(
        Q(state=RunItem.State.WAITING) | _abandoned(), pk__in=[row.pk for row in rows]
    )
    taken.update(
        state=RunItem.State.LEASED,
        lease=lease,
        lease_until=Now() + settings.RUN_LEASE,
        attempts=F("attempts") + 1,
    )
    return list(run.items.filter(lease=lease))


def _abandoned() -> Q:
    return Q(state=RunItem.State.LEASED, lease_until__lt=Now())


def _compute(items: Sequence[RunItem], versions: Versions) -> list[Score]:
    attempts = {item.unit_id: item.attempts for item in items}
    scores = []
    for unit, sample in samples(attempts):
        hashed = response_hash(sample.response)
        level = "response" if unit.claim_id is None else "claim"
        for metric, version in versions:
            if level in metric.levels:
                value, failure, reason = _outcome(metric, sample, attempts[unit.pk])
                scores.append(_score(unit, version, hashed, value, failure, reason))
    return scores


def _outcome(metric: Metric, sample: Sample, attempts: int) -> tuple[float | None, str, str]:
    """A finite value, or the name of what went wrong and why."""
    if attempts > MOST_ATTEMPTS:
        return None, "poison", f"its worker died {MOST_ATTEMPTS} times"
    if lacking := missing(metric, sample):
        return None, "not_applicable", f"no {' and no '.join(lacking)}"
    try:
        value = metric.compute(sample)
    except Exception as error:  # noqa: BLE001  a metric's fault is this unit's named outcome, not the run's end
        return None, "error", f"{type(error).__name__}: {error}"
    if not math.isfinite(value):
        return None, "not_finite", f"the metric returned {value}"
    low, high = metric.bounds
    if not low <= value <= high:
        return None, "out_of_range", f"the metric returned {value}; it is declared from {low:g} to {high:g}"
    return float(value), "", ""


def _score(
    unit: Unit, version: EvaluatorVersion, hashed: str, value: float | None, failure: str, reason: str
) -> Score:
    return Score(
        unit_id=unit.pk,
        version_id=version.pk,
        value=value,
        failure=failure,
        reason=reason[:2000],
        response_hash=hashed,
    )


def store_chunk(*, lease: uuid.UUID, scores: Sequence[Score]) -> None:
    """Scores and their rows' done-mark in one transaction; rows that another worker took are left to it."""
    try:
        with transaction.atomic():
            mine = set(RunItem.objects.select_for_update().filter(lease=lease).values_list("unit", flat=True))
            known = _known(mine, scores)
            Score.objects.bulk_create(
                score
                for score in scores
                if score.unit_id in mine and (score.unit_id, score.version_id) not in known
            )
            RunItem.objects.filter(lease=lease).update(state=RunItem.State.DONE, lease=None, lease_until=None)
    except IntegrityError:
        # Another run stored one of these outcomes meanwhile. Nothing of ours is in; the rows go back.
        give_back(lease=lease)


def _known(units: set[int], scores: Sequence[Score]) -> Mapping[tuple[int, int], bool]:
    versions = {score.version_id for score in scores}
    found = Score.objects.filter(unit__in=units, version__in=versions, criterion=None)
    return dict.fromkeys(found.values_list("unit", "version"), True)


def give_back(*, lease: uuid.UUID) -> None:
    RunItem.objects.filter(lease=lease).update(state=RunItem.State.WAITING, lease=None, lease_until=None)
