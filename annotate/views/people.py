"""Who takes part, and as what."""

import secrets

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.access import ADMINISTER, Access, enter
from annotate.actions.people import make_person
from annotate.actions.projects import add_person
from annotate.forms import PersonForm
from annotate.http import Request
from annotate.models import Membership, Person
from annotate.querysets import members_of, person_named

REFUSED = 422
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that is misread: no 0, 1, i, l, o


@never_cache
@require_http_methods(["GET", "POST"])
def people(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug, ADMINISTER)
    form = PersonForm(request.POST or None)
    if request.method != "POST":
        return _page(request, access, form)
    try:
        if form.is_valid() and "make" in request.POST:
            password = new_password()
            made = _make(access, form, password)
            return _page(request, access, PersonForm(), {"made": made, "password": password})
        if form.is_valid():
            return _added(request, access, form)
    except ValueError as error:
        form.add_error("name", str(error))
    return _page(request, access, form, status=REFUSED)


def _make(access: Access, form: PersonForm, password: str) -> Person:
    asked = form.cleaned_data
    return make_person(
        project=access.project, name=asked["name"], password=password, role=asked["role"], by=access.person
    )


def _added(request: Request, access: Access, form: PersonForm) -> HttpResponse:
    name, role = form.cleaned_data["name"], form.cleaned_data["role"]
    person = person_named(name)
    if person is None:
        raise ValueError(f"There is no account named {name!r}. Mind capitals, or make a new account.")
    add_person(project=access.project, person=person, role=role, by=access.person)
    messages.success(request, f"{name} is {role} here now.")
    return redirect("people", access.project.slug)


def new_password() -> str:
    """Four times four letters and digits: 79 bits, easy to read out."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(4))


def _page(
    request: Request,
    access: Access,
    form: PersonForm,
    shown: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    frame = {
        "access": access,
        "members": members_of(access.project),
        "form": form,
        "roles": Membership.Role.choices,
    }
    return render(request, "annotate/people.html", frame | (shown or {}), status=status)
