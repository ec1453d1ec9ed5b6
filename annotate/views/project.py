"""Where the study stands. An annotator alone sees their own work only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import ADJUDICATE, ADMINISTER, ANNOTATE, RESEARCH, Access, enter
from annotate.clock import start_of_today
from annotate.http import Request
from annotate.querysets import (
    annotations_per_day,
    contested_for,
    members_of,
    n_asked,
    progress_of,
    units_by_state,
)

N_DAYS = 14


@never_cache
@require_safe
def project(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug)
    today = start_of_today()
    shown: dict[str, Any] = {
        "access": access,
        "n_units": access.project.units.count(),
        "n_asked": n_asked(access.project),
    }
    if access.may(ANNOTATE):
        shown["own"] = progress_of(access.hand(), today)
    if access.may(ADJUDICATE):
        shown["n_contested"] = contested_for(access.hand()).count()
    if access.may(RESEARCH):
        since = today - timedelta(days=N_DAYS - 1)
        shown |= _standing(access)
        shown |= {"days": annotations_per_day(access.project, since), "since": since}
        shown["next_step"] = next_step(access, shown)
    return render(request, "annotate/project.html", shown)


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next thing to do in a study, for those who run it."""

    words: str
    url: str = ""
    label: str = ""


def next_step(access: Access, shown: Mapping[str, Any]) -> NextStep | None:
    slug, states = access.project.slug, shown["states"]
    if not access.may(ADMINISTER) or not states:
        return None
    if not shown["criteria"]:
        return NextStep("Nothing is asked yet.", reverse("settings", args=[slug]), "Choose a scheme")
    if not any("annotator" in member.roles for member in shown["members"]):
        return NextStep("Nobody labels yet.", reverse("people", args=[slug]), "Add annotators")
    if not shown["guideline"]:
        return NextStep(
            "Annotators have no guideline yet.", reverse("settings", args=[slug]) + "#guideline", "Write one"
        )
    return None


def _standing(access: Access) -> dict[str, object]:
    """What only those may know who see figures."""
    return {
        "states": units_by_state(access.project),
        "members": members_of(access.project),
        "criteria": access.project.criteria.all(),
        "guideline": access.project.guidelines.last(),
    }
