"""Store one annotator's judgement of one unit, once."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from annotate.actions.settle import settle_units
from annotate.actions.slots import retake
from annotate.models import Annotation, Annotator, Criterion, Event, Label, Slot, Unit
from annotate.querysets import criteria_for
from annotate.scales import check_all


class AlreadySubmitted(Exception):
    """The annotator has labelled this unit."""


class SlotTaken(Exception):
    """The lease ran out and the room on this unit went to others."""


@transaction.atomic
def submit_annotation(
    *,
    unit: Unit,
    annotator: Annotator,
    labels: Mapping[str, object],
    key: UUID,
    at: datetime,
    comment: str = "",
    seconds: float | None = None,
) -> Annotation:
    """Store the labels and settle the unit if they were the last that it waited for.

    Repeating a call with the same `key` changes nothing and returns what the first one stored.
    Raises `BadValue`, `AlreadySubmitted` or `SlotTaken`.
    """
    # Locked first: of two last labels at once, the second sees the first and settles the unit.
    Unit.objects.select_for_update().only("pk").get(pk=unit.pk)
    stored = Annotation.objects.filter(key=key, unit=unit, annotator=annotator).first()
    if stored is not None:
        return stored
    criteria = criteria_for(unit)
    checked = check_all(criteria, labels)
    slot = _own_slot(unit, annotator)
    guideline = unit.project.guidelines.last()
    annotation = Annotation.objects.create(
        slot=slot,
        unit=unit,
        annotator=annotator,
        key=key,
        guideline=guideline,
        comment=comment.strip(),
        seconds=seconds,
        submitted_at=at,
    )
    _store_labels(annotation, criteria, checked)
    Slot.objects.filter(pk=slot.pk).update(state=Slot.State.DONE, lease_until=None)
    detail = {"slot": slot.pk, "annotation": annotation.pk, "labels": checked}
    Event.objects.create(
        project_id=unit.project_id,
        by_id=annotator.person_id,
        verb="submit_annotation",
        unit=unit,
        detail=detail,
    )
    settle_units(project=unit.project, unit_ids=[unit.pk])
    return annotation


def _own_slot(unit: Unit, annotator: Annotator) -> Slot:
    """The slot held, also after its lease if nobody took it; else one that is free."""
    slot = Slot.objects.select_for_update().filter(unit=unit, annotator=annotator).first()
    if slot is None:
        slot = retake(unit=unit, annotator=annotator)
    if slot is None:
        raise SlotTaken(
            "The time for this unit ran out and its place was given on; your answer is not needed. "
            "Go on with the next unit."
        )
    if slot.state == Slot.State.DONE:
        raise AlreadySubmitted("You have labelled this unit already; what is stored stays as it was.")
    return slot


def _store_labels(annotation: Annotation, criteria: list[Criterion], checked: Mapping[str, str]) -> None:
    Label.objects.bulk_create(
        Label(annotation=annotation, criterion=criterion, value=checked[criterion.key])
        for criterion in criteria
        if criterion.key in checked
    )
