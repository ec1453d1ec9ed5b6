"""Load files into a project, all or nothing.

Two passes: the first reads and checks every field and touches no row; the second writes in batches
inside one transaction and compares each line with what is stored, so memory does not grow with the
file and a second load of the same file changes nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.db import transaction

from annotate.actions.load.labels import LabelWriter
from annotate.actions.load.material import MaterialWriter
from annotate.actions.load.scores import ScoreWriter
from annotate.actions.load.survey import Survey, survey
from annotate.actions.projects import add_criteria, get_or_create_project
from annotate.actions.schemes import apply_scheme
from annotate.actions.settle import settle_units
from annotate.actions.slots import open_missing_slots
from annotate.importers import Layout, layout_for, read_rows
from annotate.importers.rows import Problem, ResponseRow, Unreadable
from annotate.models import Event, Person, Project

BATCH = 1000
MOST_PROBLEMS = 2000


class LoadRefused(ValueError):
    """Nothing was stored. Holds every problem found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, problems)))


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did: rows made, by kind; responses that were there already; what layouts counted."""

    project: Project
    made: Counter[str]
    n_known: int
    notes: Counter[str]


def load(
    *,
    slug: str,
    paths: Sequence[Path],
    layout: str | None = None,
    scheme: Path | None = None,
    quota: int | None = None,
    by: Person | None = None,
    dry_run: bool = False,
    scores: ScoreWriter | None = None,
) -> Loaded:
    """Load `paths` into the project `slug`, made if it is not there. Raises `LoadRefused`."""
    sources, checked = _check(paths, layout)
    with transaction.atomic():
        project, _ = get_or_create_project(slug=slug, by=by)
        # One load into a project at a time: the second compares with what the first stored.
        Project.objects.select_for_update().only("pk").get(pk=project.pk)
        if scheme is not None:
            apply_scheme(project=project, path=scheme, by=by)
        loaded = _write(project, sources, checked, quota, scores)
        digests = [{"name": path.name, "sha256": _sha256(path)} for path, _ in sources]
        if digests != checked.digests:
            raise LoadRefused(
                [Problem(checked.places[0], "", "the file changed while it was read; load again.")]
            )
        if sum(loaded.made.values()):
            detail = {"files": digests, "layout": layout, "made": dict(loaded.made)}
            Event.objects.create(project=project, by=by, verb="load", detail=detail)
        if dry_run:
            transaction.set_rollback(True)
    return loaded


def _check(paths: Sequence[Path], layout: str | None) -> tuple[list[tuple[Path, Layout]], Survey]:
    try:
        sources = [(path, layout_for(path, layout)) for path in paths]
        checked = survey(sources, MOST_PROBLEMS)
    except Unreadable as error:
        raise LoadRefused([error.problem]) from None
    if checked.problems:
        raise LoadRefused(checked.problems)
    checked.digests = [{"name": path.name, "sha256": _sha256(path)} for path in paths]
    return sources, checked


def _write(
    project: Project,
    sources: list[tuple[Path, Layout]],
    checked: Survey,
    quota: int | None,
    scores: ScoreWriter | None,
) -> Loaded:
    problems: list[Problem] = []
    add_criteria(project=project, rows=checked.criteria(project, problems), problems=problems)
    if problems:
        raise LoadRefused(problems)
    material = MaterialWriter(project, checked, problems)
    labels = LabelWriter(project, problems)
    if scores is not None:
        scores.declare(project, checked.evaluators)
    responses = _responses(sources)
    while rows := list(islice(responses, BATCH)):
        units = material.write(rows)
        labels.write(rows, units, material.new_units)
        if scores is not None:
            scores.write(rows, units, problems)
        if len(problems) >= MOST_PROBLEMS:
            break
    material.finish()
    if problems:
        raise LoadRefused(problems)
    extended = open_missing_slots(project=project, quota=quota)
    settle_units(project=project, unit_ids=labels.touched | extended)
    made = material.made + labels.made + (scores.made if scores is not None else Counter())
    return Loaded(project, made, material.n_known, checked.notes)


def _responses(sources: list[tuple[Path, Layout]]) -> Iterator[ResponseRow]:
    for path, layout in sources:
        for row in read_rows(path, layout, [], Counter()):
            if isinstance(row, ResponseRow):
                yield row


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
