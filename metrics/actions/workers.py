"""What workers leave behind for the pages."""

from datetime import datetime, timedelta

from metrics.models import Heartbeat


def beat(*, worker: str, at: datetime) -> None:
    Heartbeat.objects.update_or_create(worker=worker, defaults={"at": at})
    Heartbeat.objects.filter(at__lt=at - timedelta(days=1)).delete()
