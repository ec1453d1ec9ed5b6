"""People, their roles in a project, and the hands that label."""

from django.contrib.auth.models import AbstractUser
from django.db import models

from annotate.models.project import Project


class Person(AbstractUser):
    """Somebody who signs in."""


class Membership(models.Model):
    """A role of a person in a project; a person may hold several."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator"
        ADJUDICATOR = "adjudicator"
        RESEARCHER = "researcher"
        ADMIN = "admin"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        ordering = ("project", "person", "role")
        constraints = (
            models.UniqueConstraint(fields=("project", "person", "role"), name="membership_role_once"),
        )

    def __str__(self) -> str:
        return f"{self.person} as {self.role}"


class Annotator(models.Model):
    """A hand that labels or decides in a project; `person` is empty for labels that came from a file.

    `cursor` is the rank of the slot claimed last: the next one is looked for behind it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="annotators")
    key = models.CharField(max_length=200)
    person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="hands")
    cursor = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("project", "key")
        constraints = (
            models.UniqueConstraint(fields=("project", "key"), name="annotator_key_once"),
            models.UniqueConstraint(fields=("project", "person"), name="annotator_person_once"),
        )

    def __str__(self) -> str:
        return self.key
