"""Named reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Prefetch, QuerySet, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, TruncDate
from django.db.models.lookups import Exact

from annotate.models import Annotation, Annotator, Criterion, Label, Person, Project, Slot, Unit

SYSTEM = "system"


def criteria_for(unit: Unit) -> list[Criterion]:
    """The criteria that ask about this unit, in their order."""
    level = Criterion.Level.RESPONSE if unit.claim_id is None else Criterion.Level.CLAIM
    return [criterion for criterion in unit.project.asked if criterion.level in (level, Criterion.Level.ANY)]


def contested_for(annotator: Annotator) -> QuerySet[Unit]:
    """Units that wait for a decision and that this adjudicator has not labelled."""
    return Unit.objects.filter(project=annotator.project_id, state=Unit.State.CONTESTED).exclude(
        slots__annotator=annotator
    )


def labelled_by(annotator: Annotator) -> QuerySet[Slot]:
    return Slot.objects.filter(annotator=annotator, state=Slot.State.DONE)


def units_where(project: Project, where: Mapping[str, str]) -> QuerySet[Unit]:
    """Units whose item has these attribute values, or whose system is the one named."""
    units = project.units.all()
    for attribute, value in where.items():
        if attribute == SYSTEM:
            units = units.filter(response__system__key=value)
        else:
            # The attribute is data, so it never becomes part of a lookup's name.
            held = Cast(KeyTextTransform(attribute, "response__item__attributes"), TextField())
            units = units.filter(Exact(held, value))
    return units


def projects_of(person: Person) -> QuerySet[Project]:
    """The projects in which the person holds a role; the operator of the site holds one in all."""
    if person.is_superuser:
        return Project.objects.all()
    return Project.objects.filter(memberships__person=person).distinct()


@dataclass(frozen=True, slots=True)
class Progress:
    """An annotator's own work, and nobody else's: the same whatever others did."""

    n_done: int
    n_today: int
    saved_at: datetime | None


def progress_of(annotator: Annotator, since: datetime) -> Progress:
    """`since` is the start of today; `saved_at` is the last submission of today."""
    today = annotator.annotations.filter(submitted_at__gte=since).aggregate(
        n=Count("pk"), last=Max("submitted_at")
    )
    return Progress(labelled_by(annotator).count(), today["n"], today["last"])


def units_by_state(project: Project) -> dict[str, int]:
    return dict(project.units.order_by("state").values_list("state").annotate(n=Count("pk")))


def annotations_per_day(project: Project, since: datetime) -> dict[date, int]:
    made = Annotation.objects.filter(unit__project=project, submitted_at__gte=since)
    by_day = made.annotate(day=TruncDate("submitted_at")).order_by("day").values_list("day")
    return dict(by_day.annotate(n=Count("pk")))


@dataclass(frozen=True, slots=True)
class Member:
    person: Person
    roles: list[str]
    n_done: int


def members_of(project: Project) -> list[Member]:
    """The people of a project, each with their roles and how many units they have labelled."""
    roles: dict[Person, list[str]] = {}
    for membership in project.memberships.select_related("person").order_by("person__username", "role"):
        roles.setdefault(membership.person, []).append(membership.role)
    done = project.slots.filter(state=Slot.State.DONE).values_list("annotator__person")
    n_done = dict(done.annotate(n=Count("pk")).order_by())
    return [Member(person, held, n_done.get(person.pk, 0)) for person, held in roles.items()]


def last_versions(unit: Unit) -> QuerySet[Annotation]:
    """What was said of a unit: of every slot its last version, with labels and evidence."""
    last = Annotation.objects.filter(slot=OuterRef("slot")).order_by("-version").values("pk")[:1]
    said = unit.annotations.filter(pk=Subquery(last)).order_by("slot__number")
    labels = Label.objects.select_related("criterion").order_by("criterion__position", "criterion")
    return said.prefetch_related(Prefetch("labels", labels), "evidence")


def decided_by(annotator: Annotator, since: datetime) -> dict[str, Any]:
    """How many units this hand decided since then, and when it last did."""
    return annotator.adjudications.filter(decided_at__gte=since).aggregate(
        n=Count("pk"), last=Max("decided_at")
    )


def person_named(name: str) -> Person | None:
    return Person.objects.filter(username=name).first()


def n_asked(project: Project) -> int:
    """How many units some criterion asks about: the same whatever anybody answered."""
    return project.units.exclude(state=Unit.State.UNASKED).count()
