"""What day it is, at the doors."""

from datetime import datetime

from django.utils import timezone


def start_of_today() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
