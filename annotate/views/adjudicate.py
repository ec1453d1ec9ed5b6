"""Contested units, one at a time: what was said, by whom is not shown, and the decision."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.access import ADJUDICATE, Access, enter, unit_in
from annotate.actions.adjudication import NotContested, OwnUnit, adjudicate
from annotate.clock import start_of_today
from annotate.forms import DecisionForm, name_of, new_key, values_of
from annotate.http import Request
from annotate.models import Adjudication, Annotation, Annotator, Criterion, Gold, Unit
from annotate.querysets import contested_for, criteria_for, decided_by, last_versions
from annotate.scales import BadValue, is_asked
from annotate.views.desk import REFUSED, STALE, OtherPerson, check_same_person
from annotate.views.sheet import marks_from, sheet_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Said:
    """A card's word on one criterion; `field` where taking the card chooses it."""

    key: str
    name: str
    label: str
    value: str
    field: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """A criterion that is settled already."""

    key: str
    name: str
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the queue the unit stands, and its neighbours' public ids."""

    number: int
    total: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Vote:
    """One annotator's labels as a card: no name, no order, no time."""

    letter: str
    said: tuple[Said, ...]
    comment: str
    n_evidence: int


@dataclass(frozen=True, slots=True)
class Case:
    """A contested unit with what is settled about it and what is not."""

    unit: Unit
    open: list[Criterion]
    agreed: dict[str, Gold]
    contested: list[str]

    @property
    def given(self) -> dict[str, str]:
        return {key: gold.value for key, gold in self.agreed.items()}


@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate_page(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADJUDICATE)
    hand = access.hand()
    if request.method == "POST":
        return _decide(request, access, hand)
    return _show(request, access, hand, request.GET.get("unit", ""))


def _show(request: Request, access: Access, hand: Annotator, public_id: str) -> HttpResponse:
    """The unit asked for, if it still waits; else the first."""
    queue = contested_for(hand).select_related("response__item", "claim").order_by("pk")
    unit = queue.filter(public_id=public_id).first() or queue.first()
    if unit is None:
        return _page(request, access, hand, {})
    case = case_of(unit)
    return _page(
        request, access, hand, _on_desk(access, hand, case, DecisionForm(case.open, None, case.given))
    )


def _decide(request: Request, access: Access, hand: Annotator) -> HttpResponse:
    unit = unit_in(access, request.POST.get("unit", ""))
    case = case_of(unit)
    form = DecisionForm(case.open, request.POST, case.given)
    try:
        check_same_person(access, form)
        waits = contested_for(hand).filter(pk=unit.pk).exists()
        if waits and (letter := request.POST.get("take")):
            return _page(request, access, hand, _taken(access, hand, case, letter, request.POST.dict()))
        if form.is_valid():
            _store(unit, hand, form)
            return _onward(request, access, hand, unit)
        check_waits(waits=waits)
    except BadValue as error:
        form.add_error(None, str(error))
    except (NotContested, OwnUnit, OtherPerson) as error:
        # The labels of others are not shown again: they may be none of this person's business now.
        refusal = {"refusal": str(error), "comment": form.data.get("comment", "")}
        return _page(request, access, hand, refusal, STALE)
    return _page(request, access, hand, _on_desk(access, hand, case, form, strict=True), REFUSED)


def check_waits(*, waits: bool) -> None:
    if not waits:
        raise NotContested("This unit does not wait for your decision; somebody may just have decided it.")


def _store(unit: Unit, hand: Annotator, form: DecisionForm) -> None:
    adjudicate(
        unit=unit,
        by=hand,
        labels=form.labels(),
        key=form.cleaned_data["key"],
        at=timezone.now(),
        reason_code=form.cleaned_data["reason_code"],
        reason=form.cleaned_data["comment"],
    )


def _onward(request: Request, access: Access, hand: Annotator, unit: Unit) -> HttpResponse:
    """To the next contested unit in line."""
    following = contested_for(hand).filter(pk__gt=unit.pk).first()
    public_id = following.public_id if following else ""
    if request.htmx:
        return _show(request, access, hand, public_id)
    response = redirect("adjudicate", access.project.slug)
    if public_id:
        response["Location"] += f"?unit={public_id}"
    return response


def case_of(unit: Unit) -> Case:
    """What is open: criteria without gold, but for those that a settled condition keeps closed."""
    gold = {row.criterion.key: row for row in unit.gold.select_related("criterion")}
    agreed = {key: row for key, row in gold.items() if row.origin != Gold.Origin.UNRESOLVED}
    given = {key: row.value for key, row in agreed.items()}
    open_ones = [
        criterion
        for criterion in criteria_for(unit)
        if criterion.key not in agreed
        and (str((criterion.show_if or {}).get("criterion")) not in agreed or is_asked(criterion, given))
    ]
    return Case(unit, open_ones, agreed, [key for key in gold if key not in agreed])


def _on_desk(
    access: Access, hand: Annotator, case: Case, form: DecisionForm, *, strict: bool = False
) -> dict[str, object]:
    cards = cards_of(case.unit)
    evidence = [piece for annotation in cards.values() for piece in annotation.evidence.all()]
    letters = {annotation.pk: letter for letter, annotation in cards.items()}
    return {
        "sheet": sheet_of(case.unit, hand, marks_from(evidence, letters)),
        "votes": [_vote(case, letter, annotation) for letter, annotation in cards.items()],
        "agreed": [_agreed(gold) for gold in case.agreed.values()],
        "contested": [criterion.name for criterion in case.open if criterion.key in case.contested],
        "questions": form.questions(strict=strict),
        "errors": form.all_errors() if strict else (),
        "comment": form.data.get("comment", ""),
        "reason_code": form.data.get("reason_code", ""),
        "reasons": Adjudication.Reason.choices,
        "key": form.data.get("key") or new_key(),
        "signed_as": access.person.get_username(),
        "place": _place(hand, case.unit),
    }


def _taken(
    access: Access, hand: Annotator, case: Case, letter: str, data: Mapping[str, str]
) -> dict[str, object]:
    """The page with a card's labels chosen: what `a` and `b` do where JavaScript is off."""
    card = cards_of(case.unit).get(letter)
    said = _vote(case, letter, card).said if card else ()
    fields = {one.field: one.value for one in said if one.field}
    return _on_desk(access, hand, case, DecisionForm(case.open, {**data, **fields}, case.given))


def cards_of(unit: Unit) -> dict[str, Annotation]:
    """The annotations by letter, in an order of its own for each unit: A is not always the same person."""
    annotations = list(last_versions(unit))
    order = random.Random(unit.public_id)  # noqa: S311  it hides an order, it keeps no secret
    return dict(zip(LETTERS, order.sample(annotations, len(annotations)), strict=False))


def _vote(case: Case, letter: str, annotation: Annotation) -> Vote:
    is_open = {criterion.pk for criterion in case.open}
    said = [
        Said(
            name=label.criterion.name,
            key=label.criterion.key,
            label=label_of(label.criterion, label.value),
            value=label.value,
            field=name_of(label.criterion) if label.criterion_id in is_open else "",
        )
        for label in annotation.labels.all()
    ]
    return Vote(letter, tuple(said), annotation.comment, len(annotation.evidence.all()))


def _agreed(gold: Gold) -> Agreed:
    return Agreed(gold.criterion.key, gold.criterion.name, gold.value, label_of(gold.criterion, gold.value))


def label_of(criterion: Criterion, value: str) -> str:
    """What the button says that gives this value."""
    return next((label for one, label, _ in values_of(criterion) if one == value), value)


def _place(hand: Annotator, unit: Unit) -> Place:
    queue = contested_for(hand)
    before, after = queue.filter(pk__lt=unit.pk), queue.filter(pk__gt=unit.pk)
    ids = [step.public_id if step else "" for step in (before.last(), after.first())]
    return Place(before.count() + 1, queue.count(), *ids)


def _page(
    request: Request, access: Access, hand: Annotator, shown: Mapping[str, object], status: int = 200
) -> HttpResponse:
    page = "annotate/adjudicate.html#desk" if request.htmx else "annotate/adjudicate.html"
    frame = {
        "access": access,
        "decided": decided_by(hand, start_of_today()),
        "guideline": access.project.guidelines.last(),
    }
    return render(request, page, {**frame, **shown}, status=status)
