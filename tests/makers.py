"""Rows for tests, made through the program's own doors."""

import json
import uuid
from pathlib import Path

from django.utils import timezone

from annotate.actions.hands import hand_of
from annotate.actions.labels import submit_annotation
from annotate.actions.load import load
from annotate.actions.projects import add_person, get_or_create_project
from annotate.actions.slots import claim_next
from annotate.models import Person, Project
from metrics.actions.imports import ImportedScores

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

CORRECTNESS = {
    "key": "correctness",
    "scale": "nominal",
    "level": "response",
    "categories": ["correct", "incorrect"],
    "positive": ["correct"],
}
RELEVANT = {
    "key": "relevant",
    "scale": "nominal",
    "level": "response",
    "categories": ["yes", "no"],
    "positive": ["yes"],
}
SUPPORT = {
    "key": "support",
    "scale": "nominal",
    "level": "response",
    "categories": ["fully", "partially", "not"],
    "positive": ["fully"],
    "show_if": {"criterion": "relevant", "values": ["yes"]},
}
SIMILARITY = {
    "key": "similarity",
    "scale": "numeric",
    "level": "response",
    "minimum": 0,
    "maximum": 5,
    "step": 0.5,
}
ATTRIBUTION = {
    "key": "attribution",
    "scale": "nominal",
    "level": "claim",
    "categories": ["attributable", "not_attributable"],
    "positive": ["attributable"],
}


def response(item="q1", system="alpha", text="Paris", **fields):
    return {"item": item, "system": system, "response": text, **fields}


def labelled(*values, criterion="correctness", **fields):
    """A response with one annotation for each value, by a1, a2 ..."""
    annotations = [
        {"annotator": f"a{n}", "labels": {criterion: value}} for n, value in enumerate(values, start=1)
    ]
    return response(annotations=annotations, **fields)


def write(path, rows, criteria=(CORRECTNESS,), **header):
    """A file in the interchange format; without criteria, no first line."""
    lines = [{"touchstone": 1, "criteria": list(criteria), **header}] if criteria else []
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [*lines, *rows])
    path.write_text(text, encoding="utf-8")
    return path


def load_rows(folder, rows, slug="study", criteria=(CORRECTNESS,), **options):
    """Load rows into a project through a file, as an admin would."""
    path = write(folder / f"{uuid.uuid4().hex}.jsonl", rows, criteria)
    return load(slug=slug, paths=[path], scores=ImportedScores(), **options).project


def person(name, project, *roles):
    found, _ = Person.objects.get_or_create(username=name)
    for role in roles:
        add_person(project=project, person=found, role=role, by=None)
    return found


def hand(name, project, *roles):
    """An annotator (by default) with a person behind."""
    return hand_of(project, person(name, project, *(roles or ("annotator",))))


def label_next(annotator, **labels):
    """Claim and submit, as the desk does; the annotation, or None when nothing is left."""
    slot = claim_next(annotator=annotator)
    if slot is None:
        return None
    return submit_annotation(
        unit=slot.unit, annotator=annotator, labels=labels, key=uuid.uuid4(), at=timezone.now()
    )


def empty_project(slug="study") -> Project:
    return get_or_create_project(slug=slug)[0]
