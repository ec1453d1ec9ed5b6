"""Named reads."""

from collections.abc import Mapping

from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.db.models.lookups import Exact

from annotate.models import Annotator, Criterion, Project, Slot, Unit

SYSTEM = "system"


def criteria_for(unit: Unit) -> list[Criterion]:
    """The criteria that ask about this unit, in their order."""
    level = Criterion.Level.RESPONSE if unit.claim_id is None else Criterion.Level.CLAIM
    return list(
        Criterion.objects.filter(project=unit.project_id, level__in=(level, Criterion.Level.ANY)).order_by(
            "position", "pk"
        )
    )


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
