"""The whole suite, as `manage.py test` runs it: on SQLite, then what touches rows again on PostgreSQL."""

import os
import subprocess
import sys

from tests.services import IN_CI, POSTGRES, answers

NO_TESTS = 5  # pytest's exit status when nothing was selected


def main(arguments: list[str]) -> int:
    """Arguments go to pytest. Returns an exit status."""
    workers = [] if any(text.startswith("-n") for text in arguments) else ["-n", str(os.cpu_count() or 1)]
    print("Tests on SQLite", flush=True)
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    environment.pop("DATABASE_URL", None)
    status = pytest([*workers, *arguments], environment)
    if status:
        return status
    if not answers(POSTGRES):
        print(f"Tests on PostgreSQL: none answers at {POSTGRES} (TEST_POSTGRES_URL names another).")
        return 1 if IN_CI else 0
    print("Tests that touch rows, on PostgreSQL", flush=True)
    status = pytest([*workers, *arguments, "-m", "rows"], {**environment, "DATABASE_URL": POSTGRES})
    return 0 if status == NO_TESTS and arguments else status


def pytest(arguments: list[str], environment: dict[str, str]) -> int:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], env=environment, check=False
    ).returncode
