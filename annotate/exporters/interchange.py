"""A project in the interchange format: loading what comes out gives the same project."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from annotate.models import Adjudication, Annotation, Criterion, Project, Response, Slot

BATCH = 500
# unit id -> its scores as the format has them
ScoresOf = Callable[[Collection[int]], Mapping[int, Sequence[Mapping[str, Any]]]]


def export_lines(
    project: Project, evaluators: Sequence[Mapping[str, Any]], scores_of: ScoresOf
) -> Iterator[str]:
    """The first line, then one for each response in the order in which they came; memory stays flat."""
    criteria = [_criterion(criterion) for criterion in project.criteria.all()]
    yield _line({"touchstone": 1, "criteria": criteria, "evaluators": list(evaluators)})
    responses = (
        Response.objects.filter(item__project=project)
        .select_related("item", "system", "passage_set")
        .prefetch_related("claims", "units", "passage_set__passages")
        .order_by("pk")
    )
    last = 0
    while batch := list(responses.filter(pk__gt=last)[:BATCH]):
        last = batch[-1].pk
        units = {unit.pk: unit.claim_id for response in batch for unit in response.units.all()}
        brought = _brought(units), _decided(units), scores_of(units)
        for response in batch:
            yield _line(_response(response, *brought))


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _criterion(criterion: Criterion) -> dict[str, Any]:
    record: dict[str, Any] = {
        "key": criterion.key,
        "name": criterion.name,
        "question": criterion.question,
        "level": criterion.level,
        "scale": criterion.scale,
    }
    if criterion.categories:
        record["categories"] = criterion.categories
    for name in ("minimum", "maximum", "step", "show_if"):
        if getattr(criterion, name) is not None:
            record[name] = getattr(criterion, name)
    if criterion.tolerance:
        record["tolerance"] = criterion.tolerance
    return record


Entries = Mapping[int, list[dict[str, Any]]]


def _brought(units: Collection[int]) -> tuple[Entries, Entries]:
    """First versions by unit: independent ones, and those of a deciding third annotator."""
    independent: dict[int, list[dict[str, Any]]] = defaultdict(list)
    deciding: dict[int, list[dict[str, Any]]] = defaultdict(list)
    annotations = (
        Annotation.objects.filter(unit__in=units, version=1)
        .select_related("annotator", "slot")
        .prefetch_related("labels__criterion", "evidence__passage")
        .order_by("unit", "slot__number")
    )
    for annotation in annotations:
        labels = {label.criterion.key: label.value for label in annotation.labels.all()}
        at = annotation.submitted_at.isoformat()
        if annotation.slot.purpose == Slot.Purpose.DECIDING:
            deciding[annotation.unit_id].append(
                {
                    "by": annotation.annotator.key,
                    "labels": labels,
                    "reason": annotation.comment,
                    "how": "third annotator",
                    "at": at,
                }
            )
        else:
            independent[annotation.unit_id].append(
                {
                    "annotator": annotation.annotator.key,
                    "labels": labels,
                    "evidence": _evidence(annotation),
                    "comment": annotation.comment,
                    "seconds": annotation.seconds,
                    "at": at,
                }
            )
    return independent, deciding


def _evidence(annotation: Annotation) -> list[dict[str, Any]]:
    return [
        {"passage": mark.passage.key, "start": mark.start, "end": mark.end, "quote": mark.quote}
        for mark in annotation.evidence.all()
    ]


def _decided(units: Collection[int]) -> Entries:
    decided: dict[int, list[dict[str, Any]]] = defaultdict(list)
    in_force = Adjudication.objects.filter(unit__in=units, withdrawn_at=None)
    for adjudication in in_force.select_related("by").prefetch_related("decisions__criterion"):
        decided[adjudication.unit_id].append(
            {
                "by": adjudication.by.key,
                "reason": adjudication.reason,
                "labels": {
                    decision.criterion.key: decision.value for decision in adjudication.decisions.all()
                },
                "at": adjudication.decided_at.isoformat(),
            }
        )
    return decided


def _response(
    response: Response,
    brought: tuple[Entries, Entries],
    decided: Entries,
    scores: Mapping[int, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    item, claims = response.item, {claim.pk: claim for claim in response.claims.all()}
    record: dict[str, Any] = {
        "item": item.key,
        "question": item.question,
        "history": item.history,
        "references": item.references,
        "attributes": item.attributes,
        "passages": _passages(response),
        "system": response.system.key,
        "response": response.text,
        "context": response.context,
        "claims": [
            {
                "id": claim.key,
                "text": claim.text,
                "citations": claim.citations,
                "start": claim.start,
                "end": claim.end,
            }
            for claim in claims.values()
        ],
        "annotations": [],
        "adjudications": [],
        "scores": [],
    }
    for unit in response.units.all():
        about = {"claim": claims[unit.claim_id].key} if unit.claim_id else {}
        independent, deciding = (part.get(unit.pk, []) for part in brought)
        record["annotations"] += [about | entry for entry in independent]
        record["adjudications"] += [about | entry for entry in [*deciding, *decided.get(unit.pk, [])]]
        record["scores"] += [about | dict(entry) for entry in scores.get(unit.pk, [])]
    return record


def _passages(response: Response) -> list[dict[str, Any]]:
    if response.passage_set is None:
        return []
    return [
        {
            "id": p.key,
            "title": p.title,
            "text": p.text,
            "context": p.context,
            "relevant": p.relevant,
            "cite_as": p.cite_as,
        }
        for p in response.passage_set.passages.all()
    ]
