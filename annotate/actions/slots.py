"""Room for labels: open slots, claim the next."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotate.assignment import slot_rank
from annotate.models import Annotator, Criterion, Project, Slot, Unit

BATCH = 2000


def rank_of(unit: Unit) -> int:
    position = unit.claim.position if unit.claim is not None else None
    return slot_rank(unit.response_id, position, f"project {unit.project_id}")


# --- opening ---------------------------------------------------------------------------------------


def open_missing_slots(*, project: Project, quota: int | None = None) -> set[int]:
    """Open independent slots: the project's quota where a unit has none, `quota` on every unit if given.

    Units about which no criterion asks get none. Returns the units that got some.
    """
    wanted = quota or project.quota
    asked = project.units.filter(_asked(project))
    project.units.exclude(_asked(project)).filter(slots=None).update(state=Unit.State.UNASKED)
    lacking = asked.annotate(n=Count("slots", filter=Q(slots__purpose=Slot.Purpose.INDEPENDENT)))
    lacking = lacking.filter(n__lt=wanted) if quota else lacking.filter(n=0)
    opened: set[int] = set()
    for units in _in_batches(lacking.select_related("claim").order_by("pk")):
        Slot.objects.bulk_create(
            Slot(project_id=project.pk, unit_id=unit.pk, number=number, rank=rank_of(unit))
            for unit in units
            for number in _free_numbers(unit, wanted - unit.n)  # type: ignore[attr-defined]
        )
        opened |= {unit.pk for unit in units}
    for start in range(0, len(ids := sorted(opened)), BATCH):
        Unit.objects.filter(pk__in=ids[start : start + BATCH]).update(state=Unit.State.OPEN)
    return opened


def _asked(project: Project) -> Q:
    """Units that some criterion asks about; before a project has criteria, its responses."""
    levels = set(project.criteria.values_list("level", flat=True))
    response = not levels or bool(levels & {Criterion.Level.RESPONSE, Criterion.Level.ANY})
    claim = bool(levels & {Criterion.Level.CLAIM, Criterion.Level.ANY})
    none = Q(pk__in=[])
    return (Q(claim=None) if response else none) | (Q(claim__isnull=False) if claim else none)


def _in_batches(units: QuerySet[Unit]) -> Iterator[list[Unit]]:
    last = 0
    while batch := list(units.filter(pk__gt=last)[:BATCH]):
        yield batch
        last = batch[-1].pk


def _free_numbers(unit: Unit, count: int) -> range:
    last = max(unit.slots.values_list("number", flat=True), default=0) if unit.n else 0  # type: ignore[attr-defined]
    return range(last + 1, last + 1 + count)


# --- claiming --------------------------------------------------------------------------------------


@transaction.atomic
def claim_next(*, annotator: Annotator) -> Slot | None:
    """The slot this annotator works on: the one they hold, else the next free one; None when all is done.

    The annotator's row is locked first, so two tabs of one person get the same slot. Another person
    cannot take it: the update below holds only while the slot is free.
    """
    cursor = Annotator.objects.select_for_update().values_list("cursor", flat=True).get(pk=annotator.pk)
    held = _held(annotator)
    if held is not None:
        return held
    while (candidate := _candidate(annotator, cursor)) is not None:
        if _take(candidate, annotator):
            Annotator.objects.filter(pk=annotator.pk).update(cursor=candidate.rank)
            return candidate
    return None


def _held(annotator: Annotator) -> Slot | None:
    """A lease that still runs, or ran out without anybody taking the slot."""
    return (
        Slot.objects.filter(annotator=annotator, state=Slot.State.LEASED).order_by("leased_at", "pk").first()
    )


def _expired() -> Q:
    # Database time: the clocks of web servers may differ.
    return Q(state=Slot.State.LEASED, lease_until__lt=Now())


def _free() -> Q:
    return Q(state=Slot.State.OPEN) | _expired()


def _candidate(annotator: Annotator, cursor: int) -> Slot | None:
    """The next open slot behind the annotator's cursor, going round; else one whose lease ran out.

    Three queries rather than one with OR: each walks the index `slot_in_line` and stops at its first row.
    """
    mine = Slot.objects.filter(unit=OuterRef("unit"), annotator=annotator)
    slots = Slot.objects.filter(~Exists(mine), project=annotator.project_id).order_by("rank", "number")
    # Other people's claims in flight are stepped over, not waited for (PostgreSQL; SQLite has one writer).
    slots = slots.select_for_update(skip_locked=True, of=("self",))
    ahead = slots.filter(state=Slot.State.OPEN, rank__gte=cursor)
    behind = slots.filter(state=Slot.State.OPEN, rank__lt=cursor)
    return ahead.first() or behind.first() or slots.filter(_expired()).first()


def _take(slot: Slot, annotator: Annotator) -> bool:
    lease = Now() + timedelta(minutes=annotator.project.lease_minutes)
    taken = Slot.objects.filter(_free(), pk=slot.pk).update(
        state=Slot.State.LEASED, annotator=annotator, lease_until=lease, leased_at=Now()
    )
    return taken == 1


def retake(*, unit: Unit, annotator: Annotator) -> Slot | None:
    """For a late submit: any slot of the unit that is still free, taken for the annotator."""
    # "open" before "leased": room that nobody had first.
    for slot in (
        Slot.objects.filter(_free(), unit=unit)
        .select_for_update(skip_locked=True)
        .order_by("-state", "number")
    ):
        if _take(slot, annotator):
            return Slot.objects.get(pk=slot.pk)
    return None
