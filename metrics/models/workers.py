"""Signs of life."""

from django.db import models


class Heartbeat(models.Model):
    """When a worker last swept the queue; pages say from it whether anybody works."""

    worker = models.CharField(max_length=200, unique=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("worker",)

    def __str__(self) -> str:
        return self.worker
