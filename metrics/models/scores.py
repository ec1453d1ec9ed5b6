"""The outcome of one evaluator version on one unit."""

from django.db import models
from django.db.models import Q

from annotate.models import Criterion, Unit
from metrics.models.evaluators import EvaluatorVersion

LARGEST = 1.7976931348623157e308  # the largest finite double: NaN and infinities compare outside it


class Score(models.Model):
    """A finite value, or a named failure; never one turned into the other.

    Without a criterion the score is compared with every criterion. `response_hash` is that of the text
    it was computed on.
    """

    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="scores")
    version = models.ForeignKey(EvaluatorVersion, on_delete=models.PROTECT, related_name="scores")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, null=True, related_name="+")
    value = models.FloatField(null=True)
    label = models.CharField(max_length=200, blank=True)
    failure = models.CharField(max_length=60, blank=True)
    reason = models.TextField(blank=True)
    response_hash = models.CharField(max_length=32)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            # Two constraints, since a database counts two nulls as different.
            models.UniqueConstraint(
                fields=("unit", "version"), condition=Q(criterion=None), name="score_once"
            ),
            models.UniqueConstraint(
                fields=("unit", "version", "criterion"),
                condition=Q(criterion__isnull=False),
                name="score_once_per_criterion",
            ),
            models.CheckConstraint(
                condition=Q(failure="", value__isnull=False) | (~Q(failure="") & Q(value=None)),
                name="score_value_or_failure",
            ),
            models.CheckConstraint(
                condition=Q(value=None) | Q(value__gte=-LARGEST, value__lte=LARGEST), name="score_finite"
            ),
        )
        # A run's progress is counted from this index alone; a unit's own scores are found by `score_once`.
        indexes = (models.Index(fields=("version", "failure", "unit"), name="score_counted"),)

    def __str__(self) -> str:
        return f"{self.version} on unit {self.unit_id}: {self.failure or self.value}"
