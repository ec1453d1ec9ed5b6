"""The second pass, second half: labels and decisions that were made elsewhere."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Max
from django.utils import timezone

from annotate.actions.hands import hands_of
from annotate.actions.slots import rank_of
from annotate.importers.rows import AdjudicationRow, AnnotationRow, Problem, ResponseRow
from annotate.models import (
    Adjudication,
    Annotation,
    Annotator,
    Decision,
    Evidence,
    Label,
    Passage,
    Project,
    Slot,
    Unit,
)
from annotate.scales import BadValue, check

Source = TypeVar("Source", AnnotationRow, AdjudicationRow)
UnitIds = Mapping[tuple[str, str, str, str | None], int]


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Source]):
    """One annotation or decision of a file, with its unit and checked labels."""

    row: ResponseRow
    field: str
    unit: int
    hand: Annotator
    labels: dict[str, str]
    source: Source


class LabelWriter:
    """Writes the annotations and adjudications of a batch; `touched` are units whose gold may change."""

    def __init__(self, project: Project, problems: list[Problem]) -> None:
        self.project, self.problems = project, problems
        self.criteria = {criterion.key: criterion for criterion in project.criteria.all()}
        self.at = timezone.now()
        self.made: Counter[str] = Counter()
        self.touched: set[int] = set()

    def write(self, rows: Sequence[ResponseRow], units: UnitIds, new_units: Set[int]) -> None:
        labels: list[tuple[ResponseRow, str, AnnotationRow]] = []
        thirds: list[tuple[ResponseRow, str, AnnotationRow]] = []
        decisions: list[tuple[ResponseRow, str, AdjudicationRow]] = []
        for row in rows:
            labels += [(row, f"annotations[{n}]", entry) for n, entry in enumerate(row.annotations)]
            for n, entry in enumerate(row.adjudications):
                if entry.third:
                    thirds.append((row, f"adjudications[{n}]", entry.as_annotation()))
                else:
                    decisions.append((row, f"adjudications[{n}]", entry))
        names = {entry.hand for _, _, entry in labels + thirds} | {entry.hand for _, _, entry in decisions}
        hands = hands_of(self.project, names)
        self._annotate(self._entries(labels, units, hands), Slot.Purpose.INDEPENDENT, new_units)
        # A third label's slot is found like any other, after those of the first labels.
        self._annotate(self._entries(thirds, units, hands), Slot.Purpose.DECIDING, frozenset())
        self._adjudicate(self._entries(decisions, units, hands))

    def _entries(
        self, named: Sequence[tuple[ResponseRow, str, Source]], units: UnitIds, hands: Mapping[str, Annotator]
    ) -> list[_Entry[Source]]:
        """Those that hold labels; one without a unit stands on a line that is refused already."""
        entries: list[_Entry[Source]] = []
        for row, field, source in named:
            labels = self._labels(row, field, source)
            unit = units.get(row.unit_key(source.claim))
            if unit is not None and labels:
                entries.append(_Entry(row, field, unit, hands[source.hand], labels, source))
        return entries

    def _labels(
        self, row: ResponseRow, field: str, source: AnnotationRow | AdjudicationRow
    ) -> dict[str, str]:
        labels = {}
        for key, value in source.labels.items():
            criterion = self.criteria[key]
            try:
                labels[key] = check(criterion, value)
            except BadValue as error:
                self._wrong(row, f"{field}.labels", str(error))
            if criterion.level not in {"any", "response" if source.claim is None else "claim"}:
                self._wrong(
                    row, f"{field}.labels", f"{key} is judged of a {criterion.level}; this labels the other."
                )
        return labels

    def _wrong(self, row: ResponseRow, field: str, message: str) -> None:
        self.problems.append(Problem(row.place, field, message))

    # --- annotations ---

    def _annotate(
        self, entries: Sequence[_Entry[AnnotationRow]], purpose: Slot.Purpose, new_units: Set[int]
    ) -> None:
        known = self._known({entry.unit for entry in entries} - new_units)
        fresh = []
        for entry in entries:
            stored = known.get((entry.unit, entry.hand.pk))
            if stored is None:
                fresh.append(entry)
            elif stored != entry.labels:
                self._wrong(
                    entry.row,
                    entry.field,
                    f"{entry.hand.key!r} has labelled this unit already, "
                    "otherwise. Corrections are made at the desk.",
                )
        self._store(fresh, self._slots(fresh, purpose))

    def _known(self, units: Set[int]) -> dict[tuple[int, int], dict[str, str]]:
        known: dict[tuple[int, int], dict[str, str]] = defaultdict(dict)
        labels = Label.objects.filter(annotation__unit__in=units, annotation__version=1)
        for unit, hand, key, value in labels.values_list(
            "annotation__unit", "annotation__annotator", "criterion__key", "value"
        ):
            known[unit, hand][key] = value
        return known

    def _slots(self, entries: Sequence[_Entry[AnnotationRow]], purpose: Slot.Purpose) -> list[Slot]:
        """A slot for each entry: an open one of its unit, else one more."""
        units = {entry.unit for entry in entries}
        last = dict(Slot.objects.filter(unit__in=units).values_list("unit").annotate(Max("number")))
        free: dict[int, list[Slot]] = defaultdict(list)
        for slot in Slot.objects.filter(unit__in=units, state=Slot.State.OPEN, purpose=purpose).order_by(
            "-number"
        ):
            free[slot.unit_id].append(slot)
        ranks = {unit.pk: rank_of(unit) for unit in Unit.objects.filter(pk__in=units).select_related("claim")}
        slots, made, filled = [], [], []
        for entry in entries:
            if free[entry.unit]:
                slot = free[entry.unit].pop()
                filled.append(slot)
            else:
                number = last[entry.unit] = last.get(entry.unit, 0) + 1
                slot = Slot(
                    project_id=self.project.pk,
                    unit_id=entry.unit,
                    number=number,
                    purpose=purpose,
                    rank=ranks[entry.unit],
                )
                made.append(slot)
            slot.annotator_id, slot.state = entry.hand.pk, Slot.State.DONE
            slots.append(slot)
        Slot.objects.bulk_create(made)
        Slot.objects.bulk_update(filled, ["annotator", "state"], batch_size=500)
        return slots

    def _store(self, entries: Sequence[_Entry[AnnotationRow]], slots: Sequence[Slot]) -> None:
        annotations = Annotation.objects.bulk_create(
            Annotation(
                slot_id=slot.pk,
                unit_id=entry.unit,
                annotator_id=entry.hand.pk,
                comment=entry.source.comment,
                seconds=entry.source.seconds,
                submitted_at=entry.source.at or self.at,
                key=uuid.uuid4(),
            )
            for entry, slot in zip(entries, slots, strict=True)
        )
        Label.objects.bulk_create(
            Label(annotation_id=annotation.pk, criterion_id=self.criteria[key].pk, value=value)
            for annotation, entry in zip(annotations, entries, strict=True)
            for key, value in entry.labels.items()
        )
        self._mark_evidence(entries, annotations)
        self.touched |= {entry.unit for entry in entries}
        self.made["annotations"] += len(annotations)

    def _mark_evidence(
        self, entries: Sequence[_Entry[AnnotationRow]], annotations: Sequence[Annotation]
    ) -> None:
        marked = [
            (entry, annotation)
            for entry, annotation in zip(entries, annotations, strict=True)
            if entry.source.evidence
        ]
        if not marked:
            return
        sets = dict(
            Unit.objects.filter(pk__in={entry.unit for entry, _ in marked}).values_list(
                "pk", "response__passage_set"
            )
        )
        passages = {
            (passage.passage_set_id, passage.key): passage
            for passage in Passage.objects.filter(passage_set__in=sets.values())
        }
        evidence = []
        for entry, annotation in marked:
            for number, mark in enumerate(entry.source.evidence):
                passage = passages.get((sets[entry.unit], mark.passage))
                if passage is None or passage.text[mark.start : mark.end] != mark.quote or not mark.quote:
                    self._wrong(
                        entry.row,
                        f"{entry.field}.evidence[{number}]",
                        "does not quote its passage: "
                        "passage text[start:end], counted in code points, must equal the quote.",
                    )
                else:
                    evidence.append(
                        Evidence(
                            annotation=annotation,
                            passage=passage,
                            start=mark.start,
                            end=mark.end,
                            quote=mark.quote,
                        )
                    )
        Evidence.objects.bulk_create(evidence)

    # --- adjudications ---

    def _adjudicate(self, entries: Sequence[_Entry[AdjudicationRow]]) -> None:
        known: dict[int, dict[str, str]] = defaultdict(dict)
        decisions = Decision.objects.filter(
            adjudication__unit__in={entry.unit for entry in entries}, adjudication__withdrawn_at=None
        )
        for unit, key, value in decisions.values_list("adjudication__unit", "criterion__key", "value"):
            known[unit][key] = value
        fresh = []
        for entry in entries:
            if entry.unit not in known:
                fresh.append(entry)
            elif known[entry.unit] != entry.labels:
                self._wrong(entry.row, entry.field, "this unit is adjudicated already, otherwise.")
        made = Adjudication.objects.bulk_create(
            Adjudication(
                unit_id=entry.unit,
                by=entry.hand,
                reason=entry.source.reason,
                decided_at=entry.source.at or self.at,
                key=uuid.uuid4(),
            )
            for entry in fresh
        )
        Decision.objects.bulk_create(
            Decision(adjudication=adjudication, criterion=self.criteria[key], value=value)
            for adjudication, entry in zip(made, fresh, strict=True)
            for key, value in entry.labels.items()
        )
        self.touched |= {entry.unit for entry in fresh}
        self.made["adjudications"] += len(made)
