"""What all pages of figures share: the form that asks, the page at once, the figures when ready."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django_htmx.http import push_url

from annotate.access import Access
from annotate.exporters.tables import WRITERS
from annotate.http import Request
from metrics.assignments import BadRequest
from metrics.querysets import workers_alive
from metrics.tables.asked import Asked, read_asked
from metrics.tables.kept import Shelf
from metrics.tables.table import Option, Table, TableSpec
from metrics.views.words import GROUPINGS, STATISTICS, count

REFUSED = 422  # swapped in by htmx
BAD = 400
RESAMPLES = ("0", "200", "1000", "5000")
LEVELS = ("0.9", "0.95", "0.99")
FORMATS = {"csv": "CSV", "json": "JSON", "markdown": "Markdown", "latex": "LaTeX"}
WORDS = {
    "statistic": "coefficient",
    "labels": "labels",
    "resamples": "resamples",
    "level": "level",
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
    request: Request, access: Access, spec: TableSpec, presenter: Presenter, **shown: Any
) -> HttpResponse:
    """The page at once, with kept figures; the second request (or `figures=now`) computes them."""
    shelf, query = Shelf.of(access.project), request.GET
    shown |= {"access": access, "spec": spec, "presenter": presenter}
    shown["n_workers"] = workers_alive(timezone.now())
    wait = not (request.htmx or query.get("figures"))
    try:
        asked = read_asked(query, spec, **dict(presenter.defaults))
        table = shelf.find(spec.key, asked) if wait else shelf.table(spec.key, asked)
    except BadRequest as error:
        shown |= {"wrong": str(error), "fields": fields_of(shelf, spec, presenter, Asked(), query)}
        return _answer(request, shown, REFUSED if request.htmx else BAD)
    shown |= _form(shelf, spec, presenter, asked, query)
    if table is not None:
        shown |= {"table": table, **presenter.show(shelf, table, asked, query.dict())}
    return _answer(request, shown)


def _form(
    shelf: Shelf, spec: TableSpec, presenter: Presenter, asked: Asked, query: QueryDict
) -> dict[str, Any]:
    """What asks, and the files of what is asked."""
    return {
        "fields": fields_of(shelf, spec, presenter, asked, query),
        "interval_fields": _interval_fields(spec, asked),
        "interval_words": _interval_words(asked),
        "kept_fields": _hidden(spec, asked),
        "query": "&".join(filter(None, [asked.query, _own_query(query, presenter)])),
        "export_query": asked.query,
        "formats": [(key, FORMATS.get(key, key)) for key in _formats()],
    }


def _answer(request: Request, shown: dict[str, Any], status: int = 200) -> HttpResponse:
    template = "metrics/figures.html" + ("#figures" if request.htmx else "")
    response = render(request, template, shown, status=status)
    if request.htmx and request.htmx.trigger == "asked" and "query" in shown:
        return push_url(response, f"{request.path}?{shown['query']}" if shown["query"] else request.path)
    return response


def _formats() -> list[str]:
    return sorted(WRITERS, key=lambda key: ([*FORMATS].index(key) if key in FORMATS else len(FORMATS), key))


def _own_query(query: QueryDict, presenter: Presenter) -> str:
    """What is asked of the page rather than of the table."""
    given = {name: query.get(name, "") for name, _ in presenter.fields}
    return urlencode({name: given[name] for name, values in presenter.fields if given[name] in values})


def fields_of(
    shelf: Shelf, spec: TableSpec, presenter: Presenter, asked: Asked, query: QueryDict
) -> list[Field]:
    """The page's own fields, the table's options, then slice and filter."""
    fields = [
        _field(name, [(value, _word(name, value)) for value in values], query.get(name) or values[0])
        for name, values in presenter.fields
    ]
    fields += [_option_field(option, presenter, asked) for option in spec.options if option.choices]
    attributes = shelf.attributes()
    if presenter.slices:
        fields.append(_field("slice", [("", "none"), *((a, a) for a in attributes)], asked.slice_by or ""))
    held = [f"{name}={value}" for name, values in attributes.items() for value in values]
    for chosen in [f"{name}={value}" for name, value in asked.where] or [""]:
        fields.append(_field("where", [("", "all units"), *((text, text) for text in held)], chosen))
    return _numbered(fields)


def _option_field(option: Option, presenter: Presenter, asked: Asked) -> Field:
    choices = [(value, _word(option.name, value)) for value in option.choices]
    if option.name not in dict(presenter.defaults):
        choices.insert(0, ("", "by scale" if option.name == "labels" else "all"))
    return _field(option.name, choices, asked.option(option.name))


def _interval_fields(spec: TableSpec, asked: Asked) -> list[Field]:
    """How intervals are made, where the table makes any."""
    names = {option.name for option in spec.options}
    fields = [
        _field("resamples", [(n, count(int(n))) for n in RESAMPLES], asked.option("resamples") or "1000"),
        _field("level", [(text, _hundredths(text)) for text in LEVELS], asked.option("level") or "0.95"),
    ]
    return [field for field in fields if field.name in names]


def _interval_words(asked: Asked) -> str:
    if asked.option("resamples") == "0":
        return "none"
    return _hundredths(asked.option("level") or "0.95")


def _hundredths(share: str) -> str:
    return f"{100 * float(share):g} %"


def _field(name: str, choices: Sequence[tuple[str, str]], chosen: str) -> Field:
    known = list(choices)
    if chosen not in dict(known):
        known.append((chosen, chosen))  # given in the address: the form keeps it
    return Field(
        f"field-{name}",
        name,
        WORDS.get(name, name),
        tuple(Choice(value, word, value == chosen) for value, word in known),
    )


def _numbered(fields: Sequence[Field]) -> list[Field]:
    """A filter may come twice: its second select needs an id of its own."""
    return [replace(field, id=f"{field.id}-{place}") for place, field in enumerate(fields)]


def _hidden(spec: TableSpec, asked: Asked) -> list[tuple[str, str]]:
    """Options without a field of their own, kept when the form is sent."""
    shown = {option.name for option in spec.options if option.choices} | {"resamples", "level"}
    return [(name, value) for name, value in asked.options if name not in shown]


def _word(name: str, value: str) -> str:
    if name == "statistic":
        return STATISTICS.get(value, value)
    return GROUPINGS.get(value, value) if name == "grouping" else value
