"""`work`: a Celery worker with the configured broker."""

import os
import warnings
from argparse import ArgumentParser
from typing import Any

from celery.exceptions import SecurityWarning
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
        if settings.CELERY_BROKER_URL.startswith("filesystem:"):
            # It warns of root and of messages from strangers; nobody else writes into the embedded broker.
            warnings.filterwarnings("ignore", category=SecurityWarning)
        app.worker_main(worker_arguments(concurrency))


def worker_arguments(concurrency: int) -> list[str]:
    # The embedded beat sends the sweep; it keeps no file, and from several workers it is harmless.
    return [
        "--quiet",
        "worker",
        "--beat",
        "--scheduler=celery.beat:Scheduler",
        f"--concurrency={concurrency}",
        "--loglevel=WARNING",
        "--without-gossip",
        "--without-mingle",
        f"--hostname=touchstone-{os.getpid()}@%h",
    ]
