"""Every table: the list, the page, the file."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import RESEARCH, enter
from annotate.exporters.tables import ENDINGS, MEDIA_TYPES, WRITERS
from annotate.http import Request
from metrics.assignments import BadRequest
from metrics.querysets import workers_alive
from metrics.tables import BY_KEY, TABLES
from metrics.tables.asked import read_asked
from metrics.tables.kept import Shelf
from metrics.tables.table import TableSpec
from metrics.views import accuracy, agreement, correlation, grid
from metrics.views.figures import BAD, Presenter, figures_page
from metrics.views.words import SIGNS

GRID = Presenter("metrics/_grid.html", grid.show, fields=(("view", ("side by side", "tidy")),))
PRESENTERS = {
    "progress": Presenter("metrics/_grid.html", grid.show, fields=GRID.fields, slices=False),
    "correlation": Presenter(
        "metrics/_boards.html",
        correlation.show,
        defaults=(("grouping", "pooled"),),
        fields=(("statistic", tuple(SIGNS)),),
    ),
    "accuracy": Presenter("metrics/_boards.html", accuracy.show),
}
AGREEMENT = Presenter("metrics/_agreement.html", agreement.show)


@never_cache
@require_safe
def tables(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    shown = {"access": access, "tables": TABLES, "n_workers": workers_alive(timezone.now())}
    return render(request, "metrics/tables.html", shown)


@never_cache
@require_safe
def table(request: Request, slug: str, key: str) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    return figures_page(request, access, _spec(key), PRESENTERS.get(key, GRID), crumb="Tables")


@never_cache
@require_safe
def agreement_page(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    return figures_page(request, access, BY_KEY["agreement"], AGREEMENT, crumb="")


@never_cache
@require_safe
def export(request: Request, slug: str, key: str, form: str) -> HttpResponse:
    access = enter(request.user, slug, RESEARCH)
    spec = _spec(key)
    if form not in WRITERS:
        return _refusal(f"No format {form!r}; choose one of {', '.join(WRITERS)}.")
    try:
        made = Shelf.of(access.project).table(key, read_asked(request.GET, spec))
    except BadRequest as error:
        return _refusal(str(error))
    response = HttpResponse(WRITERS[form](made), content_type=f"{MEDIA_TYPES[form]}; charset=utf-8")
    name = f"{slug}-{key}.{ENDINGS[form]}"
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def _refusal(sentence: str) -> HttpResponse:
    return HttpResponse(sentence, status=BAD, content_type="text/plain; charset=utf-8")


def _spec(key: str) -> TableSpec:
    if key not in BY_KEY:
        raise Http404("No such table.")
    return BY_KEY[key]
