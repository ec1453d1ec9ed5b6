"""Automatic metrics and judges as a project knows them."""

from django.db import models

from annotate.models import Project


class Evaluator(models.Model):
    """A metric or judge whose scores the project holds."""

    class Kind(models.TextChoices):
        METRIC = "metric"
        JUDGE = "judge"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="evaluators")
    key = models.CharField(max_length=300)
    name = models.CharField(max_length=300)
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.METRIC)
    higher_is_better = models.BooleanField(default=True)

    class Meta:
        ordering = ("project", "key")
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="evaluator_key_once"),)

    def __str__(self) -> str:
        return self.key


class EvaluatorVersion(models.Model):
    """One version: the hash of code revision, parameters and whatever else its scores depend on.

    Scores brought from elsewhere are a version of their own, beside those computed here.
    """

    class Provenance(models.TextChoices):
        COMPUTED = "computed"
        IMPORTED = "imported"

    evaluator = models.ForeignKey(Evaluator, on_delete=models.CASCADE, related_name="versions")
    provenance = models.CharField(max_length=8, choices=Provenance)
    digest = models.CharField(max_length=64)
    recipe = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("evaluator", "digest"), name="evaluator_version_once"),
        )

    def __str__(self) -> str:
        return f"{self.evaluator} {self.digest[:8]}"
