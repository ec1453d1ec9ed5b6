"""Servers that tests talk to: named by the environment, or found on their usual local ports.

In CI a missing one is a failure; elsewhere its tests are skipped with the reason.
"""

import os
import shutil
import socket
from urllib.parse import urlsplit

import pytest

POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/9")
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def answers(url: str) -> bool:
    """Whether something listens where the url points."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=2):
            return True
    except OSError:
        return False


def chromium() -> str | None:
    """The browser for browser tests: $CHROMIUM, else one on the path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def need(there: bool, what: str) -> None:
    """Skip without a service, with the reason; fail in CI."""
    if not there:
        message = f"needs {what}"
        pytest.fail(message) if IN_CI else pytest.skip(message)
