"""Where the study stands. An annotator alone sees their own work only."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import ADJUDICATE, ANNOTATE, RESEARCH, Access, enter
from annotate.clock import start_of_today
from annotate.querysets import annotations_per_day, contested_for, members_of, progress_of, units_by_state

N_DAYS = 14


@never_cache
@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    access = enter(request.user, slug)
    today = start_of_today()
    shown: dict[str, object] = {"access": access, "n_units": access.project.units.count()}
    if access.may(ANNOTATE):
        shown["own"] = progress_of(access.hand(), today)
    if access.may(ADJUDICATE):
        shown["n_contested"] = contested_for(access.hand()).count()
    if access.may(RESEARCH):
        since = today - timedelta(days=N_DAYS - 1)
        shown |= _standing(access) | {"days": annotations_per_day(access.project, since), "since": since}
    return render(request, "annotate/project.html", shown)


def _standing(access: Access) -> dict[str, object]:
    """What only those may know who see figures."""
    return {
        "states": units_by_state(access.project),
        "members": members_of(access.project),
        "criteria": access.project.criteria.all(),
        "guideline": access.project.guidelines.last(),
    }
