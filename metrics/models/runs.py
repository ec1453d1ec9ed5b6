"""A run is its rows: they are the queue, and progress is read from them."""

from django.db import models
from django.db.models import Q

from annotate.models import Person, Project, Unit
from metrics.models.evaluators import EvaluatorVersion


class Run(models.Model):
    """Evaluator versions computed together over a set of units (those of one group share prepared text)."""

    class State(models.TextChoices):
        RUNNING = "running"
        CANCELLED = "cancelled"
        FINISHED = "finished"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    versions = models.ManyToManyField(EvaluatorVersion, related_name="runs")
    where = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State, default=State.RUNNING)
    started_by = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, related_name="+")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(state="running", ended_at=None)
                | (~Q(state="running") & Q(ended_at__isnull=False)),
                name="run_ended_when_not_running",
            ),
        )

    def __str__(self) -> str:
        return f"run {self.pk}"


class RunItem(models.Model):
    """One unit of a run, waiting, leased to a worker, or done."""

    class State(models.TextChoices):
        WAITING = "waiting"
        LEASED = "leased"
        DONE = "done"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="items")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("run", "unit"), name="run_item_once"),
            models.CheckConstraint(
                condition=Q(state="leased", lease__isnull=False, lease_until__isnull=False)
                | (~Q(state="leased") & Q(lease=None, lease_until=None)),
                name="run_item_lease_when_leased",
            ),
        )
        indexes = (models.Index(fields=("run", "state", "id"), name="run_item_in_line"),)

    def __str__(self) -> str:
        return f"{self.run}, unit {self.unit_id}"
