"""Make accounts."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from annotate.actions.projects import add_person
from annotate.models import Person, Project


@transaction.atomic
def make_person(*, project: Project, name: str, password: str, role: str, by: Person | None) -> Person:
    """A new account with a role in the project. Raises `ValueError` in words if the name will not do."""
    if Person.objects.filter(username__iexact=name).exists():
        raise ValueError(f"There is an account named {name!r} already; add it as an existing one.")
    person = Person(username=name)
    try:
        person.username_validator(name)
        validate_password(password, person)
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from None
    person.set_password(password)
    person.save()
    add_person(project=project, person=person, role=role, by=by)
    return person
