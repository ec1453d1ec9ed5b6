"""Ids in, claim, one action. Rows hold the state: a lost, doubled or late message changes nothing."""

import os
import socket
from time import monotonic
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import transaction
from django.utils import timezone

from metrics.actions.chunks import work_once
from metrics.actions.workers import beat
from metrics.models import Run
from metrics.querysets import runs_awaiting_work

TURN = 5.0  # seconds a task works before it lets others take a turn
WAKES = 4  # messages sent for a run: as many workers can start on it at once


@shared_task(name="metrics.work_on")
def work_on(*, run_id: int, **_: Any) -> None:
    """Score chunks of the run for one turn, then queue up again."""
    run = Run.objects.filter(pk=run_id).first()
    until = monotonic() + TURN
    while run is not None and work_once(run=run, at=timezone.now()):
        if monotonic() > until:
            work_on.delay(run_id=run_id)
            return


@shared_task(name="metrics.sweep")
def sweep(**_: Any) -> None:
    """Wake workers for runs that nobody works on: a message was lost, or a worker died."""
    beat(worker=f"{socket.gethostname()}:{os.getppid()}", at=timezone.now())
    for run in runs_awaiting_work():
        work_on.delay(run_id=run.pk)


@worker_ready.connect
def show_life(**_: Any) -> None:
    """A worker that has just come up shows itself and looks for work at once."""
    sweep.delay()


def wake(run: Run) -> None:
    for _ in range(WAKES):
        transaction.on_commit(lambda: work_on.delay(run_id=run.pk))
