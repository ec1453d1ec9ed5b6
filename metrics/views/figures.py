"""What all pages of figures share: the form that asks, the page at once, the figures when ready."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django_htmx.http import push_url

from annotate.access import Access
from annotate.exporters.tables import WRITERS
from metrics.querysets import workers_alive
from metrics.tables.asked import Asked, read_asked
from metrics.tables.kept import Shelf
from metrics.tables.table import BadRequest, Option, Table, TableSpec
from metrics.views.words import GROUPINGS, STATISTICS

REFUSED = 422  # swapped in by htmx
BAD = 400
RESAMPLES = ("0", "200", "1000", "5000")
LEVELS = ("0.9", "0.95", "0.99")
FORMATS = {"csv": "CSV", "json": "JSON", "markdown": "Markdown", "latex": "LaTeX"}
WORDS = {
    "statistic": "coefficient",
    "labels": "labels",
    "resamples": "resamples",
    "level": "interval",
    "where": "only",
}
Show = Callable[[Shelf, Table, Asked, Mapping[str, str]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Presenter:
    """How a table is shown: its own part of the page, its own fields and its defaults of options."""

    template: str
    show: Show
    title: str = ""
    defaults: tuple[tuple[str, str], ...] = ()
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    slices: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    word: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A select of the form above the figures."""

    id: str
    name: str
    word: str
    choices: tuple[Choice, ...]


def figures_page(
    request: HttpRequest, access: Access, spec: TableSpec, presenter: Presenter, **shown: Any
) -> HttpResponse:
    """The page at once, with kept figures; the second request (or `figures=now`) computes them."""
    shelf = Shelf.of(access.project)
    query = request.GET
    shown |= {"access": access, "spec": spec, "presenter": presenter}
    shown["n_workers"] = workers_alive(timezone.now())
    wait = not (request.htmx or query.get("figures"))
    try:
        asked = read_asked(query, spec, **dict(presenter.defaults))
        table = shelf.find(spec.key, asked) if wait else shelf.table(spec.key, asked)
    except BadRequest as error:
        shown |= {"wrong": str(error), "fields": fields_of(shelf, spec, presenter, Asked(), query)}
        return _answer(request, shown, REFUSED if request.htmx else BAD)
    own = _own_query(query, presenter)
    shown |= {
        "fields": fields_of(shelf, spec, presenter, asked, query),
        "kept_fields": _hidden(spec, asked),
        "query": "&".join(filter(None, [asked.query, own])),
        "export_query": asked.query,
        "formats": [(key, FORMATS.get(key, key)) for key in _formats()],
        "table": table,
    }
    if table is not None:
        shown |= presenter.show(shelf, table, asked, query.dict())
    return _answer(request, shown)


def _answer(request: HttpRequest, shown: dict[str, Any], status: int = 200) -> HttpResponse:
    template = "metrics/figures.html" + ("#figures" if request.htmx else "")
    response = render(request, template, shown, status=status)
    if request.htmx and request.htmx.trigger == "asked" and "query" in shown:
        return push_url(response, f"{request.path}?{shown['query']}" if shown["query"] else request.path)
    return response


def _formats() -> list[str]:
    return sorted(WRITERS, key=lambda key: ([*FORMATS].index(key) if key in FORMATS else len(FORMATS), key))


def _own_query(query: QueryDict, presenter: Presenter) -> str:
    """What is asked of the page rather than of the table."""
    own = QueryDict(mutable=True)
    for name, values in presenter.fields:
        if query.get(name) in values:
            own[name] = query[name]
    return own.urlencode()


def fields_of(
    shelf: Shelf, spec: TableSpec, presenter: Presenter, asked: Asked, query: QueryDict
) -> list[Field]:
    """The page's own fields, the table's options, then slice and filter."""
    fields = [
        _field(name, [(value, _word(name, value)) for value in values], query.get(name) or values[0])
        for name, values in presenter.fields
    ]
    fields += [_option_field(option, presenter, asked) for option in spec.options if _is_select(option)]
    attributes = shelf.attributes()
    if presenter.slices:
        fields.append(_field("slice", [("", "none"), *((a, a) for a in attributes)], asked.slice_by or ""))
    held = [f"{name}={value}" for name, values in attributes.items() for value in values]
    for chosen in [f"{name}={value}" for name, value in asked.where] or [""]:
        fields.append(_field("where", [("", "all units"), *((text, text) for text in held)], chosen))
    return [_numbered(field, place) for place, field in enumerate(fields)]


def _is_select(option: Option) -> bool:
    return bool(option.choices) or option.name in {"resamples", "level"}


def _option_field(option: Option, presenter: Presenter, asked: Asked) -> Field:
    name, given = option.name, asked.option(option.name)
    if name == "resamples":
        return _field(name, [(n, f"{int(n):,}" if n != "0" else "none") for n in RESAMPLES], given or "1000")
    if name == "level":
        return _field(name, [(text, f"{100 * float(text):g} %") for text in LEVELS], given or "0.95")
    choices = [(value, _word(name, value)) for value in option.choices]
    if name not in dict(presenter.defaults):
        choices.insert(0, ("", "as the scale asks" if name == "labels" else "all"))
    return _field(name, choices, given)


def _field(name: str, choices: Sequence[tuple[str, str]], chosen: str) -> Field:
    known = list(choices)
    if chosen not in dict(known):
        known.append((chosen, chosen))  # given in the address: the form keeps it
    return Field(
        name,
        name,
        WORDS.get(name, name),
        tuple(Choice(value, word, value == chosen) for value, word in known),
    )


def _numbered(field: Field, place: int) -> Field:
    return Field(f"field-{place}", field.name, field.word, field.choices)


def _hidden(spec: TableSpec, asked: Asked) -> list[tuple[str, str]]:
    """Options without a field of their own, kept when the form is sent."""
    shown = {option.name for option in spec.options if _is_select(option)}
    return [(name, value) for name, value in asked.options if name not in shown]


def _word(name: str, value: str) -> str:
    if name == "statistic":
        return STATISTICS.get(value, value)
    return GROUPINGS.get(value, value) if name == "grouping" else value
