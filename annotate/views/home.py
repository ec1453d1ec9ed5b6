"""My projects, and what waits for me in each."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import ADJUDICATE, ANNOTATE, RESEARCH, Access, roles_in
from annotate.clock import start_of_today
from annotate.querysets import Progress, contested_for, progress_of, projects_of, units_by_state


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a person in a project. Own work does not tell anything of other people's."""

    access: Access
    n_units: int
    own: Progress | None = None
    n_contested: int | None = None
    states: dict[str, int] | None = None


def waiting_in(access: Access) -> Waiting:
    own = n_contested = states = None
    if access.may(ANNOTATE):
        own = progress_of(access.hand(), start_of_today())
    if access.may(ADJUDICATE):
        n_contested = contested_for(access.hand()).count()
    if access.may(RESEARCH):
        states = units_by_state(access.project)
    n_units = sum(states.values()) if states is not None else access.project.units.count()
    return Waiting(access, n_units, own, n_contested, states)


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    person = request.user
    projects = projects_of(person)
    waiting = [waiting_in(Access(person, project, roles_in(person, project))) for project in projects]
    return render(request, "annotate/home.html", {"waiting": waiting})
