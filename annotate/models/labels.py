"""Labels, decisions on contested units, and the gold that comes of them."""

import uuid

from django.db import models
from django.db.models import F, Q

from annotate.models.material import Passage
from annotate.models.people import Annotator
from annotate.models.project import Criterion, Guideline
from annotate.models.units import Slot, Unit


class Annotation(models.Model):
    """One submission: all labels of one annotator for one unit. Append-only; a correction is a new version.

    `independent` is false for a version made after its author could see another's label.
    """

    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="annotations")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="annotations")
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="annotations")
    version = models.PositiveIntegerField(default=1)
    independent = models.BooleanField(default=True)
    key = models.UUIDField(unique=True, default=uuid.uuid4)
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    comment = models.TextField(blank=True)
    seconds = models.FloatField(null=True)
    submitted_at = models.DateTimeField()

    class Meta:
        ordering = ("unit", "slot", "version")
        constraints = (
            models.UniqueConstraint(fields=("slot", "version"), name="annotation_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="annotation_version_from_one"),
            models.CheckConstraint(
                condition=Q(seconds=None) | Q(seconds__gte=0), name="annotation_seconds_not_negative"
            ),
        )
        indexes = (models.Index(fields=("annotator", "submitted_at"), name="annotation_of_annotator"),)

    def __str__(self) -> str:
        return f"{self.annotator} on {self.unit}, version {self.version}"


class Label(models.Model):
    """One annotator's value for one criterion on one unit."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="labels")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="labels")
    value = models.CharField(max_length=200)

    class Meta:
        ordering = ("annotation", "criterion")
        constraints = (
            models.UniqueConstraint(fields=("annotation", "criterion"), name="label_once_per_criterion"),
        )

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"


class Evidence(models.Model):
    """A marked stretch of a passage: `passage.text[start:end] == quote`, in code points."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="evidence")
    passage = models.ForeignKey(Passage, on_delete=models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        ordering = ("annotation", "passage", "start", "end")
        constraints = (
            models.UniqueConstraint(fields=("annotation", "passage", "start", "end"), name="evidence_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="evidence_offsets_in_order"),
        )

    def __str__(self) -> str:
        return f"{self.passage}[{self.start}:{self.end}]"


class Adjudication(models.Model):
    """The decision on a contested unit; at most one is in force. It never touches a label."""

    class Reason(models.TextChoices):
        OVERSIGHT = "oversight", "One annotator overlooked something"
        GUIDELINE = "guideline", "The guideline is unclear here"
        BORDERLINE = "borderline", "A borderline case"
        MATERIAL = "material", "Question, passage or reference is at fault"
        OTHER = "other", "Another reason"

    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="adjudications")
    by = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="adjudications")
    reason_code = models.CharField(max_length=10, choices=Reason, default=Reason.OTHER)
    reason = models.TextField(blank=True)
    key = models.UUIDField(unique=True, default=uuid.uuid4)
    decided_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("unit", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("unit",), condition=Q(withdrawn_at=None), name="adjudication_one_in_force"
            ),
        )

    def __str__(self) -> str:
        return f"decision on {self.unit}"


class Decision(models.Model):
    """The value an adjudication gives to one criterion."""

    adjudication = models.ForeignKey(Adjudication, on_delete=models.CASCADE, related_name="decisions")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="decisions")
    value = models.CharField(max_length=200)

    class Meta:
        ordering = ("adjudication", "criterion")
        constraints = (
            models.UniqueConstraint(fields=("adjudication", "criterion"), name="decision_once_per_criterion"),
        )

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"


class Gold(models.Model):
    """A complete unit's final value for a criterion and how it came about.

    Kept as rows so that a table is one read; written only by `annotate.actions.settle`, from labels and
    decisions alone.
    """

    class Origin(models.TextChoices):
        SINGLE = "single"
        UNANIMOUS = "unanimous"
        MAJORITY = "majority"
        ADJUDICATED = "adjudicated"
        UNRESOLVED = "unresolved"

    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="gold")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="gold")
    value = models.CharField(max_length=200, blank=True)
    origin = models.CharField(max_length=11, choices=Origin)

    class Meta:
        ordering = ("unit", "criterion")
        constraints = (
            models.UniqueConstraint(fields=("unit", "criterion"), name="gold_once_per_criterion"),
            models.CheckConstraint(
                condition=Q(origin="unresolved", value="") | (~Q(origin="unresolved") & ~Q(value="")),
                name="gold_unresolved_has_no_value",
            ),
        )
        indexes = (models.Index(fields=("criterion", "origin"), name="gold_by_origin"),)

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value or self.origin}"
