"""Where a unit stands and what its gold is: the only place that writes either."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import cast

from django.db.models import Max, OuterRef, Subquery

from annotate.actions.slots import rank_of
from annotate.consensus import UNRESOLVED, Ruled, Verdict, Votes, settle
from annotate.models import Annotation, Criterion, Decision, Gold, Label, Project, Slot, Unit

BATCH = 2000


def settle_units(*, project: Project, unit_ids: Collection[int]) -> None:
    """Bring state and gold of these units in line with their slots, labels and decisions.

    Part of the caller's transaction, which holds the units' locks.
    """
    ids = sorted(unit_ids)
    for start in range(0, len(ids), BATCH):
        _settle(project, ids[start : start + BATCH])


def _settle(project: Project, ids: Sequence[int]) -> None:
    criteria = project.asked
    complete, reopened, has_third = _slots_of(ids)
    votes = _votes(complete)
    verdicts = {unit: settle(cast("Sequence[Ruled]", criteria), votes[unit]) for unit in complete}
    _write_gold(criteria, [*complete, *reopened], verdicts)
    states = {unit: _state(project, verdict, unit in has_third) for unit, verdict in verdicts.items()}
    _open_deciding(project, [unit for unit, state in states.items() if state == Unit.State.DECIDING])
    by_state: dict[str, list[int]] = defaultdict(list)
    for unit in (*complete, *reopened):
        by_state[states.get(unit, Unit.State.OPEN)].append(unit)
    for state, units in by_state.items():
        Unit.objects.filter(pk__in=units).update(state=state)


def _slots_of(ids: Sequence[int]) -> tuple[list[int], list[int], set[int]]:
    """Units with every independent slot done; others that were not open; those with a deciding label."""
    done: dict[int, bool] = {}
    third: set[int] = set()
    was: dict[int, str] = {}
    slots = Slot.objects.filter(unit__in=ids).order_by()
    for unit, before, purpose, state in slots.values_list("unit", "unit__state", "purpose", "state"):
        was[unit] = before
        if purpose == Slot.Purpose.INDEPENDENT:
            done[unit] = done.get(unit, True) and state == Slot.State.DONE
        elif state == Slot.State.DONE:
            third.add(unit)
    complete = [unit for unit in ids if done.get(unit)]
    reopened = [unit for unit in was if not done.get(unit) and was[unit] != Unit.State.OPEN]
    return complete, reopened, third


def _votes(ids: Sequence[int]) -> dict[int, Votes]:
    """The last version of every annotation, and the decision in force."""
    if not ids:
        return {}
    last = Annotation.objects.filter(slot=OuterRef("annotation__slot")).order_by("-version").values("pk")[:1]
    cast_labels: dict[int, dict[tuple[str, int], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    labels = Label.objects.filter(annotation__unit__in=ids, annotation=Subquery(last)).order_by(
        "annotation__slot__number"
    )
    for unit, purpose, slot, key, value in labels.values_list(
        "annotation__unit", "annotation__slot__purpose", "annotation__slot", "criterion__key", "value"
    ):
        cast_labels[unit][purpose, slot][key] = value
    decisions: dict[int, dict[str, str]] = defaultdict(dict)
    in_force = Decision.objects.filter(adjudication__unit__in=ids, adjudication__withdrawn_at=None)
    for unit, key, value in in_force.values_list("adjudication__unit", "criterion__key", "value"):
        decisions[unit][key] = value
    return {
        unit: Votes(
            [
                given
                for (purpose, _), given in cast_labels[unit].items()
                if purpose == Slot.Purpose.INDEPENDENT
            ],
            [given for (purpose, _), given in cast_labels[unit].items() if purpose == Slot.Purpose.DECIDING],
            decisions[unit],
        )
        for unit in ids
    }


def _write_gold(
    criteria: Sequence[Criterion], ids: Sequence[int], verdicts: dict[int, dict[str, Verdict]]
) -> None:
    if not ids:
        return
    by_key = {criterion.key: criterion.pk for criterion in criteria}
    Gold.objects.filter(unit__in=ids).delete()
    Gold.objects.bulk_create(
        Gold(unit_id=unit, criterion_id=by_key[key], value=verdict.value, origin=verdict.origin)
        for unit, settled in verdicts.items()
        for key, verdict in settled.items()
    )


def _state(project: Project, verdicts: dict[str, Verdict], third_is_done: bool) -> Unit.State:
    if UNRESOLVED not in verdicts.values():
        return Unit.State.SETTLED
    if project.settlement == Project.Settlement.THIRD and not third_is_done:
        return Unit.State.DECIDING
    return Unit.State.CONTESTED


def _open_deciding(project: Project, ids: Sequence[int]) -> None:
    """A slot for a third annotator, where a contested unit has none yet."""
    if not ids:
        return
    units = Unit.objects.filter(pk__in=ids).exclude(slots__purpose=Slot.Purpose.DECIDING)
    Slot.objects.bulk_create(
        Slot(
            project=project,
            unit=unit,
            number=unit.last + 1,
            purpose=Slot.Purpose.DECIDING,
            rank=rank_of(unit),
        )
        for unit in units.select_related("claim").annotate(last=Max("slots__number"))
    )
