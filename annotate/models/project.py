"""A study, what it asks, and the record of what was done in it."""

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from annotate.scales import text_of


class Project(models.Model):
    """One study: its items, systems, criteria, guidelines, people."""

    class Settlement(models.TextChoices):
        """Who settles a contested unit first."""

        ADJUDICATOR = "adjudicator", "An adjudicator decides, with a reason"
        THIRD = "third", "A third annotator, blind; the majority decides, an adjudicator where there is none"

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    settlement = models.CharField(max_length=12, choices=Settlement, default=Settlement.ADJUDICATOR)
    quota = models.PositiveSmallIntegerField(default=2)
    lease_minutes = models.PositiveSmallIntegerField(default=60)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.CheckConstraint(condition=Q(quota__gte=1), name="project_quota_at_least_one"),
            models.CheckConstraint(condition=Q(lease_minutes__gte=1), name="project_lease_at_least_a_minute"),
        )

    def __str__(self) -> str:
        return self.name

    @cached_property
    def asked(self) -> list["Criterion"]:
        """All criteria in their order, read once for this object; `refresh_from_db` forgets them."""
        return list(self.criteria.order_by("position", "pk"))


class Guideline(models.Model):
    """One version of the text by which annotators judge."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("project", "version")
        constraints = (models.UniqueConstraint(fields=("project", "version"), name="guideline_version_once"),)

    def __str__(self) -> str:
        return f"v{self.version}"


class Criterion(models.Model):
    """What is judged about a unit: a scale with its declared categories.

    `categories` is a list of {"value", "label", "number", "positive", "help"}: `value` is what a label
    holds, `number` what an ordinal category counts as, `positive` whether it counts as 1 in a correlation.
    """

    class Scale(models.TextChoices):
        NOMINAL = "nominal"
        ORDINAL = "ordinal"
        NUMERIC = "numeric"

    class Level(models.TextChoices):
        RESPONSE = "response"
        CLAIM = "claim"
        ANY = "any"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="criteria")
    key = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    question = models.TextField(blank=True)
    level = models.CharField(max_length=8, choices=Level, default=Level.RESPONSE)
    scale = models.CharField(max_length=8, choices=Scale)
    categories = models.JSONField(default=list, blank=True)
    minimum = models.FloatField(null=True, blank=True)
    maximum = models.FloatField(null=True, blank=True)
    step = models.FloatField(null=True, blank=True)
    tolerance = models.FloatField(default=0)
    show_if = models.JSONField(null=True, blank=True)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("project", "position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("project", "key"), name="criterion_key_once"),
            models.CheckConstraint(condition=Q(tolerance__gte=0), name="criterion_tolerance_not_negative"),
            models.CheckConstraint(
                condition=Q(minimum=None) | Q(maximum=None) | Q(minimum__lt=F("maximum")),
                name="criterion_minimum_below_maximum",
            ),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def values(self) -> list[str]:
        """The declared values, as labels hold them."""
        return [text_of(category["value"]) for category in self.categories]

    @property
    def positive(self) -> set[str]:
        return {text_of(category["value"]) for category in self.categories if category.get("positive")}


class Event(models.Model):
    """Who did what, when; written in the transaction of the change itself, never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="events", null=True)
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey("annotate.Person", on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=60)
    unit = models.ForeignKey("annotate.Unit", on_delete=models.SET_NULL, null=True, related_name="+")
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.verb} at {self.at:%Y-%m-%d %H:%M}"
