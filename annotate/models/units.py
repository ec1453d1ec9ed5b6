"""The thing judged, and the room for each judgement of it."""

import secrets

from django.db import models
from django.db.models import Q

from annotate.models.material import Claim, Response
from annotate.models.people import Annotator
from annotate.models.project import Project


def public_id() -> str:
    """What a unit is called in URLs: says nothing of item, system or order."""
    return secrets.token_urlsafe(12)


class Unit(models.Model):
    """A response, or one claim of it. Labels and scores both hang on units."""

    class State(models.TextChoices):
        """Where its labels stand; written only by `annotate.actions.settle`."""

        OPEN = "open"  # an independent label is still missing
        DECIDING = "deciding"  # contested; a third annotator's label is awaited
        CONTESTED = "contested"  # waits for an adjudicator
        SETTLED = "settled"  # every criterion has a gold value
        UNASKED = "unasked"  # no criterion asks about it

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="units")
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="units")
    claim = models.OneToOneField(Claim, on_delete=models.CASCADE, null=True, related_name="unit")
    public_id = models.CharField(max_length=20, unique=True, default=public_id)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    inclusion_probability = models.FloatField(default=1.0)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("response",), condition=Q(claim=None), name="unit_once_per_response"
            ),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0, inclusion_probability__lte=1),
                name="unit_inclusion_is_a_probability",
            ),
        )
        indexes = (models.Index(fields=("project", "state"), name="unit_by_state"),)

    def __str__(self) -> str:
        return self.public_id


class Slot(models.Model):
    """Room for one annotation of a unit by one annotator.

    `rank` is the order in which slots are offered: random by response, claims of a response together.
    """

    class Purpose(models.TextChoices):
        INDEPENDENT = "independent"  # counts in agreement
        DECIDING = "deciding"  # a third, blind label on a contested unit: counts in the majority only

    class State(models.TextChoices):
        OPEN = "open"
        LEASED = "leased"
        DONE = "done"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="slots")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="slots")
    number = models.PositiveSmallIntegerField()
    purpose = models.CharField(max_length=11, choices=Purpose, default=Purpose.INDEPENDENT)
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, null=True, related_name="slots")
    lease_until = models.DateTimeField(null=True)
    leased_at = models.DateTimeField(null=True)
    rank = models.BigIntegerField()

    class Meta:
        ordering = ("unit", "number")
        constraints = (
            models.UniqueConstraint(fields=("unit", "number"), name="slot_number_once"),
            models.UniqueConstraint(fields=("unit", "annotator"), name="slot_annotator_once"),
            models.CheckConstraint(
                condition=Q(state="open", annotator=None, lease_until=None)
                | Q(state="leased", annotator__isnull=False, lease_until__isnull=False)
                | Q(state="done", annotator__isnull=False, lease_until=None),
                name="slot_state_tells_its_annotator",
            ),
        )
        indexes = (
            models.Index(fields=("project", "state", "rank", "number"), name="slot_in_line"),
            models.Index(fields=("annotator", "state"), name="slot_of_annotator"),
        )

    def __str__(self) -> str:
        return f"slot {self.number} of {self.unit}"
