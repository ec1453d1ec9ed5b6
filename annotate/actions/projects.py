"""Make a project, its people, its criteria."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from annotate.actions.hands import hand_of
from annotate.importers.rows import CriterionRow, Place, Problem
from annotate.models import Criterion, Event, Guideline, Membership, Person, Project
from annotate.scales import text_of

NO_PLACE = Place("criteria", 0)
NAMES_LABELS = {Membership.Role.ANNOTATOR, Membership.Role.ADJUDICATOR, Membership.Role.ADMIN}


def get_or_create_project(*, slug: str, by: Person | None = None, name: str = "") -> tuple[Project, bool]:
    """The project of this slug; a new one makes its maker an admin."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise ValueError(f"{slug!r} is no project name: use letters, digits, - and _.") from None
    with transaction.atomic():
        project, made = Project.objects.get_or_create(
            slug=slug, defaults={"name": name or slug.replace("-", " ").replace("_", " ").capitalize()}
        )
        if made:
            Event.objects.create(project=project, by=by, verb="create_project", detail={"slug": slug})
            if by is not None:
                add_person(project=project, person=by, role=Membership.Role.ADMIN, by=by)
    return project, made


@transaction.atomic
def add_person(*, project: Project, person: Person, role: str, by: Person | None) -> Membership:
    """Give a person a role; those who label or decide get a hand in the project."""
    membership, made = Membership.objects.get_or_create(project=project, person=person, role=role)
    if role in NAMES_LABELS:
        hand_of(project, person)
    if made:
        detail = {"person": person.pk, "role": role}
        Event.objects.create(project=project, by=by, verb="add_person", detail=detail)
    return membership


def add_criteria(
    *, project: Project, rows: Sequence[CriterionRow], problems: list[Problem], place: Place = NO_PLACE
) -> list[Criterion]:
    """Add the criteria that are new; one that is there already must ask the same."""
    known = {criterion.key: criterion for criterion in project.criteria.all()}
    new = []
    for row in rows:
        if row.key in known:
            if not _same(known[row.key], row):
                problems.append(
                    Problem(
                        place,
                        row.key,
                        "the project has a criterion of this name with another "
                        "scale or other categories; give one of them another key.",
                    )
                )
            continue
        if row.show_if and row.show_if["criterion"] not in known:
            problems.append(
                Problem(
                    place,
                    f"{row.key}.show_if",
                    f"{row.show_if['criterion']!r} is no criterion before this one.",
                )
            )
        known[row.key] = _criterion(project, row, len(known))
        new.append(known[row.key])
    made = Criterion.objects.bulk_create(new)
    project.__dict__.pop("asked", None)  # what this object may have read before
    return made


def _same(criterion: Criterion, row: CriterionRow) -> bool:
    values = {text_of(category["value"]) for category in row.categories}
    positive = {text_of(category["value"]) for category in row.categories if category["positive"]}
    return (criterion.scale, set(criterion.values), criterion.positive) == (row.scale, values, positive)


def _criterion(project: Project, row: CriterionRow, position: int) -> Criterion:
    return Criterion(
        project=project,
        key=row.key,
        name=row.name or row.key,
        question=row.question,
        level=row.level or Criterion.Level.RESPONSE,
        scale=row.scale,
        categories=list(row.categories),
        minimum=row.minimum,
        maximum=row.maximum,
        step=row.step,
        tolerance=row.tolerance,
        show_if=row.show_if,
        position=position,
    )


@transaction.atomic
def add_guideline(*, project: Project, text: str, by: Person | None) -> Guideline:
    """A new version of the guideline, unless the text is the one in force."""
    last = project.guidelines.last()
    if last is not None and last.text == text:
        return last
    guideline = Guideline.objects.create(project=project, version=last.version + 1 if last else 1, text=text)
    detail = {"version": guideline.version}
    Event.objects.create(project=project, by=by, verb="add_guideline", detail=detail)
    return guideline
