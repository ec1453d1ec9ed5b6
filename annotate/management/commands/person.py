"""`person add`: people and their roles."""

import getpass
import os
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from annotate.actions.projects import add_person, get_or_create_project
from annotate.models import Membership, Person


class Command(BaseCommand):
    help = "Add a person, or give one a further role. The password comes from PERSON_PASSWORD, or is asked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="add a person to a project")
        add.add_argument("name", help="the name to sign in with")
        add.add_argument("--project", required=True, help="the project, made if it is not there")
        add.add_argument("--role", required=True, choices=Membership.Role.values)

    def handle(self, *_: Any, name: str, project: str, role: str, **__: Any) -> None:
        person = Person.objects.filter(username=name).first() or self._new(name)
        try:
            found, _made = get_or_create_project(slug=project)
            add_person(project=found, person=person, role=role, by=None)
        except ValueError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{name} is {role} in {found.slug}.")

    def _new(self, name: str) -> Person:
        person = Person(username=name)
        given = os.environ.get("PERSON_PASSWORD")
        password = given or getpass.getpass(f"Password for {name}: ")
        try:
            person.username_validator(name)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        try:
            validate_password(password, person)
        except ValidationError as error:
            # Who sets up by script has decided; who types is asked to do better.
            if not given:
                raise CommandError(" ".join(error.messages)) from None
            self.stderr.write(f"A weak password for {name}: {' '.join(error.messages)}")
        person.set_password(password)
        person.save()
        return person
