"""Web server and worker as one program, for a laptop."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings

GRACE = 15  # seconds a worker has to finish its chunk
# Measured with ten people submitting at once on SQLite: more threads label no faster, and from three on a
# writer may wait seconds for the lock while others pass it (bench/desk.py).
THREADS = 2


@contextmanager
def worker(say: Callable[[str], None], concurrency: int = 2) -> Iterator[None]:
    """A worker process beside this one; started again if it dies, stopped on the way out."""
    manage = str(settings.BASE_DIR / "manage.py")
    command = [sys.executable, manage, "work", f"--concurrency={concurrency}", f"--beside={os.getpid()}"]
    stopping = threading.Event()
    running: list[subprocess.Popen[bytes]] = []

    def keep_running() -> None:
        while not stopping.is_set():
            # A session of its own: Ctrl-C reaches this process, which then stops the worker in order.
            process = subprocess.Popen(command, start_new_session=True)  # noqa: S603
            running[:] = [process]
            process.wait()
            if not stopping.wait(2):
                say("The worker died; starting another. What it worked on is taken up again.")

    keeper = threading.Thread(target=keep_running, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stopping.set()
        for process in running:
            _stop(process)
        keeper.join(timeout=5)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        process.kill()


def serve_web(host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises OSError when the port is taken."""
    # Imported here: they load the whole site.
    from waitress.server import create_server

    from config.wsgi import application

    server = create_server(application, host=host, port=port, threads=THREADS, ident="")
    signal.signal(signal.SIGTERM, _interrupt)
    say(f"Touchstone is on http://{host}:{port}/  (Ctrl-C stops it)")
    try:
        server.run()
    finally:
        server.close()


def _interrupt(*_: Any) -> None:
    raise SystemExit(0)
