"""What was asked, what the sources say, and what the systems answered."""

from django.db import models
from django.db.models import F, Q

from annotate.models.project import Project


class Item(models.Model):
    """What was asked: question, history before it, reference answers, attributes used as slices."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=500)
    question = models.TextField(blank=True)
    history = models.JSONField(default=list)
    references = models.JSONField(default=list)
    attributes = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="item_key_once"),)

    def __str__(self) -> str:
        return self.key


class PassageSet(models.Model):
    """The passages that a response was given: responses with the same ones share a set."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="passage_sets")
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("item", "digest"), name="passage_set_once"),)

    def __str__(self) -> str:
        return f"passages of {self.item}"


class Passage(models.Model):
    """A source text; `context` is where it came from (gold, retrieved, irrelevant ...)."""

    passage_set = models.ForeignKey(PassageSet, on_delete=models.CASCADE, related_name="passages")
    key = models.CharField(max_length=500)
    position = models.PositiveIntegerField()
    title = models.TextField(blank=True)
    text = models.TextField()
    context = models.CharField(max_length=200, blank=True)
    relevant = models.BooleanField(null=True)
    cite_as = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("passage_set", "position")
        constraints = (
            models.UniqueConstraint(fields=("passage_set", "key"), name="passage_key_once"),
            models.UniqueConstraint(fields=("passage_set", "position"), name="passage_position_once"),
        )

    def __str__(self) -> str:
        return self.title or self.key


class System(models.Model):
    """A model or pipeline that produced responses."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="systems")
    key = models.CharField(max_length=500)

    class Meta:
        ordering = ("project", "key")
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="system_key_once"),)

    def __str__(self) -> str:
        return self.key


class Response(models.Model):
    """One system's answer to one item, given one context. An empty text is legal: it said nothing."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="responses")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="responses")
    passage_set = models.ForeignKey(PassageSet, on_delete=models.PROTECT, null=True, related_name="responses")
    context = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("item", "system", "context"), name="response_once_per_context"),
        )

    def __str__(self) -> str:
        return f"{self.system} on {self.item}"


class Claim(models.Model):
    """A sentence or atomic fact of a response; offsets count code points of its text."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="claims")
    key = models.CharField(max_length=500)
    position = models.PositiveIntegerField()
    text = models.TextField()
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    citations = models.JSONField(default=list)

    class Meta:
        ordering = ("response", "position")
        constraints = (
            models.UniqueConstraint(fields=("response", "key"), name="claim_key_once"),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__lt=F("end")), name="claim_offsets_in_order"
            ),
        )

    def __str__(self) -> str:
        return self.key
