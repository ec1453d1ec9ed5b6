"""`export PROJECT`: the whole study as one file that `load` takes back."""

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotate.exporters.interchange import export_lines
from metrics.management.commands.evaluate import project_named
from metrics.models import EvaluatorVersion, Score
from metrics.querysets import current_versions


class Command(BaseCommand):
    help = "Write a project as JSON Lines that `load` takes back: labels, decisions, scores, failures."
    requires_system_checks = ()  # they would load every page of the site first

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--format", choices=["jsonl"], default="jsonl")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of the terminal")

    def handle(self, *_: Any, project: str, out: Path | None, **__: Any) -> None:
        found = project_named(project)
        versions = {version.pk: version for version in current_versions(found)}
        # One transaction, one snapshot: labels that come in meanwhile are in the next export.
        with transaction.atomic():
            lines = export_lines(
                found, _evaluators(versions.values()), lambda units: _scores(units, versions)
            )
            if out is None:
                self.stdout.writelines(lines)
                return
            partial = out.with_name(out.name + ".part")
            try:
                with partial.open("w", encoding="utf-8") as file:
                    file.writelines(lines)
                partial.replace(out)
            except OSError as error:
                raise CommandError(f"Cannot write {out}: {error.strerror}.") from None


def _evaluators(versions: Collection[EvaluatorVersion]) -> list[dict[str, Any]]:
    return [
        {"key": e.key, "kind": e.kind, "name": e.name, "higher_is_better": e.higher_is_better}
        for e in (version.evaluator for version in versions)
    ]


def _scores(units: Collection[int], versions: dict[int, EvaluatorVersion]) -> dict[int, list[dict[str, Any]]]:
    scores: dict[int, list[dict[str, Any]]] = defaultdict(list)
    found = Score.objects.filter(unit__in=units, version__in=versions).order_by(
        "unit", "version__evaluator__key", "criterion"
    )
    for unit, version, criterion, value, label, failure in found.values_list(
        "unit", "version", "criterion__key", "value", "label", "failure"
    ):
        entry = {"evaluator": versions[version].evaluator.key, "value": value}
        optional = {"criterion": criterion, "label": label, "failure": failure}
        scores[unit].append(entry | {name: text for name, text in optional.items() if text})
    return scores
