"""`serve`: web and worker, for a laptop."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.processes import serve_web, worker


class Command(BaseCommand):
    help = "Bring the database up to date, then run the site and one worker until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="the address to listen on (default: this machine only)"
        )
        parser.add_argument("--port", type=int, default=8000, metavar="N")

    def handle(self, *_: Any, host: str, port: int, **__: Any) -> None:
        call_command("migrate", verbosity=0)
        serve(self.stdout.write, host, port)


def serve(say: Any, host: str, port: int) -> None:
    """Web and worker until stopped."""
    try:
        with worker(say):
            serve_web(host, port, say)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port."
        ) from None
    except KeyboardInterrupt:
        say("Stopped.")
