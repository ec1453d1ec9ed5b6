"""Decide a contested unit."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from annotate.actions.settle import settle_units
from annotate.models import Adjudication, Annotator, Decision, Event, Unit
from annotate.querysets import criteria_for
from annotate.scales import check_all


class NotContested(Exception):
    """Nothing is to be decided here: labels are missing, agree, or were decided."""


class OwnUnit(Exception):
    """Who labelled a unit does not decide it."""


@transaction.atomic
def adjudicate(
    *,
    unit: Unit,
    by: Annotator,
    labels: Mapping[str, object],
    key: UUID,
    at: datetime,
    reason_code: str = Adjudication.Reason.OTHER,
    reason: str = "",
) -> Adjudication:
    """Store the decision on every criterion that is unresolved. Labels are not touched.

    Idempotent by `key`. Raises `BadValue`, `NotContested` or `OwnUnit`.
    """
    unit = Unit.objects.select_for_update().get(pk=unit.pk)
    stored = Adjudication.objects.filter(key=key, unit=unit, by=by).first()
    if stored is not None:
        return stored
    if unit.state != Unit.State.CONTESTED:
        raise NotContested("This unit does not wait for a decision; somebody may just have decided it.")
    if unit.annotations.filter(annotator=by).exists():
        raise OwnUnit("You labelled this unit yourself; somebody else has to decide it.")
    criteria = criteria_for(unit)
    agreed = {
        gold.criterion.key: gold.value
        for gold in unit.gold.select_related("criterion").exclude(origin="unresolved")
    }
    checked = check_all(criteria, {**labels, **agreed})
    decided = {key: value for key, value in checked.items() if key not in agreed}
    adjudication = Adjudication.objects.create(
        unit=unit, by=by, key=key, decided_at=at, reason_code=reason_code, reason=reason.strip()
    )
    Decision.objects.bulk_create(
        Decision(adjudication=adjudication, criterion=criterion, value=decided[criterion.key])
        for criterion in criteria
        if criterion.key in decided
    )
    detail = {"adjudication": adjudication.pk, "decided": decided, "reason_code": reason_code}
    Event.objects.create(
        project_id=unit.project_id, by_id=by.person_id, verb="adjudicate", unit=unit, detail=detail
    )
    settle_units(project=unit.project, unit_ids=[unit.pk])
    return adjudication
