"""Choose how contested units are settled."""

from django.db import transaction

from annotate.actions.settle import settle_units
from annotate.models import Event, Person, Project, Slot, Unit


@transaction.atomic
def set_settlement(*, project: Project, settlement: str, by: Person | None) -> None:
    """Choose who settles contested units, those that wait now included.

    A third annotator's slot that nobody holds is taken back when an adjudicator takes over.
    """
    if settlement not in Project.Settlement.values:
        raise ValueError(f"No policy {settlement!r}; choose one of {', '.join(Project.Settlement.values)}.")
    old, project.settlement = project.settlement, settlement
    project.save(update_fields=["settlement"])
    if settlement == Project.Settlement.ADJUDICATOR:
        project.slots.filter(purpose=Slot.Purpose.DECIDING, state=Slot.State.OPEN).delete()
    waiting = project.units.filter(state__in=(Unit.State.DECIDING, Unit.State.CONTESTED))
    settle_units(project=project, unit_ids=set(waiting.values_list("pk", flat=True)))
    detail = {"old": old, "new": settlement}
    Event.objects.create(project=project, by=by, verb="set_settlement", detail=detail)
