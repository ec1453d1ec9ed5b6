"""`work`: a Celery worker with the configured broker."""

import os
import signal
import threading
import warnings
from argparse import ArgumentParser
from time import sleep
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
        parser.add_argument("--beside", type=int, metavar="PID", help="stop when that parent process is gone")

    def handle(self, *_: Any, concurrency: int, beside: int | None, **__: Any) -> None:
        if beside is not None:
            threading.Thread(target=stop_without, args=(beside,), daemon=True).start()
        if settings.CELERY_BROKER_URL.startswith("filesystem:"):
            # It warns of root and of messages from strangers; nobody else writes into the embedded broker.
            warnings.filterwarnings("ignore", category=SecurityWarning)
        app.worker_main(worker_arguments(concurrency))


def stop_without(parent: int) -> None:
    """End this worker in order once its parent, killed without a word, is gone."""
    while os.getppid() == parent:
        sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


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
