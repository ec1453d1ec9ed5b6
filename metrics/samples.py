"""Units to what a metric may see of them."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from annotate.models import Passage, Unit
from metrics.evaluators import Sample


def samples(unit_ids: Collection[int]) -> Iterator[tuple[Unit, Sample]]:
    """The unit, and its texts alone: neither the system's name nor any label is read."""
    units = (
        Unit.objects.filter(pk__in=unit_ids)
        .select_related("response__item", "claim")
        .order_by("response__passage_set_id", "response_id", "pk")
    )
    passages = _passages({unit.response.passage_set_id for unit in units})
    for unit in units:
        item = unit.response.item
        yield (
            unit,
            Sample(
                response=unit.response.text if unit.claim is None else unit.claim.text,
                question=item.question,
                history=tuple(item.history),
                references=tuple(item.references),
                passages=passages.get(unit.response.passage_set_id, ()),
            ),
        )


def _passages(sets: Collection[int | None]) -> dict[int | None, tuple[str, ...]]:
    texts: dict[int | None, list[str]] = defaultdict(list)
    found = Passage.objects.filter(passage_set__in=[pk for pk in sets if pk is not None])
    for passage_set, text in found.order_by("passage_set", "position").values_list("passage_set", "text"):
        texts[passage_set].append(text)
    return {passage_set: tuple(list_) for passage_set, list_ in texts.items()}
