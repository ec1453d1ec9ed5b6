"""`demo`: the whole way once, on the demonstration study."""

import json
import os
import secrets
from argparse import ArgumentParser
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotate.actions.load import load
from annotate.actions.projects import add_guideline, add_person, get_or_create_project
from annotate.exporters.tables import to_markdown
from annotate.models import Membership, Person, Project
from config.processes import serve_web, worker
from metrics import tasks
from metrics.actions.imports import ImportedScores
from metrics.actions.runs import start_runs
from metrics.evaluators import METRICS
from metrics.models import Run
from metrics.querysets import Progress, progress_of
from metrics.tables import make_table

SLUG = "demo"
FOLDER = Path(settings.BASE_DIR) / "fixtures" / "demo"
PEOPLE = {
    "annotator": (Membership.Role.ANNOTATOR,),
    "annotator2": (Membership.Role.ANNOTATOR,),
    "adjudicator": (Membership.Role.ADJUDICATOR,),
    "researcher": (Membership.Role.RESEARCHER,),
    "admin": (Membership.Role.ADMIN,),
}
TABLES: dict[str, dict[str, str]] = {
    "distribution": {},
    "agreement": {},
    "accuracy": {},
    "correlation": {"grouping": "pooled"},
}
PATIENCE = 300  # seconds for the runs of a study this small


class Command(BaseCommand):
    help = (
        "Set up, load the demonstration study, run the metrics on a worker, print agreement and correlation, "
        "then serve the site with ready-made sign-ins. Running it again changes nothing that is there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--json", type=Path, metavar="FILE", help="write what was done and every table there"
        )
        parser.add_argument("--no-serve", action="store_true", help="stop after the tables")
        parser.add_argument("--port", type=int, default=8000, metavar="N")

    def handle(self, *_: Any, json: Path | None, no_serve: bool, port: int, **__: Any) -> None:
        if json is not None and not json.resolve().parent.is_dir():
            raise CommandError(f"No such folder: {json.resolve().parent}")
        call_command("migrate", verbosity=0)
        project = self._load()
        password = sign_ins(project)
        try:
            with worker(self.stdout.write):
                runs = self._run(project)
                tables = {key: make_table(project, key, options=options) for key, options in TABLES.items()}
                for key in ("agreement", "correlation"):
                    self.stdout.write("\n" + to_markdown(tables[key]))
                if json is not None:
                    write_json(json, project, runs, {key: table.as_dict() for key, table in tables.items()})
                    self.stdout.write(f"Wrote {json}.")
                if not no_serve:
                    self._serve(port, password)
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")

    def _load(self) -> Project:
        project, _ = get_or_create_project(slug=SLUG, name="Demonstration study")
        add_guideline(project=project, text=(FOLDER / "guideline.md").read_text(encoding="utf-8"), by=None)
        loaded = load(slug=SLUG, paths=[FOLDER / "study.jsonl"], scores=ImportedScores())
        made = ", ".join(f"{count:,} {kind}" for kind, count in loaded.made.items() if count)
        self.stdout.write(f"Demonstration study: {made or 'loaded already'}.")
        return project

    def _run(self, project: Project) -> list[Progress]:
        keys = [metric.key for metric in METRICS]
        for run in start_runs(project=project, keys=keys, by=None, at=timezone.now()):
            tasks.wake(run)
        until = monotonic() + PATIENCE
        while project.runs.filter(state=Run.State.RUNNING).exists():
            if monotonic() > until:
                raise CommandError("The worker did not finish the runs; its messages stand above.")
            sleep(0.2)
        progress = [progress_of(run) for run in project.runs.order_by("pk")]
        for done in progress:
            names = ", ".join(outcomes.version.evaluator.key for outcomes in done.evaluators)
            self.stdout.write(f"Metrics on {done.n_done:,} responses by the worker: {names}.")
        return progress

    def _serve(self, port: int, password: str) -> None:
        self.stdout.write("Sign in as " + ", ".join(PEOPLE) + f"; the password of each is  {password}")
        try:
            serve_web("127.0.0.1", port, self.stdout.write)
        except OSError as error:
            raise CommandError(
                f"Cannot listen on port {port}: {error.strerror}. Choose another --port."
            ) from None


def sign_ins(project: Project) -> str:
    """The demonstration people, with one password made for this installation and kept in its folder."""
    path = settings.HOME / "demo_password"
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(9))
    password = path.read_text().strip()
    for name, roles in PEOPLE.items():
        person, made = Person.objects.get_or_create(username=name)
        if made:
            person.set_password(password)
            person.save()
        for role in roles:
            add_person(project=project, person=person, role=role, by=None)
    return password


def write_json(path: Path, project: Project, runs: list[Progress], tables: dict[str, Any]) -> None:
    done = [
        {
            "run": progress.run.pk,
            "state": progress.run.state,
            "units": progress.n_total,
            "evaluators": {
                outcomes.version.evaluator.key: {"scored": outcomes.n_ok, "failed": outcomes.failures}
                for outcomes in progress.evaluators
            },
        }
        for progress in runs
    ]
    counts = {
        "items": project.items.count(),
        "systems": project.systems.count(),
        "units": project.units.count(),
    }
    text = json.dumps(
        {"project": project.slug, **counts, "runs": done, "tables": tables}, indent=2, allow_nan=False
    )
    path.write_text(text + "\n", encoding="utf-8")
