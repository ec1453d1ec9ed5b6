"""`evaluate PROJECT KEY...`: run metrics over the units of a project."""

from argparse import ArgumentParser
from time import sleep
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotate.models import Project
from metrics import tasks
from metrics.actions.chunks import work_once
from metrics.actions.runs import start_runs
from metrics.assignments import assignments
from metrics.evaluators import METRICS
from metrics.models import Run
from metrics.querysets import progress_of, workers_alive


def project_named(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.values_list("slug", flat=True)) or "none yet: load one"
        raise CommandError(f"No project {slug!r}; there is {known}.")
    return project


class Command(BaseCommand):
    help = "Run metrics over a project's units. Units that have an outcome of the same version cost nothing."
    requires_system_checks = ()  # they would load every page of the site first

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", nargs="?")
        parser.add_argument("keys", nargs="*", metavar="key", help="metrics; `--list` names them")
        parser.add_argument("--list", action="store_true", help="list the metrics and what each needs")
        parser.add_argument(
            "--wait", action="store_true", help="work here and now, beside any worker, until done"
        )
        parser.add_argument(
            "--where",
            action="append",
            default=[],
            metavar="ATTRIBUTE=VALUE",
            help="only units whose item has this value (or system=KEY); may be repeated",
        )

    def handle(
        self,
        *_: Any,
        project: str | None,
        keys: list[str],
        list: bool,
        wait: bool,
        where: list[str],
        **__: Any,
    ) -> None:
        if list:
            return self._list()
        if project is None or not keys:
            raise CommandError("Name a project and at least one metric; `evaluate --list` lists the metrics.")
        try:
            runs = start_runs(
                project=project_named(project),
                keys=keys,
                by=None,
                at=timezone.now(),
                where=assignments(where, "--where"),
            )
        except ValueError as error:
            raise CommandError(str(error)) from None
        if not runs:
            self.stdout.write("Nothing to compute: every unit has its outcome already.")
        for run in runs:
            if wait:
                work_until_done(run)
            else:
                tasks.wake(run)
                if not workers_alive(timezone.now()):
                    self.stdout.write(
                        "Queued, but no worker has shown itself: start one with `manage.py work`."
                    )
            self._report(run)
        return None

    def _list(self) -> None:
        for metric in METRICS:
            needs = ", ".join(sorted(metric.needs)) or "the response alone"
            self.stdout.write(f"{metric.key:16} {metric.name}. Needs {needs}. {metric.source}")

    def _report(self, run: Run) -> None:
        progress = progress_of(run)
        self.stdout.write(f"Run {run.pk}: {progress.n_done:,} of {progress.n_total:,} units done.")
        for outcomes in progress.evaluators if progress.n_done else ():
            failed = "".join(f", {count:,} {name}" for name, count in sorted(outcomes.failures.items()))
            self.stdout.write(f"  {outcomes.version.evaluator.key:16} {outcomes.n_ok:,} scored{failed}")


def work_until_done(run: Run) -> None:
    """Claim chunks like a worker; where others hold the last ones, wait for them or their leases."""
    while True:
        if work_once(run=run, at=timezone.now()):
            continue
        run.refresh_from_db()
        if run.state != Run.State.RUNNING:
            return
        sleep(0.5)
