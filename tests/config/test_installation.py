"""What an installation makes and insists on before anything is stored."""

import json
import os
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from annotate.checks import refuse_other_pragmas
from config.home import secret_key

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


def manage(home, *arguments, **environment):
    inherited = {
        name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "SECRET_KEY"}
    }
    settings = {"TOUCHSTONE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "config.settings.base"}
    return subprocess.run(
        [sys.executable, MANAGE, *arguments],
        env={**inherited, **settings, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


class TestSecretKey:
    def test_is_made_once_and_readable_by_its_owner_alone(self, tmp_path):
        first = secret_key(tmp_path, "")
        assert len(first) >= 40
        assert secret_key(tmp_path, "") == first
        assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600

    def test_is_one_key_for_first_starts_at_the_same_moment(self, tmp_path):
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(lambda _: secret_key(tmp_path, ""), range(8)))) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]

    @pytest.mark.parametrize("weak", ["short", "django-insecure-" + "x" * 60])
    def test_that_is_weak_stops_the_start(self, tmp_path, weak):
        done = manage(tmp_path, "check", SECRET_KEY=weak)
        assert done.returncode != 0
        assert "SECRET_KEY is too weak" in done.stderr


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite only")
class TestSqlite:
    def test_runs_with_the_settings_that_are_meant(self):
        refuse_other_pragmas(connection=connection)

    def test_refuses_to_start_with_others(self, monkeypatch):
        monkeypatch.setattr("annotate.checks.PRAGMAS", {"journal_mode": {"delete"}})
        with pytest.raises(
            ImproperlyConfigured, match="journal_mode=wal, Touchstone needs journal_mode=delete"
        ):
            refuse_other_pragmas(connection=connection)

    def test_refuses_a_deferred_transaction_mode(self):
        deferred = SimpleNamespace(vendor="sqlite", cursor=connection.cursor, transaction_mode="DEFERRED")
        with pytest.raises(ImproperlyConfigured, match="IMMEDIATE"):
            refuse_other_pragmas(connection=deferred)


class TestDemo:
    """The main job, as a newcomer runs it: real worker, real files."""

    def test_goes_the_whole_way_and_may_be_run_again(self, tmp_path):
        figures = []
        for name in ("one.json", "two.json"):
            done = manage(tmp_path / "home", "demo", "--json", str(tmp_path / name), "--no-serve")
            assert done.returncode == 0, done.stderr
            figures.append(json.loads((tmp_path / name).read_text()))
        first, second = figures
        assert (first["items"], first["systems"], first["units"]) == (48, 4, 192)
        assert [run["state"] for run in first["runs"]] == ["finished"]
        assert first["runs"][0]["evaluators"]["recall"] == {"scored": 192, "failed": {}}
        rows = first["tables"]["correlation"]["rows"]
        value = {
            row["evaluator"]: row["value"]
            for row in rows
            if (row["criterion"], row["statistic"]) == ("correctness", "spearman")
        }
        assert value["recall"] > value["f1"] > value["em"]
        assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
        assert {key: table["rows"] for key, table in first["tables"].items()} == {
            key: table["rows"] for key, table in second["tables"].items()
        }

    def test_refuses_a_folder_that_is_not_there_before_it_begins(self, tmp_path):
        done = manage(tmp_path / "home", "demo", "--json", str(tmp_path / "nowhere" / "x.json"), "--no-serve")
        assert done.returncode != 0
        assert "No such folder" in done.stderr


def test_the_evaluate_command_says_that_nobody_works(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"item": "q", "system": "s", "response": "r", "references": ["r"]}\n')
    home = tmp_path / "home"
    assert manage(home, "migrate", "-v0").returncode == 0
    assert manage(home, "load", "study", str(path)).returncode == 0
    done = manage(home, "evaluate", "study", "em")
    assert "no worker has shown itself" in done.stdout
    assert "1 scored" in manage(home, "evaluate", "study", "f1", "--wait").stdout


def test_a_database_that_is_not_set_up_is_told_in_words(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"item": "q", "system": "s", "response": "r"}\n')
    done = manage(tmp_path / "home", "load", "study", str(path))
    assert done.returncode != 0
    assert done.stderr.strip().endswith("run `manage.py migrate`.")
    assert "Traceback" not in done.stderr


def test_the_worker_of_a_server_that_was_killed_ends_too(tmp_path):
    environment = {
        **os.environ,
        "TOUCHSTONE_HOME": str(tmp_path / "home"),
        "DJANGO_SETTINGS_MODULE": "config.settings.base",
    }
    environment.pop("DATABASE_URL", None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, MANAGE, "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def workers():
        listed = subprocess.run(
            ["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True
        ).stdout
        return listed.count(f"--beside={server.pid}")

    try:
        assert eventually(lambda: workers() > 0)
    finally:
        server.kill()
        server.wait()
    assert eventually(lambda: workers() == 0)


def eventually(condition, seconds=40):
    until = monotonic() + seconds
    while not condition():
        if monotonic() > until:
            return False
        sleep(0.2)
    return True
