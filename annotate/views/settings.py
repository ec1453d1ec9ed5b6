"""How the study is run: who settles, what is asked, by which guideline."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.access import ADMINISTER, Access, enter
from annotate.actions.projects import add_guideline
from annotate.actions.schemes import (
    SchemeRefused,
    add_scheme,
    apply_scheme,
    read_scheme,
    scheme_from,
    scheme_path,
    scheme_paths,
)
from annotate.actions.settlement import set_settlement
from annotate.forms import CriterionForm, GuidelineForm
from annotate.http import Request
from annotate.importers.rows import Place
from annotate.models import Project

REFUSED = 422


@never_cache
@require_safe
def settings(request: Request, slug: str) -> HttpResponse:
    return _page(request, enter(request.user, slug, ADMINISTER))


@require_POST
def settlement(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADMINISTER)
    try:
        set_settlement(
            project=access.project, settlement=request.POST.get("settlement", ""), by=access.person
        )
    except ValueError as error:
        return _page(request, access, errors={"settlement": str(error)})
    return _done(request, access, "Who settles contested units is stored.")


@require_POST
def scheme(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADMINISTER)
    key = request.POST.get("scheme", "")
    if key not in scheme_paths():
        return _page(request, access, errors={"scheme": "Choose a scheme from the list."})
    try:
        made = apply_scheme(project=access.project, path=scheme_path(key), by=access.person)
    except SchemeRefused as error:
        return _page(request, access, errors={"scheme": str(error)})
    return _done(request, access, f"“{made.name}” is asked from now on.")


@require_POST
def criterion(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADMINISTER)
    form = CriterionForm(list(access.project.criteria.all()), request.POST)
    if form.is_valid():
        raw = form.raw()
        whole = {"key": raw["key"], "name": raw["name"], "criteria": [raw]}
        try:
            own = scheme_from(whole, Place("this form", 0))
            add_scheme(project=access.project, scheme=own, by=access.person)
        except SchemeRefused as error:
            form.add_error(None, str(error))
        else:
            return _done(request, access, f"“{raw['name']}” is asked from now on.")
    return _page(request, access, criterion_form=form)


@require_POST
def guideline(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADMINISTER)
    form = GuidelineForm(request.POST)
    if not form.is_valid():
        errors = {"guideline": "The guideline is empty, or longer than 200,000 characters."}
        return _page(request, access, errors=errors, text=form.data.get("text", ""))
    text = form.cleaned_data["text"].replace("\r\n", "\n")
    stored = add_guideline(project=access.project, text=text, by=access.person)
    return _done(request, access, f"Guideline version {stored.version} is in force.")


def _done(request: Request, access: Access, words: str) -> HttpResponse:
    messages.success(request, words)
    return redirect("settings", access.project.slug)


def _page(request: Request, access: Access, **shown: Any) -> HttpResponse:
    project, last = access.project, access.project.guidelines.last()
    criteria = list(project.criteria.all())
    known = {one.key for one in criteria}
    text = last.text if last else ""
    schemes = [read_scheme(path) for path in scheme_paths().values()]
    frame = {
        "access": access,
        "policies": Project.Settlement.choices,
        "criteria": criteria,
        "schemes": [
            one
            for one in schemes
            if one.guideline not in text or not {row.key for row in one.criteria} <= known
        ],
        "criterion_form": CriterionForm(criteria),
        "guideline": last,
        "text": text,
        "errors": {},
    }
    form = shown.get("criterion_form")
    status = REFUSED if shown.get("errors") or (form is not None and form.errors) else 200
    return render(request, "annotate/settings.html", frame | shown, status=status)
