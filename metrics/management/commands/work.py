"""`work`: a Celery worker with the configured broker."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.celery import app


class Command(BaseCommand):
    help = "Run a Celery worker on the configured broker (embedded by default). Any number may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--concurrency",
            type=int,
            default=min(4, os.cpu_count() or 1),
            metavar="N",
            help="processes (default: the machine's, at most 4)",
        )

    def handle(self, *_: Any, concurrency: int, **__: Any) -> None:
        app.worker_main(worker_arguments(concurrency))


def worker_arguments(concurrency: int) -> list[str]:
    # The embedded beat sends the sweep; with several workers it is sent often, which is harmless.
    schedule = settings.HOME / f"beat-{os.getpid()}"
    return [
        "worker",
        "--beat",
        f"--schedule={schedule}",
        f"--concurrency={concurrency}",
        "--loglevel=WARNING",
        "--without-gossip",
        "--without-mingle",
        f"--hostname=touchstone-{os.getpid()}@%h",
    ]
