"""The desk: one unit, its questions, and the next."""

from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.access import ANNOTATE, Access, enter, unit_in
from annotate.actions.labels import AlreadySubmitted, SlotTaken, submit_annotation
from annotate.actions.slots import claim_next
from annotate.clock import start_of_today
from annotate.forms import LabelForm, new_key
from annotate.http import Request
from annotate.models import Annotator, Project, Unit
from annotate.querysets import criteria_for, n_asked, progress_of
from annotate.scales import BadValue
from annotate.views.sheet import sheet_of

REFUSED, STALE = 422, 409
COUNT_KEPT = 60  # seconds


class OtherPerson(Exception):
    """The form was opened by somebody else."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"You are signed in as {name} now, but somebody else opened this page; nothing was stored. "
            "Sign in again as the person who began it, or go on with your own next unit."
        )


@never_cache
@require_http_methods(["GET", "POST"])
def desk(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ANNOTATE)
    hand = access.hand()
    if request.method == "POST":
        return _submit(request, access, hand)
    return _next(request, access, hand)


def _next(request: Request, access: Access, hand: Annotator) -> HttpResponse:
    slot = claim_next(annotator=hand)
    if slot is None:
        return _page(request, access, hand, {})
    unit = access.project.units.select_related("response__item", "claim").get(pk=slot.unit_id)
    return _page(request, access, hand, _on_desk(access, hand, unit, LabelForm(criteria_for(unit))))


def _submit(request: Request, access: Access, hand: Annotator) -> HttpResponse:
    unit = unit_in(access, request.POST.get("unit", ""))
    form = LabelForm(criteria_for(unit), request.POST)
    status = REFUSED
    try:
        check_same_person(access, form)
        if form.is_valid():
            _store(unit, hand, form)
            return _next(request, access, hand) if request.htmx else redirect("desk", access.project.slug)
    except BadValue as error:
        form.add_error(None, str(error))
    except (AlreadySubmitted, SlotTaken, OtherPerson) as error:
        form.add_error(None, str(error))
        status = STALE
    shown = _on_desk(access, hand, unit, form) | {"stale": status == STALE}
    return _page(request, access, hand, shown, status)


def check_same_person(access: Access, form: LabelForm) -> None:
    if form.data.get("signed_as") != access.person.get_username():
        raise OtherPerson(access.person.get_username())


def _store(unit: Unit, hand: Annotator, form: LabelForm) -> None:
    submit_annotation(
        unit=unit,
        annotator=hand,
        labels=form.labels(),
        key=form.cleaned_data["key"],
        at=timezone.now(),
        comment=form.cleaned_data["comment"],
        seconds=form.seconds(),
    )


def _on_desk(access: Access, hand: Annotator, unit: Unit, form: LabelForm) -> dict[str, object]:
    return {
        "sheet": sheet_of(unit, hand),
        "questions": form.questions(strict=form.is_bound),
        "errors": form.all_errors(),
        "comment": form.data.get("comment", ""),
        "key": form.data.get("key") or new_key(),
        "signed_as": form.data.get("signed_as") or access.person.get_username(),
    }


def _page(
    request: Request, access: Access, hand: Annotator, shown: dict[str, object], status: int = 200
) -> HttpResponse:
    page = "annotate/desk.html#desk" if request.htmx else "annotate/desk.html"
    frame = {
        "access": access,
        "own": progress_of(hand, start_of_today()),
        "n_units": _n_units(access.project),
        "guideline": access.project.guidelines.last(),
    }
    return render(request, page, frame | shown, status=status)


def _n_units(project: Project) -> int:
    """Counted once a minute: it changes when something is loaded, not when somebody labels."""
    count = cache.get_or_set(f"n-units-{project.pk}", lambda: n_asked(project), COUNT_KEPT)
    return int(count or 0)
