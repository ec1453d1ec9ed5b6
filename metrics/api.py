"""The researcher's doors for programs: the same actions and tables as the pages, as JSON."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import RESEARCH, Access, enter, roles_in
from annotate.models import Person
from annotate.querysets import projects_of
from metrics import tasks
from metrics.actions.runs import cancel_run, resume_run, start_runs
from metrics.models import Run
from metrics.querysets import progress_of
from metrics.tables import BY_KEY, TABLES
from metrics.tables.asked import read_asked
from metrics.tables.kept import Shelf

MOST_RUNS = 100


class StartSerializer(serializers.Serializer[Any]):
    """`{"evaluators": ["em"], "where": {"dataset": "NQ"}}`"""

    evaluators = serializers.ListField(child=serializers.CharField(max_length=300), allow_empty=False)
    where = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=2000), default=dict
    )

    def validate_where(self, where: dict[str, str]) -> dict[str, str]:
        # The values are checked by their field; names come as they are.
        if any("\x00" in name for name in where):
            raise serializers.ValidationError("A zero byte is no part of a name.")
        return where


def _says_what_is_wrong(view: Callable[..., Response]) -> Callable[..., Response]:
    """A refusal is a 400 with its sentence."""

    @wraps(view)
    def wrapped(request: Request, *args: Any, **kwargs: Any) -> Response:
        try:
            return view(request, *args, **kwargs)
        except ValueError as error:
            return Response({"detail": str(error)}, status=status.HTTP_400_BAD_REQUEST)

    return wrapped


@api_view(["GET"])
def projects(request: Request) -> Response:
    """The projects in which I hold a role."""
    person = request.user
    if not isinstance(person, Person):
        raise NotAuthenticated
    return Response(
        [
            {"slug": project.slug, "name": project.name, "roles": sorted(roles_in(person, project))}
            for project in projects_of(person)
        ]
    )


@api_view(["GET"])
def tables(request: Request, slug: str) -> Response:
    """The tables and their options."""
    enter(request.user, slug, RESEARCH)
    return Response(
        [
            {
                "key": spec.key,
                "name": spec.name,
                "question": spec.question,
                "options": [
                    {
                        "name": option.name,
                        "help": option.help,
                        "default": option.default,
                        "choices": list(option.choices),
                    }
                    for option in spec.options
                ],
            }
            for spec in TABLES
        ]
    )


@api_view(["GET"])
@_says_what_is_wrong
def table(request: Request, slug: str, key: str) -> Response:
    """A table, as its JSON export. `?slice=A&where=A=V&option=N=V`"""
    access = enter(request.user, slug, RESEARCH)
    if key not in BY_KEY:
        raise Http404(f"No table {key!r}; choose one of {', '.join(BY_KEY)}.")
    asked = read_asked(request.query_params, BY_KEY[key])
    return Response(Shelf.of(access.project).table(key, asked).as_dict())


@api_view(["GET", "POST"])
@_says_what_is_wrong
def runs(request: Request, slug: str) -> Response:
    """The last runs; POST starts one for each group of metrics."""
    access = enter(request.user, slug, RESEARCH)
    if request.method == "GET":
        return Response([_as_dict(run) for run in access.project.runs.order_by("-pk")[:MOST_RUNS]])
    asked = StartSerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    started = start_runs(
        project=access.project,
        keys=asked.validated_data["evaluators"],
        by=access.person,
        at=timezone.now(),
        where=asked.validated_data["where"],
    )
    for run in started:
        tasks.wake(run)
    return Response([_as_dict(run) for run in started], status=status.HTTP_201_CREATED)


@api_view(["GET"])
def run(request: Request, slug: str, pk: int) -> Response:
    """A run, counted from its rows."""
    access = enter(request.user, slug, RESEARCH)
    return Response(_progress(_run(access, pk)))


@api_view(["POST"])
def cancel(request: Request, slug: str, pk: int) -> Response:
    access = enter(request.user, slug, RESEARCH)
    found = _run(access, pk)
    cancel_run(run=found, by=access.person, at=timezone.now())
    found.refresh_from_db()
    return Response(_progress(found))


@api_view(["POST"])
def resume(request: Request, slug: str, pk: int) -> Response:
    access = enter(request.user, slug, RESEARCH)
    found = _run(access, pk)
    if resume_run(run=found, by=access.person):
        tasks.wake(found)
    found.refresh_from_db()
    return Response(_progress(found))


def _run(access: Access, pk: int) -> Run:
    found = access.project.runs.filter(pk=pk).first()
    if found is None:
        raise Http404("No such run.")
    return found


def _as_dict(run: Run) -> dict[str, Any]:
    return {
        "run": run.pk,
        "state": run.state,
        "evaluators": [version.evaluator.key for version in run.versions.select_related("evaluator")],
        "where": run.where,
        "started_at": run.started_at.isoformat(),
        "ended_at": run.ended_at.isoformat() if run.ended_at else None,
    }


def _progress(run: Run) -> dict[str, Any]:
    progress = progress_of(run)
    return {
        **_as_dict(run),
        "n_total": progress.n_total,
        "n_done": progress.n_done,
        "outcomes": {
            outcomes.version.evaluator.key: {"scored": outcomes.n_ok, "failed": outcomes.failures}
            for outcomes in progress.evaluators
        },
    }
