"""My projects, and what waits for me in each."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import ADJUDICATE, ANNOTATE, RESEARCH, Access, roles_in
from annotate.clock import start_of_today
from annotate.http import Request
from annotate.querysets import Progress, contested_for, n_asked, progress_of, projects_of, units_by_state


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a person in a project. Own work does not tell anything of other people's."""

    access: Access
    n_asked: int
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
    return Waiting(access, n_asked(access.project), own, n_contested, states)


@never_cache
@require_safe
def home(request: Request) -> HttpResponse:
    person = request.user
    projects = projects_of(person)
    waiting = [waiting_in(Access(person, project, roles_in(person, project))) for project in projects]
    return render(request, "annotate/home.html", {"waiting": waiting})
