"""Runs: what can be run here, start it, watch it, stop it."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotate.access import RESEARCH, Access, enter
from annotate.http import Request
from metrics import tasks
from metrics.actions.runs import cancel_run, resume_run, start_runs
from metrics.forms import StartForm
from metrics.models import Run
from metrics.offers import offers
from metrics.querysets import failures_of, progress_of, runs_of, workers_alive
from metrics.tables.kept import Shelf
from metrics.views.bars import course_of
from metrics.views.figures import BAD, REFUSED

PAGE = 20
MOST_REASONS = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def runs(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    if request.method == "POST":
        return _start(request, access)
    return _page(request, access, StartForm(request.GET))


def _start(request: Request, access: Access) -> HttpResponse:
    form = StartForm(request.POST)
    if not form.is_valid():
        return _page(request, access, form, form.sentence())
    try:
        started = start_runs(
            project=access.project,
            keys=form.cleaned_data["key"],
            by=access.person,
            at=timezone.now(),
            where=form.cleaned_data["where"],
        )
    except ValueError as error:
        return _page(request, access, form, str(error))
    for run in started:
        tasks.wake(run)
    if not started:
        messages.success(request, "Nothing to compute: every unit has its outcome already.")
    one = len(started) == 1
    url = reverse("run", args=[access.project.slug, started[0].pk]) if one else request.path
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


def _page(request: Request, access: Access, form: StartForm, wrong: str = "") -> HttpResponse:
    """The catalogue for the chosen units, and the runs so far."""
    form.full_clean()
    chosen, found = set(form.keys()), offers(access.project, form.cleaned_data.get("where"))
    shown: dict[str, Any] = {
        "access": access,
        "offers": found,
        "chosen": chosen,
        "n_scores": sum(
            offer.n_lacking for offer in found if offer.metric.key in chosen and not offer.reason
        ),
        "n_chosen": sum(offer.metric.key in chosen and not offer.reason for offer in found),
        "where": form.data.get("where", ""),
        "choices": _choices(access),
        "wrong": wrong,
        "n_workers": workers_alive(timezone.now()),
    }
    if request.htmx:
        return render(request, "metrics/runs.html#catalogue", shown, status=REFUSED if wrong else 200)
    shown["runs"] = Paginator(runs_of(access.project), PAGE).get_page(request.GET.get("page"))
    return render(request, "metrics/runs.html", shown, status=BAD if wrong else 200)


def _choices(access: Access) -> list[str]:
    attributes = Shelf.of(access.project).attributes()
    return [f"{name}={value}" for name, values in attributes.items() for value in values]


@never_cache
@require_safe
def run(request: Request, slug: str, pk: int) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    return _progress(request, access, _run(access, pk))


@never_cache
@require_POST
def cancel(request: Request, slug: str, pk: int) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    found = _run(access, pk)
    cancel_run(run=found, by=access.person, at=timezone.now())
    return _after(request, access, found)


@never_cache
@require_POST
def resume(request: Request, slug: str, pk: int) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    found = _run(access, pk)
    if resume_run(run=found, by=access.person):
        tasks.wake(found)
    return _after(request, access, found)


def _after(request: Request, access: Access, found: Run) -> HttpResponse:
    if not request.htmx:
        return redirect("run", access.project.slug, found.pk)
    found.refresh_from_db()
    return _progress(request, access, found)


def _progress(request: Request, access: Access, found: Run) -> HttpResponse:
    now = timezone.now()
    course = course_of(progress_of(found), now)
    shown: dict[str, Any] = {
        "access": access,
        "course": course,
        "run": found,
        "n_workers": workers_alive(now),
        # While rows come in, the page is asked for every second: the reasons wait for the end.
        "failures": None if course.is_running else failures_of(found)[:MOST_REASONS],
    }
    return render(request, "metrics/run.html" + ("#progress" if request.htmx else ""), shown)


def _run(access: Access, pk: int) -> Run:
    found = Run.objects.select_related("started_by").filter(project=access.project, pk=pk).first()
    if found is None:
        raise Http404("No such run.")
    return found
