"""`load PROJECT FILE...`: model outputs, and whatever labels and scores they bring."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.actions.load import LoadRefused, load
from annotate.actions.schemes import SchemeRefused, scheme_path, scheme_paths
from annotate.importers import BY_KEY
from metrics.actions.imports import ImportedScores

SHOWN = 20


class Command(BaseCommand):
    help = "Load files into a project (made if it is not there), all or nothing."
    requires_system_checks = ()  # they would load every page of the site first

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="letters, digits, - and _")
        parser.add_argument("files", nargs="+", type=Path, metavar="file")
        parser.add_argument(
            "--layout", metavar="KEY", help=f"one of {', '.join(BY_KEY)} (default: by the ending)"
        )
        parser.add_argument(
            "--scheme",
            metavar="KEY",
            help=f"criteria and guideline: one of {', '.join(scheme_paths())}, or a file",
        )
        parser.add_argument("--quota", type=int, metavar="N", help="independent labels for every unit")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(
        self,
        *_: Any,
        project: str,
        files: list[Path],
        layout: str | None,
        scheme: str | None,
        quota: int | None,
        dry_run: bool,
        **__: Any,
    ) -> None:
        if quota is not None and not 1 <= quota <= 100:
            raise CommandError(f"--quota is {quota}; expected 1 to 100.")
        for path in files:
            if not path.is_file():
                raise CommandError(f"No such file: {path}")
        try:
            loaded = load(
                slug=project,
                paths=files,
                layout=layout,
                quota=quota,
                dry_run=dry_run,
                scheme=scheme_path(scheme) if scheme else None,
                scores=ImportedScores(),
            )
        except LoadRefused as error:
            raise CommandError(refusal(error)) from None
        except (SchemeRefused, ValueError) as error:
            raise CommandError(str(error)) from None
        made = ", ".join(f"{count:,} {kind}" for kind, count in loaded.made.items() if count)
        head = "Would load" if dry_run else "Loaded"
        self.stdout.write(f"{head} into {loaded.project.slug}: {made or 'nothing new'}.")
        if loaded.n_known:
            self.stdout.write(f"{loaded.n_known:,} responses were there already, unchanged.")
        for note, count in sorted(loaded.notes.items()):
            self.stdout.write(f"{count:,} {note}.")


def refusal(error: LoadRefused) -> str:
    lines = [str(problem) for problem in error.problems[:SHOWN]]
    if len(error.problems) > SHOWN:
        lines.append(f"... and {len(error.problems) - SHOWN:,} more.")
    return "\n".join(["Nothing was loaded.", *lines])
