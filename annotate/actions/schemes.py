"""Give a project the criteria and guideline of a ready-made scheme."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotate.actions.projects import add_criteria, add_guideline
from annotate.actions.settle import settle_units
from annotate.actions.slots import open_missing_slots
from annotate.importers.fields import Fields
from annotate.importers.files import load_json
from annotate.importers.interchange import read_criterion
from annotate.importers.rows import CriterionRow, Place, Problem
from annotate.models import Event, Person, Project

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "schemes"


class SchemeRefused(ValueError):
    """The scheme is wrong or does not fit the project; says what and where."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A named set of criteria with guideline text."""

    key: str
    name: str
    source: str
    guideline: str
    criteria: tuple[CriterionRow, ...]


def scheme_paths() -> dict[str, Path]:
    """The ready-made schemes, by key."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.json"))}


def scheme_path(key: str) -> Path:
    """A ready-made scheme by key, or a file of one's own."""
    known = scheme_paths()
    if key in known:
        return known[key]
    if key.endswith(".json") and Path(key).is_file():
        return Path(key)
    raise ValueError(f"No scheme {key!r}; choose one of {', '.join(known)}, or give a .json file.")


def read_scheme(path: Path) -> Scheme:
    """A scheme from its file."""
    return scheme_from(load_json(path), Place(path.name, 0))


def scheme_from(raw: Mapping[str, Any], place: Place) -> Scheme:
    """A scheme from a file's or form's content; raises `SchemeRefused` with everything wrong in it."""
    problems: list[Problem] = []
    fields = Fields(raw if isinstance(raw, dict) else {}, place, problems)
    scheme = Scheme(
        key=fields.key("key"),
        name=fields.text("name", required=True),
        source=fields.text("source"),
        guideline=fields.text("guideline"),
        criteria=fields.each("criteria", read_criterion),
    )
    fields.refuse_unknown()
    if not scheme.criteria:
        fields.wrong("criteria", "is empty; a scheme asks at least one question.")
    if problems:
        raise SchemeRefused("\n".join(map(str, problems)))
    return scheme


@transaction.atomic
def apply_scheme(*, project: Project, path: Path, by: Person | None) -> Scheme:
    """Add a scheme's criteria and guideline to the project and open slots for units it now asks about."""
    scheme = read_scheme(path)
    add_scheme(project=project, scheme=scheme, by=by)
    return scheme


@transaction.atomic
def add_scheme(*, project: Project, scheme: Scheme, by: Person | None) -> None:
    """As `apply_scheme`, for one that is read already."""
    problems: list[Problem] = []
    made = add_criteria(project=project, rows=scheme.criteria, problems=problems, place=Place(scheme.key, 0))
    if problems:
        raise SchemeRefused("\n".join(map(str, problems)))
    guideline = _joined(project, scheme)
    if guideline is not None:
        add_guideline(project=project, text=guideline, by=by)
    if made or guideline is not None:
        Event.objects.create(project=project, by=by, verb="apply_scheme", detail={"scheme": scheme.key})
        settle_units(project=project, unit_ids=open_missing_slots(project=project))


def _joined(project: Project, scheme: Scheme) -> str | None:
    """The guideline with the scheme's part under what is there; None when it is there already."""
    last = project.guidelines.last()
    if not scheme.guideline or (last is not None and scheme.guideline in last.text):
        return None
    return f"{last.text}\n\n{scheme.guideline}" if last else scheme.guideline
