"""Where does the study stand?"""

from typing import Any

from django.db.models import Count, Q

from annotate.frames import units_frame
from annotate.models import Slot, Unit
from annotate.querysets import units_where
from metrics.tables.table import Built, Request, count_row


def build(request: Request) -> Built:
    """Units by state, slots done, and annotations of each annotator."""
    units = units_where(request.project, request.where)
    n = units.count()
    by_state = dict(units.values_list("state").annotate(n=Count("pk")).order_by())
    rows: list[dict[str, Any]] = [
        count_row(f"n_{state}", by_state.get(state, 0), n=n) for state in Unit.State.values
    ]
    slots = Slot.objects.filter(unit__in=units)
    done = Q(state=Slot.State.DONE)
    total, finished = slots.aggregate(n=Count("pk"), done=Count("pk", filter=done)).values()
    rows.append(count_row("n_slots_done", finished, n=total))
    by_hand = (
        slots.filter(done).values_list("annotator__key").annotate(n=Count("pk")).order_by("annotator__key")
    )
    rows += [count_row("n_annotations", count, n=finished, annotator=hand) for hand, count in by_hand]
    return Built(rows, [], [units_frame(request.project, request.where).drop(columns="response")])
