"""Real workers, killed at random moments: every unit ends with one outcome, as if nothing happened."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.makers import response, write
from tests.services import REDIS, answers, need

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
N_UNITS = 3000
KILLS = 3
PATIENCE = 90


@pytest.fixture(params=["embedded", "redis"])
def installation(request, tmp_path):
    """An installation of its own: SQLite in a folder, the embedded broker or Redis, short leases."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "CELERY_BROKER_URL"}
    }
    if request.param == "redis":
        need(answers(REDIS), f"Redis at {REDIS} (TEST_REDIS_URL names another)")
        environment["CELERY_BROKER_URL"] = REDIS
    environment |= {
        "DJANGO_SETTINGS_MODULE": "config.settings.base",
        "TOUCHSTONE_HOME": str(tmp_path / "home"),
        "RUN_CHUNK": "50",
        "RUN_LEASE_SECONDS": "2",
    }
    return Installation(tmp_path, environment)


class Installation:
    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def manage(self, *arguments):
        done = subprocess.run(
            [sys.executable, MANAGE, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, query):
        with sqlite3.connect(self.folder / "home" / "touchstone.sqlite3", timeout=20) as connection:
            return connection.execute(query).fetchall()

    @contextmanager
    def worker(self):
        process = subprocess.Popen(
            [sys.executable, MANAGE, "work", "--concurrency=2"],
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            # The whole group dies at once, as in a power cut.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def n_done(self):
        return self.rows("select count(*) from metrics_runitem where state = 'done'")[0][0]

    def wait_for(self, condition):
        until = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < until, f"{self.n_done()} of {N_UNITS} done"
            sleep(0.05)


SCORES = """
    select u.response_id, e.key, s.value, s.failure from metrics_score s
    join metrics_evaluatorversion v on v.id = s.version_id join metrics_evaluator e on e.id = v.evaluator_id
    join annotate_unit u on u.id = s.unit_id order by 1, 2
"""


def test_killed_workers_leave_one_outcome_for_every_unit(installation):
    rng = random.Random(20260105)
    rows = [
        response(
            item=f"q{n}", text=f"The answer to {n} is {n % 7}.", references=[str(n % 5)] if n % 50 else []
        )
        for n in range(N_UNITS)
    ]
    path = write(installation.folder / "study.jsonl", rows)
    installation.manage("migrate", "-v0")
    installation.manage("load", "study", str(path))
    installation.manage("evaluate", "study", "em", "f1", "recall")
    for _ in range(KILLS):
        before = installation.n_done()
        with installation.worker():
            installation.wait_for(lambda before=before: installation.n_done() > before)
            sleep(rng.random() * 0.4)
    with installation.worker():
        installation.wait_for(lambda: installation.rows("select state from metrics_run") == [("finished",)])
    killed = installation.rows(SCORES)
    assert len(killed) == 3 * N_UNITS
    assert len({row[:2] for row in killed}) == 3 * N_UNITS
    assert {row[3] for row in killed} == {"", "not_applicable"}
    for table in ("metrics_score", "metrics_runitem", "metrics_run_versions", "metrics_run"):
        with sqlite3.connect(installation.folder / "home" / "touchstone.sqlite3") as connection:
            connection.execute(f"delete from {table}")
    installation.manage("evaluate", "study", "em", "f1", "recall", "--wait")
    assert installation.rows(SCORES) == killed
